import type { Metrics } from '../../kernel/metrics/metrics.ts';
import type { Environment } from '../environment.ts';
import type { EventCounts } from '../event/counts.ts';
import type { ConnectionState } from '../status/connection-status.ts';
import { cleanLabel, environmentLabel } from './label.ts';
import type { MetricsSources } from './metrics.ts';

const STATES: readonly ConnectionState[] = ['INITIALIZING', 'VALID', 'INTERRUPTED', 'OFF'];

type Sources = Omit<MetricsSources, 'prefix'>;

/** Adds the metrics of the relay's parts; returns a function that updates the counters among them. */
export function addStateMetrics(metrics: Metrics, prefix: string, sources: Sources): () => void {
  metrics.process(sources.startedAt);
  metrics.gauge(`${prefix}_build_info`, 'Always 1, with the version of the relay.', ['version'], (gauge) =>
    gauge.set({ version: sources.version }, 1),
  );
  addDataMetrics(metrics, prefix, sources);
  addStreamMetrics(metrics, prefix, sources);
  metrics.gauge(`${prefix}_events_pending`, 'Events that wait to be sent.', ['env'], (gauge) => {
    gauge.reset();
    for (const environment of sources.environments())
      gauge.set({ env: labelOf(environment) }, sources.events(environment).pending);
  });
  metrics.total(`${prefix}_worker_restarts_total`, 'Worker threads that died and were replaced.', [], (counter) =>
    counter.inc(sources.workers?.restarts ?? 0),
  );
  const refreshes = [...addDropCounter(metrics, prefix, sources), ...addEventCounters(metrics, prefix, sources)];
  return () => {
    for (const refresh of refreshes) refresh();
  };
}

const labelOf = ({ options }: Environment): string => cleanLabel(environmentLabel(options));

/** State of the data of each environment. */
function addDataMetrics(metrics: Metrics, prefix: string, { environments, now }: Sources): void {
  const perEnvironment = (name: string, help: string, read: (environment: Environment) => number | undefined) =>
    metrics.gauge(`${prefix}_${name}`, help, ['env'], (gauge) => {
      gauge.reset();
      for (const environment of environments()) {
        const value = read(environment);
        if (value !== undefined) gauge.set({ env: labelOf(environment) }, value);
      }
    });
  const whenReady =
    (read: (environment: Environment) => number) =>
    (environment: Environment): number | undefined =>
      environment.store.isInitialised ? read(environment) : undefined;
  metrics.gauge(
    `${prefix}_upstream_state`,
    '1 for the current state of the source, 0 for others.',
    ['env', 'state'],
    (gauge) => {
      gauge.reset();
      for (const environment of environments())
        for (const state of STATES)
          gauge.set({ env: labelOf(environment), state }, Number(environment.connection.state === state));
    },
  );
  perEnvironment(
    'upstream_state_since_timestamp_seconds',
    'Time of the last state change of the source, in seconds since 1970.',
    ({ connection }) => connection.stateSince / 1000,
  );
  perEnvironment('environment_ready', '1 if there is data to serve.', ({ store }) => Number(store.isInitialised));
  perEnvironment(
    'data_age_seconds',
    'Time since the last change of the data, in seconds.',
    whenReady(({ changedAt }) => (now() - changedAt) / 1000),
  );
  perEnvironment(
    'flags',
    'Number of flags.',
    whenReady(({ store }) => store.flags().length),
  );
  perEnvironment(
    'snapshot_bytes',
    'Size of the first event of a stream, in bytes.',
    whenReady(({ streams }) => streams.snapshotBytes),
  );
}

function addStreamMetrics(metrics: Metrics, prefix: string, { environments, subscribers }: Sources): void {
  metrics.gauge(`${prefix}_subscribers`, 'Clients of each kind of stream.', ['env', 'stream'], (gauge) => {
    gauge.reset();
    for (const environment of environments()) {
      const env = labelOf(environment);
      for (const [stream, size] of Object.entries(subscribers(environment).sizes)) gauge.set({ env, stream }, size);
    }
  });
}

type Refreshes = readonly (() => void)[];

function addDropCounter(metrics: Metrics, prefix: string, { environments, subscribers }: Sources): Refreshes {
  const dropped = metrics.counter(
    `${prefix}_subscribers_dropped_total`,
    'Clients disconnected because they did not read.',
    ['env'],
  );
  return [
    () => {
      dropped.reset();
      for (const environment of environments())
        dropped.inc({ env: labelOf(environment) }, subscribers(environment).dropped);
    },
  ];
}

const EVENT_COUNTERS: Readonly<Record<keyof EventCounts, readonly [name: string, help: string]>> = {
  received: ['events_received', 'Events received in readable posts.'],
  receivedBytes: ['events_received_bytes', 'Size of readable posts, in bytes.'],
  sent: ['events_sent', 'Events accepted by upstream.'],
  sentBytes: ['events_sent_bytes', 'Size of events accepted by upstream before compression, in bytes.'],
  failed: ['events_failed', 'Events not accepted by upstream.'],
  dropped: ['events_dropped', 'Dropped events.'],
  duplicates: ['events_duplicate_posts', 'Repeated posts of events.'],
  droppedPosts: ['events_dropped_posts', 'Dropped posts of events.'],
  diagnosticsSent: ['diagnostics_sent', 'Diagnostics accepted by upstream.'],
  diagnosticsFailed: ['diagnostics_failed', 'Diagnostics not accepted by upstream.'],
  diagnosticsDropped: ['diagnostics_dropped', 'Dropped diagnostics.'],
};

function addEventCounters(metrics: Metrics, prefix: string, { environments, events }: Sources): Refreshes {
  return (Object.keys(EVENT_COUNTERS) as (keyof EventCounts)[]).map((count) => {
    const [name, help] = EVENT_COUNTERS[count];
    const counter = metrics.counter(`${prefix}_${name}_total`, help, ['env']);
    return () => {
      counter.reset();
      for (const environment of environments())
        counter.inc({ env: labelOf(environment) }, events(environment).counts[count]);
    };
  });
}
