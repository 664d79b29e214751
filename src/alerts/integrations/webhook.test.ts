import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { startHttpSink } from '../../testing/http/sink.ts';
import { ConfigNode } from '../config/config-node.ts';
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
