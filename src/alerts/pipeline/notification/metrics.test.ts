import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Metrics } from '../../../kernel/metrics/metrics.ts';
import { createNotificationMetrics, type NotificationMetrics } from './metrics.ts';

async function valuesAfter(withReceivers: boolean, work: (counts: NotificationMetrics) => void): Promise<string[]> {
  const metrics = new Metrics();
  work(createNotificationMetrics(metrics, ['webhook', 'email'], { withReceivers }));
  const lines = (await metrics.render()).split('\n');
  return lines.filter((line) => line.startsWith('alertmanager_') && !/ 0$/.test(line)).sort();
}

function someWork(counts: NotificationMetrics): void {
  counts.attempted('webhook', 'team');
  counts.requested('webhook', 'team', false, 1_500);
  counts.requested('webhook', 'team', true, 500);
  counts.failed('email', 'team', 'serverError');
  counts.suppressed('silence', 3);
}

test('notifications, requests, failures and their time are counted by integration', async () => {
  assert.deepEqual(await valuesAfter(false, someWork), [
    'alertmanager_notification_latency_seconds_bucket{le="+Inf",integration="webhook"} 2',
    'alertmanager_notification_latency_seconds_bucket{le="1",integration="webhook"} 1',
    'alertmanager_notification_latency_seconds_bucket{le="10",integration="webhook"} 2',
    'alertmanager_notification_latency_seconds_bucket{le="15",integration="webhook"} 2',
    'alertmanager_notification_latency_seconds_bucket{le="20",integration="webhook"} 2',
    'alertmanager_notification_latency_seconds_bucket{le="5",integration="webhook"} 2',
    'alertmanager_notification_latency_seconds_count{integration="webhook"} 2',
    'alertmanager_notification_latency_seconds_sum{integration="webhook"} 2',
    'alertmanager_notification_requests_failed_total{integration="webhook"} 1',
    'alertmanager_notification_requests_total{integration="webhook"} 2',
    'alertmanager_notifications_failed_total{integration="email",reason="serverError"} 1',
    'alertmanager_notifications_suppressed_total{reason="silence"} 3',
    'alertmanager_notifications_total{integration="webhook"} 1',
  ]);
});

test('with the setting, they are counted by receiver, too', async () => {
  const lines = await valuesAfter(true, someWork);
  assert.ok(lines.includes('alertmanager_notifications_total{integration="webhook",receiver_name="team"} 1'));
  assert.ok(
    lines.includes(
      'alertmanager_notifications_failed_total{integration="email",receiver_name="team",reason="serverError"} 1',
    ),
  );
});
