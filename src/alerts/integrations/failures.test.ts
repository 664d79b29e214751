import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { FakeClock } from '../../testing/fake-clock.ts';
import { type SinkAnswer, startHttpSink } from '../../testing/http/sink.ts';
import { ConfigNode } from '../config/config-node.ts';
import { DEFAULT_GLOBAL } from '../config/global-config.ts';
import { notificationOf, notifiedAlert, notifierContext } from '../testing/notifier-parts.ts';
import { discordIntegration } from './discord.ts';
import { createHttpClient } from './http/client.ts';
import { msteamsIntegration } from './msteams.ts';
import { msteamsv2Integration } from './msteamsv2.ts';
import type { Delivery, FailureReason, Integration, Notifier, NotifierContext } from './notifier.ts';
import { opsgenieIntegration } from './opsgenie.ts';
import { createPagerduty, pagerdutyIntegration } from './pagerduty.ts';
import { readSecretFile } from './secret-file.ts';
import { slackIntegration } from './slack/slack.ts';
import { webhookIntegration } from './webhook.ts';

// What each integration makes of what can go wrong on a real connection, through the real client.

const SECRET = 's3cr3t';

interface Sender {
  readonly name: string;
  readonly integration: Integration;
  /** `URL` stands for that of the service. */
  readonly yaml: string;
  /** Statuses beside 5xx that are tried again. */
  readonly alsoRetried?: readonly number[];
  /** The answer that it takes for a success. */
  readonly success?: SinkAnswer;
  /** Whether `timeout` is among its fields. */
  readonly hasTimeout?: true;
  readonly create?: (config: unknown, context: NotifierContext, url: string) => Notifier;
}

const details = '{firing: a, resolved: b, num_firing: c, num_resolved: d}';
const SENDERS: readonly Sender[] = [
  { name: 'webhook', integration: webhookIntegration, yaml: `url: "URL/${SECRET}"`, hasTimeout: true },
  {
    name: 'slack',
    integration: slackIntegration,
    yaml: `api_url: "URL/${SECRET}"`,
    success: { body: 'ok' },
    hasTimeout: true,
  },
  {
    name: 'pagerduty v2',
    integration: pagerdutyIntegration,
    yaml: `{routing_key: ${SECRET}, url: "URL", details: ${details}}`,
    alsoRetried: [429],
    success: { status: 202 },
    hasTimeout: true,
  },
  {
    name: 'pagerduty v1',
    integration: pagerdutyIntegration,
    yaml: `{service_key: ${SECRET}, details: ${details}}`,
    alsoRetried: [403],
    hasTimeout: true,
    create: (config, context, url) => createPagerduty(config as Parameters<typeof createPagerduty>[0], context, url),
  },
  {
    name: 'opsgenie',
    integration: opsgenieIntegration,
    yaml: `{api_key: ${SECRET}, api_url: "URL"}`,
    alsoRetried: [429],
    success: { status: 202 },
  },
  { name: 'msteams', integration: msteamsIntegration, yaml: `webhook_url: "URL/${SECRET}"` },
  { name: 'msteamsv2', integration: msteamsv2Integration, yaml: `webhook_url: "URL/${SECRET}"` },
  { name: 'discord', integration: discordIntegration, yaml: `webhook_url: "URL/${SECRET}"`, success: { status: 204 } },
] as readonly Sender[];

function createNotifier(t: TestContext, { integration, yaml, create }: Sender, url: string, clock = new FakeClock()) {
  const completed = integration.complete(
    integration.kind.read(ConfigNode.parse(yaml.replace('URL', url))),
    DEFAULT_GLOBAL,
  );
  assert.ok(completed.ok);
  const context = notifierContext({
    clock,
    openHttp(config) {
      const client = createHttpClient(config, {
        clock,
        readSecret: readSecretFile,
        environment: {},
        userAgent: 'test',
      });
      t.after(() => client.close());
      return client;
    },
  });
  return create ? create(completed.value, context, url) : integration.create(completed.value, context);
}

const notification = notificationOf([notifiedAlert({ alertname: 'Down' })]);

function assertFailure(delivery: Delivery, expected: { retry: boolean; reason: FailureReason; error: RegExp }) {
  assert.ok(!delivery.ok);
  assert.deepEqual([delivery.retry, delivery.reason], [expected.retry, expected.reason]);
  assert.match(delivery.error, expected.error);
  assert.doesNotMatch(delivery.error, new RegExp(`${SECRET}|127\\.0\\.0\\.1`));
}

const statuses: [status: number, reason: FailureReason][] = [
  [400, 'clientError'],
  [401, 'authError'],
  [403, 'authError'],
  [404, 'clientError'],
  [429, 'rateLimited'],
  [500, 'serverError'],
  [503, 'serverError'],
];

for (const sender of SENDERS) {
  const { name } = sender;
  const { signal: endless } = new AbortController();

  test(`${name}: what the service takes is delivered`, async (t) => {
    const sink = await startHttpSink(t, () => sender.success ?? {});
    assert.deepEqual(await createNotifier(t, sender, sink.url).notify(notification, endless), { ok: true });
    assert.equal(sink.requests[0]?.method, 'POST');
    assert.equal(sink.requests[0]?.headers['content-type'], 'application/json');
  });

  for (const [status, reason] of statuses) {
    test(`${name}: a status of ${status}`, async (t) => {
      // A service may quote the key that it was shown, and many quote the path that they were asked for.
      const headers = { 'retry-after': '7' };
      const sink = await startHttpSink(t, ({ path }) => ({
        status,
        headers,
        body: sender.yaml.includes('_key') ? `no, ${SECRET}!` : `Cannot POST ${path}`,
      }));
      const delivery = await createNotifier(t, sender, sink.url).notify(notification, endless);
      const retry = status >= 500 || (sender.alsoRetried?.includes(status) ?? false);
      assertFailure(delivery, { retry, reason, error: new RegExp(`unexpected status code ${status}`) });
      assert.ok(!delivery.ok && delivery.retryAfterMs === 7000);
    });
  }

  test(`${name}: a connection that is cut is tried again`, async (t) => {
    const sink = await startHttpSink(t, () => 'reset');
    const delivery = await createNotifier(t, sender, sink.url).notify(notification, endless);
    assertFailure(delivery, { retry: true, reason: 'other', error: /connection (closed|reset) by the other side/ });
  });

  const isAnswerRead = name === 'slack';
  test(`${name}: an answer that breaks off ${isAnswerRead ? 'is tried again' : 'suffices, if its status does'}`, async (t) => {
    const headers = { 'content-length': '50', connection: 'close' };
    const sink = await startHttpSink(t, () => ({ headers, body: 'o' }));
    const delivery = await createNotifier(t, sender, sink.url).notify(notification, endless);
    if (!isAnswerRead) assert.deepEqual(delivery, { ok: true });
    else assertFailure(delivery, { retry: true, reason: 'other', error: /the answer is not as long as it says/ });
  });

  test(`${name}: nobody listens`, async (t) => {
    const delivery = await createNotifier(t, sender, 'http://127.0.0.1:1').notify(notification, endless);
    assertFailure(delivery, { retry: true, reason: 'other', error: /connection refused/ });
  });

  test(`${name}: a service that hangs is given up at the deadline`, async (t) => {
    const sink = await startHttpSink(t, () => 'hang');
    const controller = new AbortController();
    const told = createNotifier(t, sender, sink.url).notify(notification, controller.signal);
    await sink.received(1);
    controller.abort(new DOMException('late', 'TimeoutError'));
    assertFailure(await told, { retry: true, reason: 'contextDeadlineExceeded', error: /context deadline exceeded/ });
  });

  if (sender.hasTimeout) {
    test(`${name}: a service that hangs is given up after the timeout of the integration`, async (t) => {
      const sink = await startHttpSink(t, () => 'hang');
      const clock = new FakeClock();
      const yaml = sender.yaml.startsWith('{')
        ? sender.yaml.replace('{', '{timeout: 2s, ')
        : `{${sender.yaml}, timeout: 2s}`;
      const told = createNotifier(t, { ...sender, yaml }, sink.url, clock).notify(notification, endless);
      await sink.received(1);
      clock.advance(2000);
      assertFailure(await told, { retry: true, reason: 'other', error: /configured \w+ timeout reached \(2s\)/ });
    });
  }
}
