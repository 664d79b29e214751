import { Distribution } from '../../kernel/metrics/distribution.ts';
import type { Metrics } from '../../kernel/metrics/metrics.ts';
import { countSilenceStates } from '../silences/store.ts';
import type { AlertState } from '../state/alert-state.ts';
import type { Upkeep } from '../state/upkeep.ts';

/** Alertmanager's metrics of the stores on disk, under its names. */
export function addStoreMetrics(metrics: Metrics, state: AlertState, now: () => number): void {
  addSilenceMetrics(metrics, state, now);
  addNotificationLogMetrics(metrics, state);
}

type Read = () => number;

/** The metrics of both stores; `read` is called at each scrape. */
function namesOf(metrics: Metrics, prefix: string) {
  return {
    total: (name: string, help: string, read: Read) =>
      metrics.total(`${prefix}_${name}`, help, [], (counter) => counter.inc(read())),
    number: (name: string, help: string, read: Read) =>
      metrics.gauge(`${prefix}_${name}`, help, [], (gauge) => gauge.set(read())),
    distribution: (name: string, help: string, distribution: Distribution) =>
      metrics.distribution(`${prefix}_${name}`, help, distribution),
  };
}

const never: Read = () => 0;

function addSilenceMetrics(metrics: Metrics, state: AlertState, now: () => number): void {
  const { silences, silenceListing: listing, silencer, silenceUpkeep } = state;
  const { total, number, distribution } = namesOf(metrics, 'alertmanager_silences');
  metrics.gauge('alertmanager_silences', 'How many silences there are by state.', ['state'], (gauge) => {
    const counts = countSilenceStates(silences.all(), now());
    for (const [name, count] of Object.entries(counts)) gauge.set({ state: name }, count);
  });
  addUpkeepMetrics(metrics, 'alertmanager_silences', 'silences', silenceUpkeep);
  total('gc_errors_total', 'How often old silences could not be removed.', () => silenceUpkeep.failedCollections);
  // Silencing an alert is no query here: the silencer keeps the answer for each alert.
  total('queries_total', 'How often silences were queried.', () => listing.queries.count + silences.reads);
  total('query_errors_total', 'How many queries for silences failed.', never);
  distribution(
    'query_duration_seconds',
    'How long it took to select silences for a list, in seconds.',
    listing.queries,
  );
  total(
    'query_silences_scanned_total',
    'How many silences queries have tested.',
    () => listing.scanned + silences.reads,
  );
  total('query_silences_skipped_total', 'How many silences an index of their versions left out: there is none.', never);
  number('state_size', 'How many silences there are.', () => silences.size);
  number('matcher_index_size', 'How many silences the index of those in force holds.', () => {
    silencer.settle(now());
    return silencer.activeCount;
  });
  number('version_index_size', 'How many silences the index of their versions holds: there is none.', never);
  // Always 0: a silence with a matcher that does not compile is refused.
  const uncompiled = metrics.counter(
    'alertmanager_silences_matcher_compile_errors_total',
    'How many matchers of silences could not be compiled.',
    ['stage'],
  );
  for (const stage of ['index', 'load_snapshot']) uncompiled.inc({ stage }, 0);
}

function addNotificationLogMetrics(metrics: Metrics, { notificationLog, notificationLogUpkeep }: AlertState): void {
  const { total, number, distribution } = namesOf(metrics, 'alertmanager_nflog');
  const { queries } = notificationLog;
  number('entries', 'How many entries the notification log has.', () => notificationLog.size);
  addUpkeepMetrics(metrics, 'alertmanager_nflog', 'the notification log', notificationLogUpkeep);
  total('queries_total', 'How often the notification log was queried.', () => queries.count);
  // Always 0: Alertmanager counts a missing entry as an error, here it is an answer.
  total('query_errors_total', 'How many queries of the notification log failed.', never);
  distribution('query_duration_seconds', 'How long the notification log took to answer, in seconds.', queries);
}

/**
 * There are no snapshots: every change is on disk by itself. Snapshot durations therefore have no entry; the size is that
 * of the store on disk.
 */
function addUpkeepMetrics(metrics: Metrics, prefix: string, store: string, upkeep: Upkeep): void {
  const { total, number, distribution } = namesOf(metrics, prefix);
  distribution('gc_duration_seconds', `How long garbage collections of ${store} took, in seconds.`, upkeep.collections);
  total('maintenance_total', `How often the maintenance of ${store} was started.`, () => upkeep.runs);
  total('maintenance_errors_total', `How often the maintenance of ${store} failed.`, () => upkeep.failures);
  distribution(
    'snapshot_duration_seconds',
    `How long snapshots of ${store} took: none is written.`,
    new Distribution(),
  );
  number(
    'snapshot_size_bytes',
    `How many bytes ${store} had on disk at the last maintenance.`,
    () => upkeep.storedBytes,
  );
  total('gossip_messages_propagated_total', `How many messages about ${store} were passed on in the cluster.`, never);
}
