import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { EventPost, EventReceipt, EventReceiver } from '../event/receiver.ts';
import { DISCARDING } from '../testing/app.ts';
import { createEventApp } from '../testing/event-app.ts';

interface Received {
  readonly posts: EventPost[];
  readonly images: string[];
}

/** All event paths with one receiver. */
function createApp(
  mode: EventReceiver['mode'],
  receipt: EventReceipt = 'accepted',
  maxPayloadBytes = 0,
): { readonly app: ReturnType<typeof createEventApp>; readonly received: Received } {
  const received: Received = { posts: [], images: [] };
  const receiver: EventReceiver = {
    mode,
    receive: async (post) => {
      received.posts.push(post);
      return receipt;
    },
    receiveImage: (encoded) => void received.images.push(encoded),
  };
  return { app: createEventApp(receiver, maxPayloadBytes), received };
}

const AUTHORIZED = { Authorization: 'key' };

const POSTS: readonly [string, EventPost['sdkKind'], EventPost['kind']][] = [
  ['/bulk', 'server', 'analytics'],
  ['/diagnostic', 'server', 'diagnostic'],
  ['/mobile', 'mobile', 'analytics'],
  ['/mobile/events', 'mobile', 'analytics'],
  ['/mobile/events/bulk', 'mobile', 'analytics'],
  ['/mobile/events/diagnostic', 'mobile', 'diagnostic'],
  ['/events/bulk/env-id', 'client', 'analytics'],
  ['/events/diagnostic/env-id', 'client', 'diagnostic'],
];

for (const [path, sdkKind, kind] of POSTS) {
  describe(`POST ${path}`, () => {
    test('hands the body and the headers on, and answers 202 with nothing', async () => {
      const { app, received } = createApp('forward');
      const headers = { ...AUTHORIZED, 'X-LaunchDarkly-Tags': 'a/b' };
      const answer = await app.request(path, { method: 'POST', body: '[{}]', headers });
      assert.equal(answer.status, 202);
      assert.equal(await answer.text(), '');
      assert.equal(answer.headers.get('access-control-max-age'), sdkKind === 'client' ? '300' : null);
      const [post] = received.posts;
      assert.deepEqual([post?.sdkKind, post?.kind, post?.bytes.toString()], [sdkKind, kind, '[{}]']);
      assert.equal(post?.header('x-launchdarkly-tags'), 'a/b');
    });

    test('is refused with 503 where events are off', async () => {
      const { app, received } = createApp('off');
      const answer = await app.request(path, { method: 'POST', body: '[{}]', headers: AUTHORIZED });
      assert.equal(answer.status, 503);
      assert.equal(answer.headers.get('content-type'), 'application/json');
      assert.equal(await answer.text(), '{"message":"Event proxy is not enabled for this environment"}');
      assert.deepEqual(received.posts, []);
    });

    test('is accepted and not handed on where events are discarded', async () => {
      const { app, received } = createApp('discard');
      for (const body of ['[{}]', 'x'.repeat(1000), undefined]) {
        const answer = await app.request(path, { method: 'POST', body: body ?? null, headers: AUTHORIZED });
        assert.deepEqual([answer.status, await answer.text()], [202, '']);
      }
      assert.deepEqual(received.posts, []);
    });

    test('is refused with 400 above the configured payload', async () => {
      const { app, received } = createApp('forward', 'accepted', 100);
      const answer = await app.request(path, { method: 'POST', body: 'x'.repeat(101), headers: AUTHORIZED });
      assert.deepEqual([answer.status, await answer.text()], [400, '{"message":"unable to read request body"}']);
      assert.deepEqual(received.posts, []);
    });
  });
}

test('without a configured payload a post may have 20 MiB, and 413 answers a larger one', async () => {
  const { app, received } = createApp('forward');
  const limit = 20 * 2 ** 20;
  for (const [bytes, status] of [
    [limit, 202],
    [limit + 1, 413],
  ]) {
    const answer = await app.request('/bulk', { method: 'POST', body: Buffer.alloc(bytes ?? 0), headers: AUTHORIZED });
    assert.equal(answer.status, status);
  }
  assert.deepEqual(
    received.posts.map(({ bytes }) => bytes.length),
    [limit],
  );
});

const JSON_TYPE = 'application/json';
const PLAIN = 'text/plain; charset=utf-8';
const RECEIPTS: readonly [EventReceipt, number, string, string | null][] = [
  ['accepted', 202, '', null],
  ['not gzip', 400, 'gzip: invalid header', PLAIN],
  ['empty', 400, '{"message":"body may not be empty"}', JSON_TYPE],
  ['unreadable', 400, '{"message":"unable to read request body"}', JSON_TYPE],
  ['too large', 413, '', null],
];

for (const [receipt, status, body, type] of RECEIPTS) {
  test(`a post that is ${receipt} is answered ${status}`, async () => {
    const { app } = createApp('forward', receipt);
    const answer = await app.request('/bulk', { method: 'POST', body: '[{}]', headers: AUTHORIZED });
    assert.deepEqual([answer.status, await answer.text(), answer.headers.get('content-type')], [status, body, type]);
  });
}

const IMAGES: readonly [EventReceiver['mode'], string, readonly string[]][] = [
  ['forward', '?d=W3t9XQ%3D%3D', ['W3t9XQ==']],
  ['forward', '?d=%%%', ['%%%']],
  ['forward', '?d=', []],
  ['forward', '', []],
  ['off', '?d=W3t9XQ%3D%3D', []],
  ['discard', '?d=W3t9XQ%3D%3D', []],
];

for (const [mode, query, images] of IMAGES) {
  test(`GET /a/env-id.gif${query} in mode ${mode} is answered with the image`, async () => {
    const { app, received } = createApp(mode);
    const answer = await app.request(`/a/env-id.gif${query}`);
    assert.equal(answer.status, 200);
    assert.equal(answer.headers.get('content-type'), 'image/gif');
    assert.equal(answer.headers.get('access-control-max-age'), '300');
    const bytes = Buffer.from(await answer.arrayBuffer());
    assert.equal(bytes.length, 42);
    assert.equal(bytes.subarray(0, 6).toString(), 'GIF89a');
    assert.deepEqual(received.images, images);
  });
}

const IMAGE_PATHS: readonly [string, string | undefined][] = [
  ['/a/env-id.gif', 'env-id'],
  ['/a/env.id.gif', 'env.id'],
  ['/a/env-id.png', undefined],
  ['/a/b/env-id.gif', undefined],
];

for (const [path, envId] of IMAGE_PATHS) {
  test(`${path} ${envId ? 'names an environment' : 'is not an event image'}`, async () => {
    const found: string[] = [];
    const app = createEventApp(DISCARDING, 0, (credential) => found.push(credential));
    const answer = await app.request(path);
    assert.deepEqual([answer.status, ...found], envId ? [200, envId] : [404]);
  });
}
