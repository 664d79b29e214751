import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { FakeClock } from '../../testing/fake/clock.ts';
import { Inflater } from '../event/body.ts';
import type { EventPost } from '../event/receiver.ts';
import { RELAY_DEFAULTS } from '../testing/config.ts';
import { deliverPosts, type PostBatch, WorkerEvents } from './worker-events.ts';

const OPTIONS = { ...RELAY_DEFAULTS, events: { ...RELAY_DEFAULTS.events, mode: 'forward' as const } };
const [IMAGE_BODY, IMAGE_TEXT] = ['W10=', 'image'];

function start() {
  const batches: PostBatch[] = [];
  const clock = new FakeClock();
  const events = new WorkerEvents({
    options: OPTIONS,
    inflater: new Inflater(),
    send: async (batch) => void batches.push(batch),
    clock,
  });
  const post = (body: string | Buffer, headers: Record<string, string> = {}): EventPost => ({
    sdkKind: 'server',
    kind: 'analytics',
    bytes: Buffer.from(body),
    header: (name) => headers[name],
  });
  return { events, receiver: events.receiver(7), batches, clock, post };
}

describe('the events of a worker', () => {
  test('carries the posts of some milliseconds together, decompressed, in a buffer of their own', async () => {
    const { receiver, batches, clock, post } = start();
    const headers = { 'content-encoding': 'gzip', 'x-launchdarkly-event-schema': '4', cookie: 'x' };
    assert.equal(await receiver.receive(post('[1]')), 'accepted');
    assert.equal(await receiver.receive(post(gzipSync('[22]'), headers)), 'accepted');
    receiver.receiveImage(IMAGE_BODY, () => undefined);
    assert.equal(batches.length, 0);
    await clock.advance(10);
    const taken: unknown[] = [];
    for (const batch of batches)
      deliverPosts(batch, (environment) => ({
        take: ({ bytes, header }) =>
          taken.push([environment, bytes.toString(), header('x-launchdarkly-event-schema'), header('cookie')]),
        receiveImage: (encoded) => taken.push([environment, IMAGE_TEXT, encoded]),
      }));
    assert.deepEqual(taken, [
      [7, '[1]', undefined, undefined],
      [7, '[22]', '4', undefined],
      [7, IMAGE_TEXT, IMAGE_BODY],
    ]);
    assert.deepEqual(
      batches.map(({ bodies }) => bodies.buffer.byteLength),
      [3 + 4 + IMAGE_BODY.length],
    );
  });

  test('carries many bytes at once', async () => {
    const { receiver, batches, post } = start();
    await receiver.receive(post(Buffer.alloc(2 ** 17)));
    assert.equal(batches.length, 0);
    await receiver.receive(post(Buffer.alloc(2 ** 17)));
    assert.equal(batches.length, 1);
  });

  test('drops the posts of a removed environment', async () => {
    const { events, receiver, batches, post } = start();
    await receiver.receive(post('[1]'));
    await events.receiver(undefined).receive(post('[2]'));
    await events.flush();
    assert.deepEqual(
      batches.map(({ posts }) => posts.length),
      [1],
    );
    deliverPosts(batches[0] as PostBatch, () => undefined);
  });

  test('refuses what the main thread would refuse', async () => {
    const { events, receiver, batches, post } = start();
    const gzip = { 'content-encoding': 'gzip' };
    assert.equal(await receiver.receive(post('')), 'empty');
    assert.equal(await receiver.receive(post('[1]', gzip)), 'not gzip');
    assert.equal(await receiver.receive(post(gzipSync('[1]').subarray(0, 12), gzip)), 'unreadable');
    await events.flush();
    assert.deepEqual(batches, []);
  });
});
