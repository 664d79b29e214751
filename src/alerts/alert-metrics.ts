import { Metrics } from '../kernel/metrics.ts';
import type { IntakeCounts } from './alert-intake.ts';
import type { VersionInfo } from './contract/status.ts';
import type { AlertStatus } from './domain/alert-status.ts';
import type { SilenceState } from './domain/silence.ts';

export interface AlertMetricsSources {
  readonly startedAt: number;
  readonly version: VersionInfo;
  readonly alerts: () => Readonly<Record<AlertStatus['state'], number>>;
  readonly silences: () => Readonly<Record<SilenceState, number>>;
  readonly receivers: () => number;
  readonly reload: () => { readonly successful: boolean; readonly succeededAt: number };
}

/** Alertmanager's metrics, under its names, of what this version does. */
export function createAlertMetrics(sources: AlertMetricsSources): {
  readonly metrics: Metrics;
  readonly counts: IntakeCounts;
} {
  const metrics = new Metrics();
  metrics.gauge(
    'process_start_time_seconds',
    'Start time of the process since the Unix epoch, in seconds.',
    [],
    (gauge) => gauge.set(sources.startedAt / 1000),
  );
  metrics.gauge('alertmanager_build_info', 'Always 1, with the version that runs.', ['version', 'revision'], (gauge) =>
    gauge.set({ version: sources.version.version, revision: sources.version.revision }, 1),
  );
  metrics.gauge('alertmanager_alerts', 'How many alerts there are by state.', ['state'], (gauge) => {
    for (const [state, count] of Object.entries(sources.alerts())) gauge.set({ state }, count);
  });
  metrics.gauge('alertmanager_silences', 'How many silences there are by state.', ['state'], (gauge) => {
    for (const [state, count] of Object.entries(sources.silences())) gauge.set({ state }, count);
  });
  metrics.gauge('alertmanager_receivers', 'Number of configured receivers.', [], (gauge) =>
    gauge.set(sources.receivers()),
  );
  metrics.gauge(
    'alertmanager_config_last_reload_successful',
    'Whether the last reload of the configuration worked.',
    [],
    (gauge) => gauge.set(Number(sources.reload().successful)),
  );
  metrics.gauge(
    'alertmanager_config_last_reload_success_timestamp_seconds',
    'When the configuration was last reloaded with success.',
    [],
    (gauge) => gauge.set(sources.reload().succeededAt / 1000),
  );
  return { metrics, counts: createIntakeCounts(metrics) };
}

function createIntakeCounts(metrics: Metrics): IntakeCounts {
  const received = metrics.counter('alertmanager_alerts_received_total', 'The total number of received alerts.', [
    'status',
    'version',
  ]);
  const invalid = metrics.counter(
    'alertmanager_alerts_invalid_total',
    'The total number of received alerts that were invalid.',
    ['version'],
  );
  const limited = metrics.counter(
    'alertmanager_alerts_limited_total',
    'The total number of alerts that a limit kept out.',
  );
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
