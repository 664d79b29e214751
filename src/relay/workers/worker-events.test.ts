import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { Inflater } from '../event/body.ts';
import type { EventPost } from '../event/receiver.ts';
import { RELAY_DEFAULTS } from '../testing/config.ts';
import { type AcceptedPost, deliverPost, WorkerEvents } from './worker-events.ts';

const OPTIONS = { ...RELAY_DEFAULTS, events: { ...RELAY_DEFAULTS.events, mode: 'forward' as const } };
const [IMAGE_BODY, IMAGE_TEXT] = ['W10=', 'image'];

function start() {
  const batches: (readonly AcceptedPost[])[] = [];
  const moved: ArrayBuffer[] = [];
  const events = new WorkerEvents({
    options: OPTIONS,
    inflater: new Inflater(),
    send: async (posts, buffers) => {
      batches.push(posts);
      moved.push(...buffers);
    },
  });
  const post = (body: string | Buffer, headers: Record<string, string> = {}): EventPost => ({
    sdkKind: 'server',
    kind: 'analytics',
    bytes: Buffer.from(body),
    header: (name) => headers[name],
  });
  return { events, receiver: events.receiver(7), batches, moved, post };
}

describe('the events of a worker', () => {
  test('carries the posts of one turn together, decompressed, in buffers of their own', async () => {
    const { events, receiver, batches, moved, post } = start();
    const headers = { 'content-encoding': 'gzip', 'x-launchdarkly-event-schema': '4', cookie: 'x' };
    assert.equal(await receiver.receive(post('[1]')), 'accepted');
    assert.equal(await receiver.receive(post(gzipSync('[2]'), headers)), 'accepted');
    receiver.receiveImage(IMAGE_BODY, () => undefined);
    await events.flush();
    const taken: unknown[] = [];
    for (const carried of batches.flat())
      deliverPost(carried, {
        take: ({ bytes, header }) =>
          taken.push([bytes.toString(), header('x-launchdarkly-event-schema'), header('cookie')]),
        receiveImage: (encoded) => taken.push([IMAGE_TEXT, encoded]),
      });
    assert.deepEqual(taken, [
      ['[1]', undefined, undefined],
      ['[2]', '4', undefined],
      [IMAGE_TEXT, IMAGE_BODY],
    ]);
    assert.deepEqual(new Set(batches.flat().map(({ environment }) => environment)), new Set([7]));
    assert.deepEqual(
      moved.map(({ byteLength }) => byteLength),
      [3, 3],
    );
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
