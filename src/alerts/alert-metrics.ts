import type { Metrics } from '../kernel/metrics.ts';
import type { ActivePlan } from './active-plan.ts';
import type { IntakeCounts } from './alert-intake.ts';
import type { AlertState } from './alert-state.ts';
import type { ActiveConfig } from './config/active-config.ts';
import type { ClusterMember, VersionInfo } from './contract/status.ts';
import { countSilenceStates } from './silence-store.ts';

export interface AlertMetricsSources {
  readonly startedAt: number;
  readonly version: VersionInfo;
  /** Undefined: clustering is switched off. */
  readonly member: ClusterMember | undefined;
  readonly state: AlertState;
  readonly config: ActiveConfig;
  readonly plan: ActivePlan;
  readonly now: () => number;
}

/** Alertmanager's metrics, under its names, of what this server holds. Numbers are read when somebody asks for them. */
export function addAlertMetrics(metrics: Metrics, sources: AlertMetricsSources): IntakeCounts {
  const { startedAt, version } = sources;
  const number = (name: string, help: string, read: () => number) =>
    metrics.gauge(name, help, [], (gauge) => gauge.set(read()));
  metrics.process(startedAt);
  metrics.gauge('alertmanager_build_info', 'Always 1, with the version that runs.', ['version', 'revision'], (gauge) =>
    gauge.set({ version: version.version, revision: version.revision }, 1),
  );
  addStateMetrics(metrics, sources);
  addConfigMetrics(number, sources);
  addClusterMetrics(metrics, number, sources);
  return createIntakeCounts(metrics);
}

/** Counts, when called, a GET that was refused because too many were being answered. */
export function countRefusedGets(metrics: Metrics): () => void {
  const refused = metrics
    .counter(
      'alertmanager_http_concurrency_limit_exceeded_total',
      'How many GETs were refused because too many were being answered.',
      ['method'],
    )
    .labels({ method: 'get' });
  refused.inc(0);
  return () => refused.inc();
}

type AddNumber = (name: string, help: string, read: () => number) => void;

function addStateMetrics(metrics: Metrics, { state, now }: AlertMetricsSources): void {
  const { alertListing, silences, groups, notificationLog } = state;
  metrics.gauge('alertmanager_alerts', 'How many alerts there are by state.', ['state'], (gauge) => {
    for (const [state, count] of Object.entries(alertListing.countStates(now()))) gauge.set({ state }, count);
  });
  metrics.gauge('alertmanager_silences', 'How many silences there are by state.', ['state'], (gauge) => {
    const counts = countSilenceStates(silences.all(), now());
    for (const [state, count] of Object.entries(counts)) gauge.set({ state }, count);
  });
  metrics.gauge('alertmanager_dispatcher_aggregation_groups', 'How many groups there are.', [], (gauge) =>
    gauge.set(groups.size),
  );
  metrics.gauge('alertmanager_nflog_entries', 'How many groups the notification log knows of.', [], (gauge) =>
    gauge.set(notificationLog.size),
  );
}

function addConfigMetrics(number: AddNumber, { config, plan }: AlertMetricsSources): void {
  number('alertmanager_receivers', 'How many receivers are configured.', () => config.current.receivers.length);
  number('alertmanager_integrations', 'How many integrations are in use.', () => plan.current.integrationCount);
  number(
    'alertmanager_inhibition_rules',
    'How many inhibition rules there are.',
    () => config.current.inhibitRules.length,
  );
  number(
    'alertmanager_config_hash',
    'The beginning of the hash of the configuration in force.',
    () => config.current.hash,
  );
  number('alertmanager_config_last_reload_successful', 'Whether the last reload of the configuration worked.', () =>
    Number(config.reloadState.successful),
  );
  number(
    'alertmanager_config_last_reload_success_timestamp_seconds',
    'When the configuration was last reloaded with success.',
    () => config.reloadState.succeededAt / 1000,
  );
}

function addClusterMetrics(metrics: Metrics, number: AddNumber, { member }: AlertMetricsSources): void {
  number('alertmanager_cluster_enabled', 'Whether clustering is switched on.', () => Number(member !== undefined));
  if (!member) return;
  number('alertmanager_cluster_members', 'How many members the cluster has: this one.', () => 1);
  number('alertmanager_cluster_failed_peers', 'How many members of the cluster have failed.', () => 0);
  number('alertmanager_cluster_health_score', 'How healthy the cluster is; 0 is best.', () => 0);
  number('alertmanager_peer_position', 'The place of this member in the order in which members notify.', () => 0);
  metrics.gauge('alertmanager_cluster_peer_info', 'Always 1, with the name of this member.', ['peer'], (gauge) =>
    gauge.set({ peer: member.name }, 1),
  );
}

function createIntakeCounts(metrics: Metrics): IntakeCounts {
  const received = metrics.counter('alertmanager_alerts_received_total', 'How many alerts were received.', [
    'status',
    'version',
  ]);
  const invalid = metrics.counter(
    'alertmanager_alerts_invalid_total',
    'How many of the received alerts were invalid.',
    ['version'],
  );
  const limited = metrics.counter('alertmanager_alerts_limited_total', 'How many alerts a limit kept out.');
  // Series that exist from the start let rate() see their first increase.
  const firing = received.labels({ status: 'firing', version: 'v2' });
  const resolved = received.labels({ status: 'resolved', version: 'v2' });
  const refused = invalid.labels({ version: 'v2' });
  for (const counter of [firing, resolved, refused]) counter.inc(0);
  return {
    received: (status) => (status === 'firing' ? firing : resolved).inc(),
    invalid: () => refused.inc(),
    limited: () => limited.inc(),
  };
}
