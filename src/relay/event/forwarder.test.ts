import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { httpAnswer } from '../../testing/http/client-parts.ts';
import type { SdkKind } from '../credentials.ts';
import {
  afterFlush,
  createTestForwarder,
  customEvent,
  EVENT_ENVIRONMENT,
  eventPost,
  eventsOf,
  settled,
  type TestForwarderOptions,
} from '../testing/test-forwarder.ts';

describe('events of schema 3 and above', () => {
  test('are sent in one post every flush interval, as the received bytes', async () => {
    const setup = createTestForwarder();
    await setup.post('[ {"kind":"x", "n":12345678901234567890},{"kind":"y"}\n]');
    await setup.post('[{"kind":"z","s":"\\u00e9é"}]');
    setup.clock.advance(4999);
    assert.equal(setup.host.posts.length, 0);
    setup.clock.advance(1);
    await settled(() => setup.forwarder.counts.sent === 3);
    const [post] = setup.host.posts;
    assert.equal(post?.text, '[ {"kind":"x", "n":12345678901234567890},{"kind":"y"}\n,{"kind":"z","s":"\\u00e9é"}]');
    assert.equal(setup.host.posts.length, 1);
    await afterFlush(setup, 1);
    assert.equal(setup.host.posts.length, 1, 'nothing is sent where nothing came');
  });

  test('are sent with the headers that LaunchDarkly requires', async () => {
    const setup = createTestForwarder();
    await setup.post([customEvent('a')], {
      'x-launchdarkly-tags': 'application-id/shop',
      'x-launchdarkly-payload-id': 'in',
    });
    const [post] = await afterFlush(setup, 1);
    const { 'x-launchdarkly-payload-id': id = '', ...headers } = post?.headers ?? {};
    assert.match(id, /^[\da-f]{8}-[\da-f]{4}-4[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/);
    assert.deepEqual(headers, {
      'content-type': 'application/json',
      'content-encoding': 'gzip',
      'user-agent': 'LDRelay/1.2.3',
      'x-launchdarkly-event-schema': '4',
      'x-launchdarkly-tags': 'application-id/shop',
      authorization: 'sdk-key',
    });
  });

  test('go out apart by schema and by tags', async () => {
    const setup = createTestForwarder();
    const posts: readonly [string, Record<string, string>][] = [
      ['a', { 'x-launchdarkly-event-schema': '3' }],
      ['b', { 'x-launchdarkly-event-schema': '4' }],
      ['c', { 'x-launchdarkly-tags': 'one' }],
      ['d', { 'x-launchdarkly-tags': 'two' }],
      ['e', { 'x-launchdarkly-tags': 'one' }],
    ];
    for (const [key, headers] of posts) await setup.post([customEvent(key)], headers);
    const sent = (await afterFlush(setup, 4)).map((post) => [
      eventsOf(post)
        .map(({ key }) => key)
        .join(),
      post.headers['x-launchdarkly-event-schema'],
      post.headers['x-launchdarkly-tags'],
    ]);
    assert.deepEqual(sent.sort(), [
      ['a', '3', undefined],
      ['b', '4', undefined],
      ['c,e', '4', 'one'],
      ['d', '4', 'two'],
    ]);
  });

  const PLACES: readonly [SdkKind, string, string | undefined][] = [
    ['server', 'https://events.example.com/bulk', 'sdk-key'],
    ['mobile', 'https://events.example.com/mobile', 'mob-key'],
    ['client', 'https://events.example.com/events/bulk/env-id', undefined],
  ];
  for (const [sdkKind, url, authorization] of PLACES) {
    test(`of ${sdkKind} SDKs go to the path of that kind`, async () => {
      const setup = createTestForwarder();
      await setup.post([customEvent('a')], {}, sdkKind);
      const [post] = await afterFlush(setup, 1);
      assert.equal(post?.url, url);
      assert.equal(post?.headers.authorization, authorization);
    });
  }
});

const SCHEMAS: readonly [string | undefined, boolean][] = [
  [undefined, true],
  ['', true],
  ['0', true],
  ['-4', true],
  ['four', true],
  ['1', true],
  ['2', true],
  ['3', false],
  ['4', false],
  ['5', false],
];
for (const [schema, isSummarised] of SCHEMAS) {
  test(`the schema ${schema} ${isSummarised ? 'is summarised' : 'is sent as it is'}`, async () => {
    const setup = createTestForwarder();
    const feature = { kind: 'feature', creationDate: 1, key: 'f', user: { key: 'u' }, version: 1, value: 1 };
    await setup.post([feature], { 'x-launchdarkly-event-schema': schema as string });
    const [post] = await afterFlush(setup, 1);
    const kinds = eventsOf(post).map(({ kind }) => kind);
    assert.deepEqual(kinds, isSummarised ? ['index', 'summary'] : ['feature']);
    assert.equal(post?.headers['x-launchdarkly-event-schema'], isSummarised ? '4' : schema);
  });
}

test('events announced as not summarised are summarised, for any schema', async () => {
  const setup = createTestForwarder();
  const feature = { kind: 'feature', creationDate: 1, key: 'f', context: { kind: 'user', key: 'u' }, version: 1 };
  await setup.post([feature], { 'x-launchdarkly-unsummarized': 'true' });
  await setup.post([feature], { 'x-launchdarkly-unsummarized': '' });
  const [post] = await afterFlush(setup, 1);
  const kinds = eventsOf(post).map(({ kind }) => kind);
  assert.deepEqual(kinds, ['index', 'summary']);
});

const EVENTS = '[{"kind":"custom"}]';
const GZIP = { 'content-encoding': 'gzip' };

test('a body with invalid UTF-8 does not damage the payload', async () => {
  const setup = createTestForwarder();
  await setup.post(Buffer.from([0x5b, 0x22, 0xff, 0x22, 0x5d]));
  const [post] = await afterFlush(setup, 1);
  assert.equal(post?.bytes.toString('latin1'), '["\xef\xbf\xbd"]');
});

test('a post that comes again within five minutes is accepted and not sent again', async () => {
  const setup = createTestForwarder();
  const again = { 'x-launchdarkly-payload-id': 'id-1' };
  await setup.post([customEvent('a')], again);
  assert.equal(await setup.post([customEvent('a')], again), 'accepted');
  await setup.post([customEvent('mobile')], again, 'mobile');
  await setup.post([customEvent('b')], { 'x-launchdarkly-payload-id': 'id-2' });
  await setup.post([customEvent('c')]);
  await setup.post([customEvent('c')]);
  await setup.forwarder.flush();
  assert.equal(setup.forwarder.counts.duplicates, 1);
  assert.equal(setup.forwarder.counts.sent, 5);
  setup.clock.advance(5 * 60_000);
  await setup.post([customEvent('a')], again);
  await setup.forwarder.flush();
  assert.equal(setup.forwarder.counts.sent, 6);
});

test('a post that was refused may come again', async () => {
  const setup = createTestForwarder();
  const headers = { ...GZIP, 'x-launchdarkly-payload-id': 'id-1' };
  assert.equal(await setup.post(EVENTS, headers), 'not gzip');
  assert.equal(await setup.post(gzipSync(EVENTS), headers), 'accepted');
  await setup.forwarder.flush();
  assert.equal(setup.forwarder.counts.sent, 1);
});

test('after a refusal by upstream one kind of SDK is silent, and the others are not', async () => {
  const setup = createTestForwarder();
  setup.host.answerNext(401);
  await setup.post([customEvent('a')]);
  await setup.forwarder.flush();
  await setup.post([customEvent('b'), customEvent('c')]);
  await setup.post([customEvent('m')], {}, 'mobile');
  await setup.forwarder.flush();
  const { sent, failed, dropped } = setup.forwarder.counts;
  assert.deepEqual({ sent, failed, dropped }, { sent: 1, failed: 1, dropped: 2 });
  assert.equal(setup.host.posts.length, 2);
});

test('a new key is used, and tried even where the old one was refused', async () => {
  const setup = createTestForwarder();
  setup.host.answerNext(403);
  await setup.post([customEvent('a')]);
  await setup.forwarder.flush();
  setup.forwarder.use({ ...EVENT_ENVIRONMENT, sdkKey: 'sdk-new' });
  await setup.post([customEvent('b')]);
  await setup.forwarder.flush();
  assert.deepEqual(
    setup.host.posts.map(({ headers }) => headers.authorization),
    ['sdk-key', 'sdk-new'],
  );
  assert.equal(setup.forwarder.counts.sent, 1);
});

test('a payload that is too large for upstream is lost alone', async () => {
  const setup = createTestForwarder();
  setup.host.answerNext(413);
  await setup.post([customEvent('a')]);
  await setup.forwarder.flush();
  await setup.post([customEvent('b')]);
  await setup.forwarder.flush();
  const { sent, failed, dropped } = setup.forwarder.counts;
  assert.deepEqual({ sent, failed, dropped }, { sent: 1, failed: 1, dropped: 0 });
});

test('the events of an image are sent as those of client-side SDKs in schema 3', async () => {
  const setup = createTestForwarder();
  const events = [{ kind: 'custom', key: '>>>>>>' }];
  const base64 = Buffer.from(JSON.stringify(events)).toString('base64');
  assert.match(base64, /\+/);
  setup.forwarder.receiveImage(base64.replaceAll('+', ' '), () => undefined);
  setup.forwarder.receiveImage('%%%', () => undefined);
  const [post] = await afterFlush(setup, 1);
  assert.deepEqual(post?.json, events);
  assert.equal(post?.url, 'https://events.example.com/events/bulk/env-id');
  assert.equal(post?.headers['x-launchdarkly-event-schema'], '3');
  assert.equal(setup.forwarder.counts.droppedPosts, 1);
});

test('an environment without a mobile key or an id drops their events', async () => {
  const setup = createTestForwarder({ environment: { mobileKey: undefined, envId: undefined } });
  await setup.post([customEvent('a')], {}, 'mobile');
  await setup.post([customEvent('a')], {}, 'client');
  await setup.forwarder.flush();
  assert.equal(setup.host.posts.length, 0);
  assert.equal(setup.forwarder.counts.dropped, 2);
});

const archive = { path: 'a.tar.gz', intervalMs: 1000, allowedOrigins: [], allowedHeaders: [] };
const MODES: readonly [string, TestForwarderOptions, string][] = [
  ['events that are off', { events: { mode: 'off' } }, 'off'],
  ['events that are to be discarded', { events: { mode: 'discard' } }, 'discard'],
  ['local flags, whatever the setting of events', { isLocal: true, events: { mode: 'off' } }, 'discard'],
  ['local flags, even where events are to be forwarded', { isLocal: true }, 'discard'],
  ['an archive', { archive }, 'discard'],
  ['events that are to be forwarded', {}, 'forward'],
];
for (const [what, options, mode] of MODES) {
  test(`with ${what} the mode is ${mode}`, () => {
    assert.equal(createTestForwarder(options).forwarder.mode, mode);
  });
}

const feature = (fields: object = {}) => ({
  kind: 'feature',
  creationDate: 1,
  key: 'f',
  user: { key: 'u' },
  version: 1,
  trackEvents: false,
  ...fields,
});
const OLD = { 'x-launchdarkly-event-schema': '2' };

test('a context sent in one payload is not repeated in those of the next minutes', async () => {
  const setup = createTestForwarder();
  const kinds = async (posts: number) => eventsOf((await afterFlush(setup, posts))[posts - 1]).map(({ kind }) => kind);
  await setup.post([feature()], OLD);
  assert.deepEqual(await kinds(1), ['index', 'summary']);
  setup.clock.advance(60_000);
  await setup.post([feature()], OLD);
  assert.deepEqual(await kinds(2), ['summary']);
});

test("debugging ends as soon as upstream's clock has passed its date", async () => {
  const setup = createTestForwarder();
  const now = setup.clock.now();
  const debugged = feature({ debugEventsUntilDate: now + 3_600_000 });
  const date = new Date(now + 7_200_000).toUTCString();
  setup.host.answerNext(httpAnswer(202, '', { date }));
  const kinds = async (posts: number) => eventsOf((await afterFlush(setup, posts))[posts - 1]).map(({ kind }) => kind);
  await setup.post([debugged], OLD);
  assert.deepEqual(await kinds(1), ['index', 'debug', 'summary']);
  await setup.post([debugged], OLD);
  assert.deepEqual(await kinds(2), ['summary']);
});

describe('at its end the forwarder', () => {
  test('sends the remaining events, parsed or not', async () => {
    const setup = createTestForwarder();
    await setup.post([customEvent('a')]);
    await setup.forwarder.close(1000);
    assert.deepEqual(setup.host.posts[0]?.json, [customEvent('a')]);
  });

  test('sends events queued during a delivery', async () => {
    const setup = createTestForwarder();
    await setup.post([customEvent('a')]);
    setup.clock.advance(5000);
    await setup.post([customEvent('b')]);
    await setup.forwarder.close(1000);
    assert.deepEqual(
      setup.host.posts.map(({ json }) => json),
      [[customEvent('a')], [customEvent('b')]],
    );
  });

  test('does not wait beyond its deadline, and counts failures', async () => {
    const setup = createTestForwarder();
    setup.host.answerNext('hang', 'hang');
    await setup.post([customEvent('a')]);
    const closed = setup.forwarder.close(3000);
    await settled(() => setup.host.posts.length === 1);
    setup.clock.advance(3000);
    await closed;
    assert.equal(setup.forwarder.counts.failed, 1);
    assert.equal(setup.forwarder.close(0), closed);
  });

  test('accepts nothing afterwards, and cancels its timer', async () => {
    const setup = createTestForwarder();
    await setup.forwarder.close(1000);
    assert.equal(await setup.post([customEvent('a')]), 'accepted');
    setup.clock.advance(60_000);
    await setup.forwarder.flush();
    assert.equal(setup.host.posts.length, 0);
    assert.equal(setup.forwarder.counts.droppedPosts, 1);
  });
});

test('diagnostics are not counted as events', async () => {
  const setup = createTestForwarder();
  await setup.forwarder.receive(eventPost({ kind: 'diagnostic-init' }, {}, 'server', 'diagnostic'));
  await setup.forwarder.flush();
  assert.equal(setup.host.posts[0]?.url, 'https://events.example.com/diagnostic');
  assert.equal(setup.forwarder.counts.received, 0);
});
