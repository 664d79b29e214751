import { Metrics } from '../kernel/metrics/metrics.ts';
import type { Committed } from './domain/event.ts';
import type { RoomNodes } from './nodes/nodes.ts';

const METHODS: ReadonlySet<string> = new Set(['GET', 'HEAD', 'POST', 'PUT', 'DELETE', 'OPTIONS', 'PATCH']);

/** Answers by path, method and status; a counter of the library would cost more than some requests. */
export class RequestCounts {
  readonly #counts = new Map<string, { readonly labels: RequestLabels; requests: number; ms: number }>();

  /** `path` as in the table of paths. */
  add(path: string, method: string, status: number, ms: number): void {
    // Clients may send invented methods.
    const known = METHODS.has(method) ? method : 'other';
    const key = `${known} ${status} ${path}`;
    let count = this.#counts.get(key);
    if (!count) {
      count = { labels: { handler: path, method: known, code: String(status) }, requests: 0, ms: 0 };
      this.#counts.set(key, count);
    }
    count.requests++;
    count.ms += Math.max(0, ms);
  }

  all(): Iterable<{ readonly labels: RequestLabels; readonly requests: number; readonly ms: number }> {
    return this.#counts.values();
  }
}

export interface RequestLabels {
  readonly handler: string;
  readonly method: string;
  readonly code: string;
}

/** Values read when the metrics are requested. */
export interface MetricSources {
  readonly requests: RequestCounts;
  readonly pos: () => number;
  readonly isWritable: () => boolean;
  readonly nodes: Pick<RoomNodes, 'away' | 'violations'> | undefined;
  readonly rooms: () => number;
  readonly users: () => number;
  readonly streams: () => number;
  readonly runs: () => { readonly running: number; readonly queued: number };
  /** Epoch milliseconds. */
  readonly startedAt: number;
  readonly version: string;
}

const PREFIX = 'opsdeck_rooms';

/** The metrics `opsdeck_rooms_*`. */
export class RoomsMetrics {
  readonly #metrics = new Metrics();
  readonly #events = new Map<string, number>();
  #commits = 0;
  #refresh = () => {};

  constructor(sources: MetricSources) {
    const metrics = this.#metrics;
    const number = (name: string, help: string, read: () => number) =>
      metrics.gauge(`${PREFIX}_${name}`, help, [], (gauge) => gauge.set(read()));
    number('pos', 'The last position of the log.', sources.pos);
    number('writable', 'Whether writes are accepted.', () => Number(sources.isWritable()));
    number('rooms', 'How many rooms there are.', sources.rooms);
    number('users', 'How many users there are.', sources.users);
    number('streams', 'How many streams are open.', sources.streams);
    number('copilot_running', 'How many answers of copilots are being written.', () => sources.runs().running);
    number('copilot_queued', 'How many answers of copilots wait.', () => sources.runs().queued);
    metrics.gauge(`${PREFIX}_build_info`, 'Which version runs.', ['version'], (gauge) =>
      gauge.set({ version: sources.version }, 1),
    );
    const { nodes } = sources;
    if (nodes) {
      metrics.gauge('opsdeck_storage_up', 'Whether PostgreSQL can be used.', [], (gauge) =>
        gauge.set(Number(nodes.away === undefined)),
      );
    }
    metrics.process(sources.startedAt);
    this.#count(sources);
  }

  /** Counts committed events. */
  committed(events: readonly Committed[]): void {
    this.#commits++;
    for (const { event } of events) this.#events.set(event.type, (this.#events.get(event.type) ?? 0) + 1);
  }

  readonly contentType = this.#metrics.contentType;

  /** All metrics in Prometheus' text format. */
  render(): Promise<string> {
    this.#refresh();
    return this.#metrics.render();
  }

  #count({ requests, nodes }: MetricSources): void {
    const labels = ['handler', 'method', 'code'] as const;
    const counter = <L extends string>(name: string, help: string, names: readonly L[]) =>
      this.#metrics.counter(`${PREFIX}_${name}`, help, names);
    const answers = counter('http_requests_total', 'How many requests were answered.', labels);
    const seconds = counter('http_request_seconds_total', 'How long they took until then, in seconds.', labels);
    const events = counter('events_total', 'How many events were committed.', ['type']);
    const commits = counter('commits_total', 'How many commits held events.', []);
    const holes = nodes && counter('log_violations_total', 'How often the log had a hole, which is a fault.', []);
    this.#refresh = () => {
      holes?.reset();
      holes?.inc(nodes?.violations ?? 0);
      for (const metric of [answers, seconds, events, commits]) metric.reset();
      for (const { labels, requests: count, ms } of requests.all()) {
        answers.inc({ ...labels }, count);
        seconds.inc({ ...labels }, ms / 1000);
      }
      for (const [type, count] of this.#events) events.inc({ type }, count);
      commits.inc(this.#commits);
    };
  }
}
