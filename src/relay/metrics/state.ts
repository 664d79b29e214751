import type { Metrics } from '../../kernel/metrics/metrics.ts';
import type { Environment } from '../environment.ts';
import type { EventCounts } from '../event/counts.ts';
import type { ConnectionState } from '../status/connection-status.ts';
import { STREAM_KINDS } from '../streams/streams.ts';
import { cleanLabel } from './label.ts';
import type { MetricsSources } from './metrics.ts';

const STATES: readonly ConnectionState[] = ['INITIALIZING', 'VALID', 'INTERRUPTED', 'OFF'];

type Sources = Omit<MetricsSources, 'prefix'>;

/** Adds what is read off the relay's parts; the function given back brings the counters among it up to date. */
export function addStateMetrics(metrics: Metrics, prefix: string, sources: Sources): () => void {
  metrics.process(sources.startedAt);
  metrics.gauge(`${prefix}_build_info`, 'Always 1, with the version of the relay.', ['version'], (gauge) =>
    gauge.set({ version: sources.version }, 1),
  );
  addDataMetrics(metrics, prefix, sources);
  addStreamMetrics(metrics, prefix, sources);
  metrics.gauge(`${prefix}_events_pending`, 'How many events wait to be sent.', ['env'], (gauge) => {
    gauge.reset();
    for (const environment of sources.environments())
      gauge.set({ env: labelOf(environment) }, sources.events(environment).pending);
  });
  const refreshes = [...addDropCounter(metrics, prefix, sources), ...addEventCounters(metrics, prefix, sources)];
  return () => {
    for (const refresh of refreshes) refresh();
  };
}

const labelOf = ({ options }: Environment): string => cleanLabel(options.name);

/** How up to date the data of each environment are. */
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
  metrics.gauge(`${prefix}_upstream_state`, '1 for the state that the source is in.', ['env', 'state'], (gauge) => {
    gauge.reset();
    for (const environment of environments())
      for (const state of STATES)
        gauge.set({ env: labelOf(environment), state }, Number(environment.connection.state === state));
  });
  perEnvironment(
    'upstream_state_since_timestamp_seconds',
    'When the source entered its state, in seconds since 1970.',
    ({ connection }) => connection.stateSince / 1000,
  );
  perEnvironment('environment_ready', 'Whether there are data to serve.', ({ store }) => Number(store.isInitialised));
  perEnvironment(
    'data_age_seconds',
    'For how long the data have not changed, in seconds.',
    whenReady(({ changedAt }) => (now() - changedAt) / 1000),
  );
  perEnvironment(
    'flags',
    'How many flags there are.',
    whenReady(({ store }) => store.flags().length),
  );
  perEnvironment(
    'snapshot_bytes',
    'How much a stream begins with, in bytes.',
    whenReady(({ streams }) => streams.snapshotBytes),
  );
}

function addStreamMetrics(metrics: Metrics, prefix: string, { environments, ofrep }: Sources): void {
  metrics.gauge(`${prefix}_subscribers`, 'How many listen to each kind of stream.', ['env', 'stream'], (gauge) => {
    gauge.reset();
    for (const environment of environments()) {
      const env = labelOf(environment);
      for (const kind of STREAM_KINDS) gauge.set({ env, stream: kind }, environment.streams.size(kind));
      gauge.set({ env, stream: 'ofrep' }, ofrep.size(environment));
    }
  });
}

type Refreshes = readonly (() => void)[];

function addDropCounter(metrics: Metrics, prefix: string, { environments, ofrep }: Sources): Refreshes {
  const dropped = metrics.counter(
    `${prefix}_subscribers_dropped_total`,
    'How many listeners were cut because they did not read.',
    ['env'],
  );
  return [
    () => {
      dropped.reset();
      for (const environment of environments())
        dropped.inc({ env: labelOf(environment) }, environment.streams.dropped + ofrep.dropped(environment));
    },
  ];
}

const EVENT_COUNTERS: Readonly<Record<keyof EventCounts, readonly [name: string, help: string]>> = {
  received: ['events_received', 'How many events came in posts that could be read.'],
  receivedBytes: ['events_received_bytes', 'How much those posts were, in bytes.'],
  sent: ['events_sent', 'How many events upstream has accepted.'],
  sentBytes: ['events_sent_bytes', 'How much those events were before compression, in bytes.'],
  failed: ['events_failed', 'How many events upstream has not accepted.'],
  dropped: ['events_dropped', 'How many events were dropped.'],
  duplicates: ['events_duplicate_posts', 'How many posts of events came a second time.'],
  droppedPosts: ['events_dropped_posts', 'How many posts of events were dropped.'],
  diagnosticsSent: ['diagnostics_sent', 'How many diagnostics upstream has accepted.'],
  diagnosticsFailed: ['diagnostics_failed', 'How many diagnostics upstream has not accepted.'],
  diagnosticsDropped: ['diagnostics_dropped', 'How many diagnostics were dropped.'],
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
