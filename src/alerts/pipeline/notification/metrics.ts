import type { Metrics } from '../../../kernel/metrics/metrics.ts';
import { FAILURE_REASONS, type FailureReason } from '../../integrations/notifier.ts';
import { SUPPRESSION_REASONS, type SuppressionReason } from '../suppression.ts';

/** Counts notifications, under Alertmanager's names. */
export interface NotificationMetrics {
  attempted(integration: string, receiver: string): void;
  failed(integration: string, receiver: string, reason: FailureReason): void;
  /** A template could not be rendered; the notification had other words in its place. */
  templateFailed(integration: string, receiver: string): void;
  /** One request to a service. */
  requested(integration: string, receiver: string, ok: boolean, latencyMs: number): void;
  suppressed(reason: SuppressionReason, count: number): void;
}

const LATENCY_BUCKETS_S = [1, 5, 10, 15, 20];

/**
 * `integrations` have series from the start, so that rate() sees their first increase. With `receivers`, an
 * --enable-feature, every series has a label with the receiver's name.
 */
export function createNotificationMetrics(
  metrics: Metrics,
  integrations: readonly string[],
  options: { readonly withReceivers: boolean },
): NotificationMetrics {
  const { sent, failed, templateErrors, requests, failedRequests, latency } = addCounters(
    metrics,
    options.withReceivers,
  );
  const suppressed = metrics.counter(
    'alertmanager_notifications_suppressed_total',
    'How many alerts were left out of notifications, by reason.',
    ['reason'],
  );
  const labels = (integration: string, receiver: string): Record<string, string> =>
    options.withReceivers ? { integration, receiver_name: receiver } : { integration };
  for (const reason of SUPPRESSION_REASONS) suppressed.inc({ reason }, 0);
  for (const integration of options.withReceivers ? [] : integrations) {
    for (const counter of [sent, templateErrors, requests, failedRequests]) counter.inc({ integration }, 0);
    for (const reason of FAILURE_REASONS) failed.inc({ integration, reason }, 0);
    latency.of({ integration });
  }
  return {
    attempted: (integration, receiver) => sent.inc(labels(integration, receiver)),
    failed: (integration, receiver, reason) => failed.inc({ ...labels(integration, receiver), reason }),
    templateFailed: (integration, receiver) => templateErrors.inc(labels(integration, receiver)),
    requested(integration, receiver, ok, latencyMs) {
      const of = labels(integration, receiver);
      requests.inc(of);
      if (!ok) failedRequests.inc(of);
      latency.of(of).add(latencyMs / 1000);
    },
    suppressed: (reason, count) => suppressed.inc({ reason }, count),
  };
}

function addCounters(metrics: Metrics, withReceivers: boolean) {
  const names = withReceivers ? (['integration', 'receiver_name'] as const) : (['integration'] as const);
  const sent = metrics.counter('alertmanager_notifications_total', 'How many notifications were attempted.', names);
  const failed = metrics.counter(
    'alertmanager_notifications_failed_total',
    'How many notifications failed permanently.',
    [...names, 'reason'],
  );
  const templateErrors = metrics.counter(
    'opsdeck_notification_template_errors_total',
    'How many notifications had other words in place of a template that could not be rendered.',
    names,
  );
  const requests = metrics.counter(
    'alertmanager_notification_requests_total',
    'How many requests were made for notifications.',
    names,
  );
  const failedRequests = metrics.counter(
    'alertmanager_notification_requests_failed_total',
    'How many requests for notifications failed.',
    names,
  );
  const latency = metrics.histogram(
    'alertmanager_notification_latency_seconds',
    'How long requests for notifications took, in seconds.',
    LATENCY_BUCKETS_S,
    names,
  );
  return { sent, failed, templateErrors, requests, failedRequests, latency };
}
