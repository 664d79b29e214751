import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { eventually } from '../../testing/eventually.ts';
import { FakeClock } from '../../testing/fake/clock.ts';
import type { SseStream } from '../../testing/http/sse-client.ts';
import { FeedKit, lastPositionOf, positionsOf } from '../testing/feed/parts.ts';

/** More than the sockets of one connection hold. */
const BIG = 'x'.repeat(60_000);

async function openKit(t: TestContext): Promise<{ kit: FeedKit; clock: FakeClock }> {
  const clock = new FakeClock();
  const kit = await new FeedKit({ clock }).listens(t);
  for (const user of ['ana', 'ben']) await kit.addUser(user);
  await kit.addRoom('r1', ['ana', 'ben']);
  return { kit, clock };
}

/** Posts until a reader's line is full. */
async function postUntilStalled(kit: FeedKit, quick?: SseStream): Promise<void> {
  await eventually(
    'a reader that does not read',
    async () => {
      if (kit.feed.stalled === 0) await kit.postMany('r1', 10, BIG);
      // For a moment a reader that reads may be behind as well.
      return kit.feed.stalled === 1 && (!quick || lastPositionOf(quick) === lastOf(kit));
    },
    { everyMs: 2 },
  );
}

const lastOf = (kit: FeedKit) => kit.log.events.length;
const range = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, index) => from + index);

test('a reader that does not read is notified and disconnected; it resumes without a loss', async (t) => {
  const { kit, clock } = await openKit(t);
  const slow = await kit.open(t, { as: 'ben' });
  const quick = await kit.open(t);
  slow.pause();
  await postUntilStalled(kit, quick);
  // The system may take more for a reader that was behind a moment ago.
  await eventually('the slow one is left', async () => {
    await kit.postMany('r1', 30, BIG);
    await eventually('the other has everything', () => lastPositionOf(quick) === lastOf(kit));
    clock.advance(2000);
    return kit.feed.overflowed > 0;
  });
  assert.equal(kit.feed.overflowed, 1);
  slow.resume();
  assert.equal(await slow.over, 'ended');
  assert.match(slow.text(), /\n: ?overflow\n/);
  const seen = positionsOf(slow);
  const id = slow.items.filter((item) => item.kind === 'event').at(-1)?.id ?? '';
  const back = await kit.open(t, { as: 'ben', lastEventId: id });
  await eventually('everything', () => lastPositionOf(back) === lastOf(kit));
  assert.deepEqual([...seen, ...positionsOf(back)], range(3 + 1, lastOf(kit)));
});

test('one burst of any size disconnects no reader that reads', async (t) => {
  const { kit, clock } = await openKit(t);
  const stream = await kit.open(t);
  await kit.postMany('r1', 200, BIG);
  clock.advance(1000);
  await eventually('all of it', () => lastPositionOf(stream) === lastOf(kit));
  clock.advance(5000);
  await kit.post('r1');
  await eventually('and what follows', () => lastPositionOf(stream) === lastOf(kit));
  assert.deepEqual(positionsOf(stream), range(4, lastOf(kit)));
});

test('the log is not read ahead for a reader that does not read', async (t) => {
  const { kit } = await openKit(t);
  await kit.postMany('r1', 800, BIG);
  kit.feed.forgetLog();
  const stream = await kit.ask(t, { query: '?since=0' });
  stream.pause();
  await eventually('it waits', () => kit.feed.stalled === 1);
  const reads = kit.log.queries.length;
  assert.ok(reads < 6, `${reads} of 7 pages were read without a reader`);
  stream.resume();
  await eventually('all of it', () => lastPositionOf(stream) === lastOf(kit));
  assert.deepEqual(positionsOf(stream), range(1, lastOf(kit)));
});

test('ephemeral events are left out while a reader is behind, and the whole text replaces them', async (t) => {
  const { kit } = await openKit(t);
  const stream = await kit.open(t, { as: 'ben' });
  stream.pause();
  await postUntilStalled(kit);
  for (let index = 0; index < 10_000; index++)
    kit.feed.announce({ type: 'message.delta', roomId: 'r1', data: `{"offset":${index},"text":"y"}` });
  kit.feed.showStreaming({ streamingIn: () => [{ messageId: 'm', seq: 1, runId: 'run', text: 'yyyy' }] });
  stream.resume();
  await eventually('the whole', () => stream.items.at(-1)?.kind === 'event' && stream.text().includes('"text":"yyyy"'));
  const types = stream.items.flatMap((item) => (item.kind === 'event' ? item.event : []));
  assert.equal(types.filter((type) => type === 'message.delta').length, 0);
  assert.equal(types.filter((type) => type === 'message.snapshot').length, 1);
  assert.deepEqual(positionsOf(stream), range(4, lastOf(kit)));
});
