import type { Clock } from '../../kernel/clock.ts';
import { trusting } from '../../kernel/http-client/tls.ts';
import type { Log } from '../../kernel/log.ts';
import type { MetricsSender } from '../../kernel/tracing/metrics-sender.ts';
import type { RelayOptions } from '../config/relay-options.ts';
import type { RelayMetrics } from '../metrics/metrics.ts';

/** The time in which the last metrics must be sent. */
const CLOSE_LIMIT_MS = 5_000;

/** Sends the metrics to the collector of the options, if there is one; returns a function that sends the last ones. */
export async function openOtlp(
  { otlp, proxy }: RelayOptions,
  metrics: RelayMetrics,
  clock: Clock,
  log: Log,
): Promise<() => Promise<void>> {
  if (!otlp) return async () => {};
  const startedAt = clock.now();
  const { sendMetrics } = await import('../../kernel/tracing/metrics-sender.ts');
  const files = proxy?.caCertFiles ?? [];
  const sender: MetricsSender = sendMetrics({
    ...otlp,
    headers: async () => otlp.headers,
    connections: { variables: process.env, tls: files.length === 0 ? undefined : () => trusting(files) },
    version: OPSDECK_VERSION,
    startedAt,
    read: () => metrics.read(),
    clock,
    log,
  });
  return () => sender.close(CLOSE_LIMIT_MS);
}
