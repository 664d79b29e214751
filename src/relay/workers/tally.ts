import type { SdkKind } from '../credentials.ts';
import type { Environment } from '../environment.ts';
import { ClientLabels, environmentLabel } from '../metrics/label.ts';
import { countSubscribers, type SubscriberCounts } from '../metrics/subscribers.ts';
import type { OfrepStreams } from '../ofrep/streams.ts';
import type { AdmittedRequest, RequestObserver } from '../request-observer.ts';
import type { EnvironmentId } from './change.ts';
import type { JournalReport } from './journal-tally.ts';

/** A number with its labels. */
export type Counted<L extends readonly string[]> = readonly [...labels: L, count: number];
export type ClientCount = Counted<[environment: string, sdkKind: SdkKind, userAgent: string]>;

/** What a worker has counted: since its last report, or now. */
export interface WorkerReport {
  readonly requests: readonly Counted<
    [environment: string, sdkKind: SdkKind, userAgent: string, route: string, method: string]
  >[];
  readonly opened: readonly ClientCount[];
  readonly evaluations: readonly Counted<[environment: string, sdkKind: SdkKind]>[];
  /** Now. */
  readonly open: readonly ClientCount[];
  readonly journal: JournalReport;
  /** Now. */
  readonly subscribers: readonly (readonly [EnvironmentId, SubscriberCounts])[];
}

const MAX_USER_AGENTS = 100;

/** Clients choose some labels. */
const MAX_COUNTS = 20_000;

/** Numbers by labels; those beyond the limit are not counted. */
export class Tally<L extends readonly string[]> {
  readonly #counts = new Map<string, number>();

  add(labels: L, count: number): void {
    const key = labels.join('\0');
    if (this.#counts.size >= MAX_COUNTS && !this.#counts.has(key)) return;
    this.#counts.set(key, (this.#counts.get(key) ?? 0) + count);
  }

  read(): Counted<L>[] {
    return [...this.#counts].map(([key, count]) => [...key.split('\0'), count] as unknown as Counted<L>);
  }

  take(): Counted<L>[] {
    const taken = this.read();
    this.#counts.clear();
    return taken;
  }
}

/** Counts the requests of a worker until its next report. */
export class RequestTally implements RequestObserver {
  readonly #userAgents = new ClientLabels(MAX_USER_AGENTS);
  readonly #requests = new Tally<[string, SdkKind, string, string, string]>();
  readonly #opened = new Tally<[string, SdkKind, string]>();
  readonly #evaluations = new Tally<[string, SdkKind]>();
  readonly #open = new Tally<[string, SdkKind, string]>();

  request({ environment, sdkKind, userAgent, route, method }: AdmittedRequest): void {
    this.#requests.add(
      [environmentLabel(environment.options), sdkKind, this.#userAgents.of(userAgent), route, method],
      1,
    );
  }

  stream({ environment, sdkKind, userAgent }: AdmittedRequest): () => void {
    const labels: [string, SdkKind, string] = [
      environmentLabel(environment.options),
      sdkKind,
      this.#userAgents.of(userAgent),
    ];
    this.#opened.add(labels, 1);
    this.#open.add(labels, 1);
    let isOpen = true;
    return () => {
      if (isOpen) this.#open.add(labels, -1);
      isOpen = false;
    };
  }

  evaluated({ options }: Environment, sdkKind: SdkKind, flags: number): void {
    this.#evaluations.add([environmentLabel(options), sdkKind], flags);
  }

  /** Takes what was counted since the last report. */
  report(environments: ReadonlyMap<EnvironmentId, Environment>, ofrep: OfrepStreams): Omit<WorkerReport, 'journal'> {
    return {
      requests: this.#requests.take(),
      opened: this.#opened.take(),
      evaluations: this.#evaluations.take(),
      open: this.#open.read(),
      subscribers: [...environments].map(([id, environment]) => [id, countSubscribers(environment, ofrep)] as const),
    };
  }
}
