import type { SdkKind } from '../credentials.ts';
import type { Environment } from '../environment.ts';
import type { Journals } from '../journal/journal.ts';
import type { AdmittedRequest, FlagEvaluation, RequestObserver } from '../request-observer.ts';
import type { EnvironmentId } from './change.ts';
import { type Counted, Tally } from './tally.ts';

type SdkLabels = [environment: string, sdkKind: SdkKind, name: string];

/** What the journals of environments need to know of a worker, since its last report. */
export interface JournalReport {
  readonly requests: readonly Counted<SdkLabels>[];
  /** Opened streams less those that have ended. */
  readonly streams: readonly Counted<SdkLabels>[];
  /** Evaluations of single flags; an empty variation is none. */
  readonly flags: readonly Counted<[environment: string, key: string, variation: string]>[];
}

const MAX_NAME_CHARS = 100;

/** Counts in a worker for the journals, which are kept in the main thread. */
export class JournalTally implements RequestObserver {
  readonly #idOf: (environment: Environment) => EnvironmentId | undefined;
  readonly #requests = new Tally<SdkLabels>();
  readonly #streams = new Tally<SdkLabels>();
  readonly #flags = new Tally<[string, string, string]>();

  constructor(idOf: (environment: Environment) => EnvironmentId | undefined) {
    this.#idOf = idOf;
  }

  request(request: AdmittedRequest): void {
    this.#requests.add(this.#labels(request), 1);
  }

  stream(request: AdmittedRequest): () => void {
    const labels = this.#labels(request);
    this.#streams.add(labels, 1);
    let isOpen = true;
    return () => {
      if (isOpen) this.#streams.add(labels, -1);
      isOpen = false;
    };
  }

  evaluated(environment: Environment, _sdkKind: SdkKind, _flags: number, one?: FlagEvaluation): void {
    if (one) this.#flags.add([String(this.#idOf(environment)), one.key, String(one.variation ?? '')], 1);
  }

  report(): JournalReport {
    return { requests: this.#requests.take(), streams: this.#streams.take(), flags: this.#flags.take() };
  }

  #labels({ environment, sdkKind, userAgent }: AdmittedRequest): SdkLabels {
    return [String(this.#idOf(environment)), sdkKind, userAgent.slice(0, MAX_NAME_CHARS)];
  }
}

/** Enters the reports of workers in the journals. */
export class JournalFeed {
  readonly #journals: Pick<Journals, 'of'>;
  readonly #environment: (id: EnvironmentId) => Environment | undefined;
  /** Open streams by worker. */
  readonly #open = new Map<object, Tally<SdkLabels>>();

  constructor(journals: Pick<Journals, 'of'>, environment: (id: EnvironmentId) => Environment | undefined) {
    this.#journals = journals;
    this.#environment = environment;
  }

  add(worker: object, { requests, streams, flags }: JournalReport): void {
    const open = this.#open.get(worker) ?? new Tally<SdkLabels>();
    this.#open.set(worker, open);
    for (const [id, sdkKind, name, count] of requests) this.#of(id)?.sdks.request(sdkKind, name, count);
    for (const [id, sdkKind, name, change] of streams) {
      open.add([id, sdkKind, name], change);
      this.#of(id)?.sdks.addStreams(sdkKind, name, change);
    }
    for (const [id, key, variation, count] of flags)
      this.#of(id)?.evaluations.add(key, variation === '' ? null : Number(variation), count);
  }

  /** The streams of a worker that has ended are over. */
  forget(worker: object): void {
    for (const [id, sdkKind, name, count] of this.#open.get(worker)?.take() ?? [])
      this.#of(id)?.sdks.addStreams(sdkKind, name, -count);
    this.#open.delete(worker);
  }

  #of(id: string) {
    const environment = this.#environment(Number(id));
    return environment && this.#journals.of(environment);
  }
}
