import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { startHttpSink } from '../../testing/http/sink.ts';
import { ConfigNode } from '../config/config-node.ts';
import { testIntegration } from '../testing/integration-contract.ts';
import { notificationOf, notifiedAlert, notifierContext, openTestClient } from '../testing/notifier-parts.ts';
import { webhookIntegration } from './webhook.ts';

async function startWebhook(t: TestContext) {
  const sink = await startHttpSink(t);
  const config = webhookIntegration.kind.read(ConfigNode.parse(`url: ${sink.url}/hook`));
  const notifier = webhookIntegration.create(config, notifierContext({ openHttp: () => openTestClient(t) }));
  const notify = async (id?: string) => {
    const notification = { ...notificationOf([notifiedAlert({ alertname: 'Down' })]), id };
    assert.deepEqual(await notifier.notify(notification, new AbortController().signal), { ok: true });
    return sink.requests.at(-1)?.headers['idempotency-key'];
  };
  return { notify };
}

test('a notification carries its identity as its idempotency key', async (t) => {
  const { notify } = await startWebhook(t);
  assert.equal(await notify('0123456789abcdef'), '0123456789abcdef');
  assert.equal(await notify('fedcba9876543210'), 'fedcba9876543210');
});

test('a drill, which is never the same as another, has none', async (t) => {
  const { notify } = await startWebhook(t);
  assert.equal(await notify(), undefined);
});

testIntegration(webhookIntegration, {
  yaml: '{url: URL/s3cr3t}',
  documented: [
    {
      name: 'the message of a webhook',
      source: 'https://prometheus.io/docs/alerting/latest/configuration/#webhook_config',
      yaml: '{url: URL/hook}',
      answer: {},
      request: 'POST /hook',
      body: {
        receiver: 'team',
        status: 'firing',
        alerts: [
          {
            status: 'firing',
            labels: { alertname: 'Down' },
            annotations: {},
            startsAt: '2026-01-01T00:00:00Z',
            endsAt: '0001-01-01T00:00:00Z',
            generatorURL: '',
            fingerprint: '0123456789abcdef',
          },
        ],
        notification_reason: 'first notification',
        groupLabels: { alertname: 'Down' },
        commonLabels: { alertname: 'Down' },
        commonAnnotations: {},
        routeLabels: {},
        externalURL: 'http://alerts.example.org',
        version: '4',
        groupKey: '{}:{alertname="Down"}',
        truncatedAlerts: 0,
      },
    },
  ],
});
