import { Distribution } from '../../kernel/metrics/distribution.ts';
import type { Metrics } from '../../kernel/metrics/metrics.ts';
import type { ActiveConfig } from '../config/active-config.ts';
import type { ClusterMember, VersionInfo } from '../contract/wire.ts';
import type { ActivePlan } from '../pipeline/active-plan.ts';
import type { AlertState } from '../state/alert-state.ts';
import type { Nodes } from '../state/nodes.ts';
import type { IntakeCounts } from '../store/intake.ts';
import { addClusterMetrics } from './cluster-metrics.ts';
import { addStoreMetrics } from './store-metrics.ts';

export interface AlertMetricsSources {
  readonly startedAt: number;
  readonly version: VersionInfo;
  /** Undefined: clustering is switched off. */
  readonly member: ClusterMember | undefined;
  /** Undefined: this node is the only one. */
  readonly nodes: Nodes | undefined;
  readonly state: AlertState;
  readonly config: ActiveConfig;
  readonly plan: ActivePlan;
  readonly now: () => number;
}

/** Alertmanager's metrics of alerts and silences, under its names. Values are read at each scrape. */
export function addAlertMetrics(metrics: Metrics, sources: AlertMetricsSources): IntakeCounts {
  const { startedAt, version } = sources;
  const number = (name: string, help: string, read: () => number) =>
    metrics.gauge(name, help, [], (gauge) => gauge.set(read()));
  metrics.process(startedAt);
  addBuildInfo(metrics, version);
  addStateMetrics(metrics, sources);
  addStoreMetrics(metrics, sources.state, sources.now);
  addConfigMetrics(number, sources);
  addClusterMetrics(metrics, sources.member, sources.nodes);
  return createIntakeCounts(metrics);
}

/** Returns a counter for GETs that were refused because of the concurrency limit. */
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

/** Always 0: groups are not limited, and no other thread creates them. */
const NEVER_IN_DISPATCH: Readonly<Record<string, string>> = {
  limit_reached: 'How often a limit prevented the creation of a group: there is none.',
  creation_retries: 'How often the creation of a group was retried because of a concurrent one.',
  creation_given_up: 'How many alerts were dropped because no group could be created for them.',
};

type AddNumber = (name: string, help: string, read: () => number) => void;

function addBuildInfo(metrics: Metrics, { version, revision, branch, goVersion }: VersionInfo): void {
  const { platform, arch } = process;
  const labels = { version, revision, branch, goversion: goVersion, goos: platform, goarch: arch, tags: 'unknown' };
  const names = Object.keys(labels) as (keyof typeof labels)[];
  metrics.gauge('alertmanager_build_info', 'Always 1, with the version that runs.', names, (gauge) =>
    gauge.set(labels, 1),
  );
}

function addStateMetrics(metrics: Metrics, { state, now }: AlertMetricsSources): void {
  const { alertListing, groups, limit } = state;
  metrics.gauge('alertmanager_alerts', 'How many alerts there are by state.', ['state'], (gauge) => {
    for (const [state, count] of Object.entries(alertListing.countStates(now()))) gauge.set({ state }, count);
  });
  metrics.gauge('alertmanager_dispatcher_aggregation_groups', 'How many groups there are.', [], (gauge) =>
    gauge.set(groups.size),
  );
  metrics.gauge('alertmanager_alerts_per_alert_limit', 'How many alerts of one name are taken in.', [], (gauge) =>
    gauge.set(limit.limit),
  );
  for (const [name, help] of Object.entries(NEVER_IN_DISPATCH))
    metrics.counter(`alertmanager_dispatcher_aggregation_group_${name}_total`, help);
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
    Number(config.reloadState.refusal === undefined),
  );
  number(
    'alertmanager_config_last_reload_success_timestamp_seconds',
    'When the configuration was last reloaded with success.',
    () => config.reloadState.succeededAt / 1000,
  );
}

/** Plain numbers: a counter of the registry costs as much as all other work on an alert. */
function createIntakeCounts(metrics: Metrics): IntakeCounts {
  const counts = { firing: 0, resolved: 0, invalid: 0, limited: 0 };
  const labels = ['status', 'version'] as const;
  metrics.total('alertmanager_alerts_received_total', 'How many alerts were received.', labels, (counter) => {
    for (const status of ['firing', 'resolved'] as const) counter.inc({ status, version: 'v2' }, counts[status]);
  });
  const invalid = 'How many of the received alerts were invalid.';
  metrics.total('alertmanager_alerts_invalid_total', invalid, ['version'], (counter) =>
    counter.inc({ version: 'v2' }, counts.invalid),
  );
  metrics.total('alertmanager_alerts_limited_total', 'How many alerts a limit kept out.', [], (counter) =>
    counter.inc(counts.limited),
  );
  const processed = addProcessed(metrics);
  return {
    received(status) {
      counts[status]++;
    },
    invalid() {
      counts.invalid++;
    },
    limited() {
      counts.limited++;
    },
    processed: (count, seconds) => processed.add(seconds, count),
  };
}

/** In Alertmanager every subscriber to alerts has a channel of its own; here listeners are called in turn. */
const SUBSCRIBERS = ['dispatcher', 'inhibitor'] as const;

function addProcessed(metrics: Metrics): Distribution {
  const processed = new Distribution();
  metrics.distribution(
    'alertmanager_dispatcher_alert_processing_duration_seconds',
    'How long it took to merge alerts and to put them into their groups, in seconds.',
    processed,
  );
  metrics.total(
    'alertmanager_alerts_subscriber_channel_writes_total',
    'How many alerts were passed to subscribers to all alerts.',
    ['subscriber'],
    (counter) => {
      for (const subscriber of SUBSCRIBERS) counter.inc({ subscriber }, processed.count);
    },
  );
  return processed;
}
