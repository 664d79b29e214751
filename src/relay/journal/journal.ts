import type { Log } from '../../kernel/log.ts';
import type { SdkKind } from '../credentials.ts';
import type { Environment } from '../environment.ts';
import type { AdmittedRequest, FlagEvaluation, RequestObserver } from '../request-observer.ts';
import { ChangeLog } from './change-log.ts';
import { EvaluationCounts } from './evaluation-counts.ts';
import { ProblemLog } from './problem-log.ts';
import { SdkLog } from './sdk-log.ts';

/** What happened in one environment since the start of the relay, in memory and bounded. */
export interface Journal {
  /** Epoch milliseconds. */
  readonly since: number;
  readonly changes: ChangeLog;
  readonly evaluations: EvaluationCounts;
  readonly problems: ProblemLog;
  readonly sdks: SdkLog;
}

/** The journals of all environments. */
export class Journals implements RequestObserver {
  readonly #now: () => number;
  readonly #journals = new WeakMap<Environment, Journal>();

  constructor(now: () => number) {
    this.#now = now;
  }

  of(environment: Environment): Journal {
    let journal = this.#journals.get(environment);
    if (!journal) {
      const now = this.#now;
      journal = {
        since: now(),
        changes: new ChangeLog(environment.store, now),
        evaluations: new EvaluationCounts(now),
        problems: new ProblemLog(now),
        sdks: new SdkLog(now),
      };
      this.#journals.set(environment, journal);
    }
    return journal;
  }

  /** The log of an environment, whose warnings and errors are kept. */
  record(environment: Environment, log: Log): Log {
    return this.of(environment).problems.record(log);
  }

  request({ environment, sdkKind, userAgent }: AdmittedRequest): void {
    this.of(environment).sdks.request(sdkKind, userAgent);
  }

  stream({ environment, sdkKind, userAgent }: AdmittedRequest): () => void {
    return this.of(environment).sdks.stream(sdkKind, userAgent);
  }

  /** Evaluations of all flags do not show which of them are used; SDKs report those in events. */
  evaluated(environment: Environment, _sdkKind: SdkKind, _flags: number, one?: FlagEvaluation): void {
    if (one) this.of(environment).evaluations.add(one.key, one.variation);
  }
}
