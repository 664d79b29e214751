import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { eventually } from '../../testing/eventually.ts';
import type { SseStream } from '../../testing/http/sse-client.ts';
import { EPOCH, FeedKit, type FeedKitOptions, lastPositionOf, positionsOf } from '../testing/feed/parts.ts';

async function openKit(t: TestContext, options: FeedKitOptions = {}): Promise<FeedKit> {
  const kit = await new FeedKit(options).listens(t);
  for (const user of ['ana', 'ben', 'kim']) await kit.addUser(user);
  await kit.addRoom('r1', ['ana', 'ben']);
  return kit;
}

const range = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, index) => from + index);

const has = (stream: SseStream, pos: number) =>
  eventually(`position ${pos}`, () => lastPositionOf(stream) === pos, { everyMs: 5 });

test('a cursor is exclusive; the header beats the query; 0 is everything that is kept', async (t) => {
  const kit = await openKit(t);
  await kit.postMany('r1', 4);
  for (const forget of [false, true]) {
    if (forget) kit.feed.forgetLog();
    const all = await kit.open(t, { query: '?since=0' });
    await has(all, 7);
    assert.deepEqual(positionsOf(all), range(1, 7));
    const some = await kit.open(t, { query: '?since=0', lastEventId: `${EPOCH}-5` });
    await has(some, 7);
    assert.deepEqual(positionsOf(some), [6, 7]);
  }
});

test('a cursor that cannot be resumed is reset, with an id to resume at, and then the stream is live', async (t) => {
  const kit = await openKit(t, { firstPos: 3 });
  await kit.postMany('r1', 4);
  const cases = [
    ['other-5', 'epoch'],
    [`${EPOCH}-8`, 'ahead'],
    [`${EPOCH}-1`, 'expired'],
    [`${EPOCH}-0`, 'expired'],
  ] as const;
  for (const [lastEventId, reason] of cases) {
    if (lastEventId === 'other-5') continue;
    const stream = await kit.open(t, { lastEventId });
    const reset = await stream.next();
    assert.deepEqual([reset?.event, reset?.id, reset?.data], ['reset', `${EPOCH}-7`, `{"reason":"${reason}","pos":7}`]);
  }
  const stream = await kit.open(t, { lastEventId: 'abcd-5' });
  assert.equal((await stream.next())?.data, '{"reason":"epoch","pos":7}');
  const pos = await kit.post('r1');
  assert.equal((await stream.next())?.id, `${EPOCH}-${pos}`);
  const kept = await kit.open(t, { lastEventId: `${EPOCH}-2` });
  assert.equal((await kept.next())?.id, `${EPOCH}-3`);
  kit.feed.forgetLog(5);
  const late = await kit.open(t, { lastEventId: `${EPOCH}-3` });
  assert.equal((await late.next())?.data, '{"reason":"expired","pos":8}');
  const whole = await kit.open(t, { query: '?since=0' });
  assert.equal((await whole.next())?.id, `${EPOCH}-5`);
});

test('10,000 posts between a registration and each step of its reading are neither lost nor doubled', async (t) => {
  const kit = await openKit(t);
  await kit.postMany('r1', 600);
  kit.feed.forgetLog();
  let rounds = 0;
  kit.log.beforeAnswer = async () => {
    rounds += 1;
    if (rounds > 4) return;
    for (let batch = 0; batch < 5; batch++) await kit.postMany('r1', 500);
    // The last commit is in memory; without it, the store must be read again.
    if (rounds === 2) kit.feed.forgetLog();
  };
  const stream = await kit.open(t, { query: '?since=0' });
  await has(stream, 10_603);
  assert.deepEqual(positionsOf(stream), range(1, 10_603));
  const pos = await kit.post('r1');
  await has(stream, pos);
});

test('a client that disconnects during its backlog resumes at the same place', async (t) => {
  const kit = await openKit(t);
  await kit.postMany('r1', 2000);
  kit.feed.forgetLog();
  const seen: number[] = [];
  let lastEventId = `${EPOCH}-0`;
  while (seen.at(-1) !== 2003) {
    const stream = await kit.ask(t, { lastEventId });
    for (let left = 301; left > 0 && seen.at(-1) !== 2003; left--) {
      const event = await stream.next();
      if (event?.event === 'hello') continue;
      seen.push((JSON.parse(event?.data ?? '') as { pos: number }).pos);
      lastEventId = event?.id ?? '';
    }
    stream.close();
  }
  assert.deepEqual(seen, range(1, 2003));
});

test('a reader removed during its backlog receives nothing more of the room', async (t) => {
  const kit = await openKit(t);
  await kit.postMany('r1', 500);
  await kit.addRoom('r2', ['ben']);
  const last = await kit.post('r2');
  kit.feed.forgetLog();
  let isRemoved = false;
  kit.log.beforeAnswer = async () => {
    if (isRemoved || kit.log.queries.length < 2) return;
    isRemoved = true;
    await kit.leave('r1', 'ben');
  };
  const stream = await kit.open(t, { as: 'ben', query: '?since=0' });
  await eventually('the end', () => lastPositionOf(stream) === last + 1);
  const seen = positionsOf(stream);
  // The first page had been sent; of the second, nothing of r1; then r2, and the reader's removal.
  assert.deepEqual(seen, [...range(1, 128), last - 2, last - 1, last, last + 1]);
});

test('many clients that resume at the same place read the store once, and only some pages at the same time', async (t) => {
  const kit = await openKit(t);
  await kit.postMany('r1', 1000);
  kit.feed.forgetLog();
  let reading = 0;
  let most = 0;
  kit.log.beforeAnswer = async () => {
    reading += 1;
    most = Math.max(most, reading);
    await new Promise((resolve) => setImmediate(resolve));
    reading -= 1;
  };
  const asks = range(0, 39).map((index) => kit.open(t, { lastEventId: `${EPOCH}-${index * 25}` }));
  const streams = await Promise.all(asks);
  for (const [index, stream] of streams.entries()) {
    await has(stream, 1003);
    assert.deepEqual(positionsOf(stream), range(index * 25 + 1, 1003));
  }
  assert.ok(most <= 4, `${most} pages at the same time`);
  assert.ok(kit.log.queries.length <= 16, `${kit.log.queries.length} reads`);
});

test('a reader far behind reads only the events of its rooms', async (t) => {
  const kit = await openKit(t);
  await kit.addRoom('r2', ['kim']);
  await kit.post('r2');
  await kit.postMany('r1', 20_000);
  const last = await kit.post('r2');
  kit.feed.forgetLog();
  const kim = await kit.open(t, { as: 'kim', query: '?since=0' });
  await has(kim, last);
  assert.deepEqual(positionsOf(kim), [4, 5, 6, last]);
  assert.deepEqual(kit.log.queries[0]?.roomIds, ['r2']);
  assert.ok(kit.log.queries.length < 60, `${kit.log.queries.length} reads`);
});

test('deleted text is not sent from memory', async (t) => {
  const kit = await openKit(t);
  const pos = await kit.post('r1', 'regretted');
  const stored = kit.log.events[pos - 1];
  assert.ok(stored);
  kit.log.events[pos - 1] = { ...stored, data: `{"pos":${pos},"roomId":"r1","seq":1,"message":{"body":""}}` };
  const created = JSON.parse(stored.data).message;
  await kit.commit({ events: [{ type: 'message.deleted', roomId: 'r1', message: { ...created, body: '' } }] });
  const stream = await kit.open(t, { query: '?since=0' });
  await has(stream, pos + 1);
  assert.ok(!stream.text().includes('regretted'));
});

test('a log that cannot be read ends the stream, and nothing else', async (t) => {
  const kit = await openKit(t);
  kit.feed.forgetLog();
  kit.log.beforeAnswer = async () => {
    throw new Error('the disk is gone');
  };
  const stream = await kit.open(t, { query: '?since=0' });
  assert.equal(await stream.over, 'ended');
  const live = await kit.open(t);
  const pos = await kit.post('r1');
  await has(live, pos);
});
