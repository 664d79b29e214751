import { type MetricFamily, Metrics } from '../../kernel/metrics/metrics.ts';
import type { SdkKind } from '../credentials.ts';
import type { Environment } from '../environment.ts';
import type { EventCounts } from '../event/counts.ts';
import type { AdmittedRequest, RequestObserver } from '../request-observer.ts';
import type { ClientCount, WorkerReport } from '../workers/tally.ts';
import { ClientLabels, cleanLabel, cleanPrefix, environmentLabel, PLATFORM } from './label.ts';
import { addStateMetrics } from './state.ts';
import type { SubscriberCounts } from './subscribers.ts';

export const DEFAULT_METRICS_PREFIX = 'launchdarkly_relay';

export interface MetricsSources {
  /** Of every metric's name. */
  readonly prefix: string;
  readonly environments: () => Iterable<Environment>;
  readonly events: (environment: Environment) => { readonly counts: EventCounts; readonly pending: number };
  readonly subscribers: (environment: Environment) => SubscriberCounts;
  /** Other threads that answer requests. */
  readonly workers?: MetricsWorkers | undefined;
  readonly now: () => number;
  /** Epoch milliseconds. */
  readonly startedAt: number;
  readonly version: string;
}

export interface MetricsWorkers {
  /** Their open streams. */
  readonly open: Iterable<ClientCount>;
  /** The number of threads that ended and were replaced. */
  readonly restarts: number;
  /** Resolves when everything that they have counted is known. */
  refresh(): Promise<void>;
}

const MAX_USER_AGENTS = 100;

/** The part of a prom-client series that is used here. */
interface Series {
  inc(by?: number): void;
}

/** The metrics of the relay: those of ld-relay, counted here, and those of its parts, read at each scrape. */
export class RelayMetrics implements RequestObserver {
  readonly #metrics = new Metrics();
  readonly #prefix: string;
  readonly #userAgents = new ClientLabels(MAX_USER_AGENTS);
  /** Cached, as prom-client finds a series by its labels slowly. */
  readonly #series = new Map<string, Series>();
  readonly #requests;
  readonly #newConnections;
  readonly #evaluations;
  readonly #refresh: () => void;
  readonly #workers: MetricsWorkers | undefined;
  /** By environment, platform and user agent. */
  readonly #connections = new Map<string, { readonly labels: ConnectionLabels; count: number }>();

  constructor(sources: MetricsSources) {
    const prefix = cleanPrefix(sources.prefix);
    this.#workers = sources.workers;
    this.#prefix = prefix;
    const metrics = this.#metrics;
    const labels = ['platformCategory', 'userAgent', 'env'] as const;
    this.#requests = metrics.counter(`${prefix}_requests`, 'Requests with a valid credential.', [
      ...labels,
      'route',
      'method',
    ]);
    this.#newConnections = metrics.counter(`${prefix}_newconnections`, 'Opened streams.', labels);
    this.#evaluations = metrics.counter(`${prefix}_evaluations_total`, 'Flags evaluated for requests.', [
      'platformCategory',
      'env',
    ]);
    metrics.gauge(`${prefix}_connections`, 'Open streams.', labels, (gauge) => {
      gauge.reset();
      for (const { labels, count } of this.#connections.values()) gauge.inc({ ...labels }, count);
      for (const [name, sdkKind, agent, count] of sources.workers?.open ?? [])
        gauge.inc({ ...connectionLabels(sdkKind, name, this.#userAgents.of(agent)) }, count);
    });
    this.#refresh = addStateMetrics(metrics, prefix, sources);
  }

  request({ sdkKind, environment, route, method, userAgent }: AdmittedRequest): void {
    this.#countRequests(environmentLabel(environment.options), sdkKind, userAgent, route, method, 1);
  }

  stream({ sdkKind, environment, userAgent }: AdmittedRequest): () => void {
    const name = environmentLabel(environment.options);
    const agent = this.#userAgents.of(userAgent);
    const key = `${name}\0${sdkKind}\0${agent}`;
    let open = this.#connections.get(key);
    if (!open) {
      open = { labels: connectionLabels(sdkKind, name, agent), count: 0 };
      this.#connections.set(key, open);
    }
    const connections = open;
    this.#newConnections.inc({ ...connections.labels });
    connections.count++;
    let isOpen = true;
    return () => {
      if (isOpen) connections.count--;
      isOpen = false;
    };
  }

  evaluated({ options }: Environment, sdkKind: SdkKind, flags: number): void {
    this.#countEvaluations(environmentLabel(options), sdkKind, flags);
  }

  /** Adds what another thread has counted since its last report. */
  add({ requests, opened, evaluations }: Pick<WorkerReport, 'requests' | 'opened' | 'evaluations'>): void {
    for (const counted of requests) this.#countRequests(...counted);
    for (const [name, sdkKind, agent, count] of opened)
      this.#newConnections.inc({ ...connectionLabels(sdkKind, name, this.#userAgents.of(agent)) }, count);
    for (const counted of evaluations) this.#countEvaluations(...counted);
  }

  #countRequests(
    name: string,
    sdkKind: SdkKind,
    userAgent: string,
    route: string,
    method: string,
    count: number,
  ): void {
    const agent = this.#userAgents.of(userAgent);
    const series = this.#seriesOf(`requests\0${name}\0${sdkKind}\0${route}\0${method}\0${agent}`, () =>
      this.#requests.labels({
        ...connectionLabels(sdkKind, name, agent),
        route: cleanLabel(route),
        method,
      }),
    );
    series.inc(count);
  }

  #countEvaluations(name: string, sdkKind: SdkKind, flags: number): void {
    const series = this.#seriesOf(`evaluations\0${name}\0${sdkKind}`, () =>
      this.#evaluations.labels({ platformCategory: PLATFORM[sdkKind], env: cleanLabel(name) }),
    );
    series.inc(flags);
  }

  get contentType(): string {
    return this.#metrics.contentType;
  }

  /** All metrics in Prometheus' text format. */
  async render(): Promise<string> {
    await this.#workers?.refresh();
    this.#refresh();
    return this.#metrics.render();
  }

  /** The same numbers for a collector of OpenTelemetry. */
  async read(): Promise<readonly MetricFamily[]> {
    await this.#workers?.refresh();
    this.#refresh();
    return (await this.#metrics.read()).map((family) => ({ ...family, name: otlpName(family.name, this.#prefix) }));
  }

  #seriesOf(key: string, open: () => Series): Series {
    let series = this.#series.get(key);
    if (!series) {
      series = open();
      this.#series.set(key, series);
    }
    return series;
  }
}

/** ld-relay 9 has these names for what it calls otherwise in Prometheus. */
const OTLP_NAMES: Readonly<Record<string, string>> = {
  events_received_total: 'received',
  events_received_bytes_total: 'received.size',
  events_sent_total: 'sent',
  events_sent_bytes_total: 'sent.size',
  events_failed_total: 'failed',
  events_dropped_total: 'dropped',
  events_pending: 'pending',
};

function otlpName(name: string, prefix: string): string {
  const own = OTLP_NAMES[name.slice(prefix.length + 1)];
  return own === undefined || !name.startsWith(`${prefix}_`) ? name : `launchdarkly.relay.events.${own}`;
}

interface ConnectionLabels {
  readonly platformCategory: string;
  readonly userAgent: string;
  readonly env: string;
}

function connectionLabels(sdkKind: SdkKind, name: string, userAgent: string): ConnectionLabels {
  return { platformCategory: PLATFORM[sdkKind], userAgent, env: cleanLabel(name) };
}
