import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { FakeClock } from '../../testing/fake/clock.ts';
import { type HttpSink, type SinkAnswer, startHttpSink } from '../../testing/http/sink.ts';
import { ConfigNode } from '../config/config-node.ts';
import { globalConfig } from '../config/global-config.ts';
import { createHttpClient } from '../integrations/http/client.ts';
import type { Delivery, FailureReason, Integration, Notifier, NotifierContext } from '../integrations/notifier.ts';
import { readSecretFile } from '../integrations/secret-file.ts';
import { Templates } from '../template/templates.ts';
import { configOf, printedOf } from './integration.ts';
import { notificationOf, notifiedAlert, notifierContext, resolvedAlert } from './notifier-parts.ts';

/** A request in the form that the service's public documentation describes, as it arrives at a server. */
export interface DocumentedRequest {
  readonly name: string;
  /** Where the form is described. */
  readonly source: string;
  /** A flow mapping; `URL` stands for the service's. */
  readonly yaml: string;
  /** Of the only alert; firing by default. */
  readonly resolved?: true;
  readonly answer: SinkAnswer;
  /** `POST /path` */
  readonly request: string;
  /** Beside `content-type: application/json`, in lower case; undefined: the header must be absent. */
  readonly headers?: Readonly<Record<string, string | undefined>>;
  /** A text is compared byte for byte, anything else as JSON. */
  readonly body: unknown;
}

export interface IntegrationExample<C> {
  /** The integration's name by default. */
  readonly name?: string;
  /** The shortest configuration, as a flow mapping; `URL` stands for the service's, `s3cr3t` for its secret. */
  readonly yaml: string;
  /** At least one; undefined where the file tests requests and failures itself: another protocol, or several requests. */
  readonly documented: readonly [DocumentedRequest, ...DocumentedRequest[]] | undefined;
  /** Whether a status other than 2xx is retried; 5xx by default. */
  readonly isRetried?: (status: number) => boolean;
  /** Whether the body of an answer decides on success. */
  readonly readsAnswer?: true;
  /** Of the global HTTP configuration, `proxy_url` holds beside an own one. */
  readonly inheritsProxy?: true;
  /** For a service with a fixed address. */
  readonly create?: (config: C, context: NotifierContext, url: string) => Notifier;
}

const SECRET = 's3cr3t';

/** What every integration must do. Each has a test file beside it that calls this. */
export function testIntegration<C>(integration: Integration<C>, example: IntegrationExample<C>): void {
  testConfiguration(integration, example);
  for (const one of example.documented ?? []) testDocumented(integration, example, one);
  if (example.documented) testFailures(integration, example);
}

function testConfiguration<C>(
  integration: Integration<C>,
  { name = integration.name, ...example }: IntegrationExample<C>,
) {
  const yaml = example.yaml.replace('URL', 'http://service.example.org');

  test(`${name}: the printed form has no secret and can be read again`, () => {
    assert.ok(yaml.includes(SECRET), 'the example has no s3cr3t');
    const { printed, again } = printedOf(integration, configOf(integration, yaml));
    assert.doesNotMatch(JSON.stringify(printed), new RegExp(SECRET));
    assert.deepEqual(printedOf(integration, again).printed, printed);
  });

  test(`${name}: every default text renders`, () => {
    const templates = Templates.parse([]);
    assert.ok(templates.ok);
    const data = notifierContext().dataOf(notificationOf([notifiedAlert({ alertname: 'Down' })]));
    for (const text of textsIn(configOf(integration, yaml))) {
      if (text.includes('{{')) assert.equal(typeof templates.value.text(text, data), 'string');
    }
  });

  if (yaml.includes('http_config') || !('httpConfig' in (configOf(integration, yaml) as object))) return;
  test(`${name}: its own HTTP configuration replaces the whole global one`, () => {
    const global = globalConfig.read(ConfigNode.parse('http_config: {proxy_url: http://p, follow_redirects: false}'));
    const read = (text: string) => configOf(integration, text, global) as { httpConfig: Record<string, unknown> };
    assert.equal(read(yaml).httpConfig.proxyUrl, 'http://p');
    const own = read(yaml.replace('{', '{http_config: {enable_http2: false}, ')).httpConfig;
    assert.deepEqual([own.enableHttp2, own.followRedirects], [false, true]);
    assert.equal(own.proxyUrl, example.inheritsProxy ? 'http://p' : undefined);
  });
}

function textsIn(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(textsIn) : [];
}

function testDocumented<C>(integration: Integration<C>, example: IntegrationExample<C>, one: DocumentedRequest) {
  test(`${one.name} has the documented form (${one.source})`, async (t) => {
    const sink = await startHttpSink(t, () => one.answer);
    const notifier = createNotifier(t, integration, { ...example, yaml: one.yaml }, sink.url);
    const alert = (one.resolved ? resolvedAlert : notifiedAlert)({ alertname: 'Down' });
    assert.deepEqual(await notifier.notify(notificationOf([alert]), endless), { ok: true });
    assert.equal(sink.requests.length, 1);
    const [request] = sink.requests;
    assert.equal(`${request?.method} ${request?.path}`, one.request);
    const headers = { 'content-type': 'application/json', authorization: undefined, ...one.headers };
    for (const [header, value] of Object.entries(headers)) assert.equal(request?.headers[header], value, header);
    assert.deepEqual(typeof one.body === 'string' ? request?.body : request?.json, one.body);
  });
}

function createNotifier<C>(
  t: TestContext,
  integration: Integration<C>,
  { yaml, create = integration.create }: IntegrationExample<C>,
  url: string,
  clock = new FakeClock(),
): Notifier {
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
  return create(configOf(integration, yaml.replace('URL', url)), context, url);
}

const { signal: endless } = new AbortController();
const notification = notificationOf([notifiedAlert({ alertname: 'Down' })]);

const STATUSES: readonly (readonly [status: number, reason: FailureReason])[] = [
  [400, 'clientError'],
  [401, 'authError'],
  [403, 'authError'],
  [404, 'clientError'],
  [429, 'rateLimited'],
  [500, 'serverError'],
  [503, 'serverError'],
];

function assertFailure(delivery: Delivery, expected: { retry: boolean; reason: FailureReason; error: RegExp }) {
  assert.ok(!delivery.ok);
  assert.deepEqual([delivery.retry, delivery.reason], [expected.retry, expected.reason]);
  assert.match(delivery.error, expected.error);
  assert.doesNotMatch(delivery.error, new RegExp(`${SECRET}|127\\.0\\.0\\.1`));
}

/** The outcome of each fault that a real connection can have, through the real client. */
function testFailures<C>(integration: Integration<C>, example: IntegrationExample<C>) {
  const { name = integration.name, yaml, isRetried = (status) => status >= 500, readsAnswer } = example;
  const notifyAt = (t: TestContext, { url }: Pick<HttpSink, 'url'>, signal = endless) =>
    createNotifier(t, integration, example, url).notify(notification, signal);

  for (const [status, reason] of STATUSES) {
    test(`${name}: a status of ${status}`, async (t) => {
      // A service may quote the key of the request, and many quote its path.
      const sink = await startHttpSink(t, ({ path }) => ({
        status,
        headers: { 'retry-after': '7' },
        body: yaml.includes(`/${SECRET}`) ? `Cannot POST ${path}` : `no, ${SECRET}!`,
      }));
      const delivery = await notifyAt(t, sink);
      assertFailure(delivery, {
        retry: isRetried(status),
        reason,
        error: new RegExp(`unexpected status code ${status}`),
      });
      assert.ok(!delivery.ok && delivery.retryAfterMs === 7000);
    });
  }

  test(`${name}: a connection that is cut is tried again`, async (t) => {
    const delivery = await notifyAt(t, await startHttpSink(t, () => 'reset'));
    assertFailure(delivery, { retry: true, reason: 'other', error: /connection (closed|reset) by the other side/ });
  });

  test(`${name}: an answer that breaks off ${readsAnswer ? 'is tried again' : 'suffices, if its status does'}`, async (t) => {
    const headers = { 'content-length': '50', connection: 'close' };
    const delivery = await notifyAt(t, await startHttpSink(t, () => ({ headers, body: 'o' })));
    if (!readsAnswer) assert.deepEqual(delivery, { ok: true });
    else assertFailure(delivery, { retry: true, reason: 'other', error: /the answer is not as long as it says/ });
  });

  test(`${name}: no listener`, async (t) => {
    const delivery = await notifyAt(t, { url: 'http://127.0.0.1:1' });
    assertFailure(delivery, { retry: true, reason: 'other', error: /connection refused/ });
  });

  test(`${name}: a request to a hanging service is aborted at the deadline`, async (t) => {
    const sink = await startHttpSink(t, () => 'hang');
    const controller = new AbortController();
    const sent = notifyAt(t, sink, controller.signal);
    await sink.received(1);
    controller.abort(new DOMException('late', 'TimeoutError'));
    assertFailure(await sent, { retry: true, reason: 'contextDeadlineExceeded', error: /context deadline exceeded/ });
  });

  const config = configOf(integration, yaml.replace('URL', 'http://service.example.org')) as object;
  if (!('timeout' in config)) return;
  test(`${name}: a request to a hanging service is aborted after the timeout of the integration`, async (t) => {
    const sink = await startHttpSink(t, () => 'hang');
    const clock = new FakeClock();
    const limited = { ...example, yaml: yaml.replace('{', '{timeout: 2s, ') };
    const sent = createNotifier(t, integration, limited, sink.url, clock).notify(notification, endless);
    await sink.received(1);
    clock.advance(2000);
    assertFailure(await sent, { retry: true, reason: 'other', error: /configured [\w.]+ timeout reached \(2s\)/ });
  });
}
