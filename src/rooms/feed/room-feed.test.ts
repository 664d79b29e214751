import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { eventually } from '../../testing/eventually.ts';
import { FakeClock } from '../../testing/fake/clock.ts';
import type { SseStream } from '../../testing/http/sse-client.ts';
import { record } from '../domain/record.ts';
import { EPOCH, FeedKit, type FeedKitOptions, positionsOf } from '../testing/feed/parts.ts';

async function openKit(t: TestContext, options: FeedKitOptions = {}): Promise<FeedKit> {
  const kit = await new FeedKit(options).listens(t);
  for (const user of ['ana', 'ben', 'kim']) await kit.addUser(user);
  await kit.addUser('root', { role: 'admin' });
  return kit;
}

/** The next event, as `type id data`, its data parsed. */
async function nextOf(stream: SseStream) {
  const event = await stream.next();
  return event && { type: event.event, id: event.id, data: JSON.parse(event.data) };
}

test('a stream begins with hello: the reconnection time, the position of the log, no id', async (t) => {
  const kit = await openKit(t);
  await kit.addRoom('r1', ['ana']);
  const stream = await kit.ask(t);
  const hello = await nextOf(stream);
  assert.deepEqual(hello, {
    type: 'hello',
    id: '',
    data: { epoch: EPOCH, pos: 2, firstPos: 1, heartbeatMs: 15_000, node: 'test' },
  });
  assert.match(stream.text(), /^retry: 3000\nevent: hello\ndata: \{/);
  assert.equal(stream.headers['cache-control'], 'no-store, no-transform');
  assert.equal(stream.headers['content-type'], 'text/event-stream');
  assert.equal(stream.headers['x-accel-buffering'], 'no');
});

test('a message reaches only the members of its room, by id, type and whole data', async (t) => {
  const kit = await openKit(t);
  await kit.addRoom('r1', ['ana', 'ben']);
  await kit.addRoom('r2', ['kim']);
  const [ana, ben, kim] = await Promise.all(['ana', 'ben', 'kim'].map((as) => kit.open(t, { as })));
  const pos = await kit.post('r1', 'hi');
  const other = await kit.post('r2', 'secret');
  for (const stream of [ana, ben]) {
    const event = await nextOf(stream as SseStream);
    assert.equal(event?.id, `${EPOCH}-${pos}`);
    assert.equal(event?.type, 'message.created');
    assert.deepEqual([event?.data.pos, event?.data.roomId, event?.data.seq], [pos, 'r1', 1]);
    assert.equal(event?.data.message.body, 'hi');
  }
  assert.equal((await nextOf(kim as SseStream))?.data.pos, other);
  assert.deepEqual(positionsOf(ana as SseStream), [pos]);
});

test('a joining member receives the join and all later events; a leaving member, the departure and no more', async (t) => {
  const kit = await openKit(t);
  await kit.addRoom('r1', ['ana']);
  const ben = await kit.open(t, { as: 'ben' });
  await kit.post('r1');
  await kit.join('r1', 'ben');
  await kit.post('r1');
  await kit.leave('r1', 'ben');
  await kit.post('r1');
  await kit.addRoom('r2', ['ben']);
  const types = [];
  for (let event = await nextOf(ben); event; event = await nextOf(ben)) {
    types.push(`${event.data.pos} ${event.type}`);
    if (types.length === 5) break;
  }
  assert.deepEqual(types, [
    '4 member.joined',
    '5 message.created',
    '6 member.left',
    '8 room.created',
    '9 member.joined',
  ]);
});

test("a stream of one room ends with the event that takes its reader's access", async (t) => {
  const cases: [string, (kit: FeedKit) => Promise<void>, string][] = [
    ['a removal', (kit) => kit.leave('r1', 'ben'), 'member.left'],
    ['the room is deleted', (kit) => kit.changeRoom('r1', { deletedAt: 1 }), 'room.deleted'],
  ];
  for (const [name, lose, last] of cases) {
    const kit = await openKit(t);
    await kit.addRoom('r1', ['ana', 'ben']);
    const stream = await kit.open(t, { as: 'ben', path: '/api/room/r1/event' });
    await lose(kit);
    assert.equal((await nextOf(stream))?.type, last, name);
    assert.equal(await stream.over, 'ended', name);
  }
});

test('a public room that becomes private sends no more to listeners outside', async (t) => {
  const kit = await openKit(t);
  await kit.addRoom('r1', ['ana'], { visibility: 'public' });
  const kim = await kit.open(t, { as: 'kim', query: '?rooms=r1-slug' });
  const pos = await kit.post('r1');
  assert.equal((await nextOf(kim))?.data.pos, pos);
  await kit.changeRoom('r1', { visibility: 'private' });
  await kit.post('r1', 'secret');
  assert.equal(await kim.over, 'ended');
  assert.deepEqual(positionsOf(kim), [pos]);
});

test('rooms and types narrow a stream; absent and forbidden ones are refused', async (t) => {
  const kit = await openKit(t);
  await kit.addRoom('r1', ['ana']);
  await kit.addRoom('r2', ['ana']);
  await kit.addRoom('r3', ['kim']);
  const one = await kit.open(t, { query: '?rooms=r2&types=message.created,pin.added' });
  await kit.post('r1');
  await kit.changeRoom('r2', { topic: 'x' });
  const pos = await kit.post('r2');
  assert.equal((await nextOf(one))?.data.pos, pos);
  for (const [query, status, code] of [
    ['?rooms=r1,nowhere', 404, 'room_not_found'],
    ['?rooms=r3', 404, 'room_not_found'],
    ['?types=message.sent', 400, 'invalid_query'],
    ['?ephemeral=yes', 400, 'invalid_query'],
    ['?since=12', 400, 'invalid_cursor'],
    [`?since=${EPOCH}-`, 400, 'invalid_cursor'],
    [`?since=${EPOCH}-99999999999999999`, 400, 'invalid_cursor'],
    ['?token=x', 400, 'invalid_query'],
    [`?x=odr_${'a'.repeat(46)}`, 400, 'invalid_query'],
    ['?ticket=nobody.has', 401, 'unauthenticated'],
  ] as const) {
    const answer = await kit.ask(t, { query });
    assert.equal(answer.status, status, query);
    assert.equal(answer.headers['x-error-code'], code, query);
  }
  const foreign = await kit.ask(t, { path: '/api/room/r3/event' });
  assert.equal(foreign.status, 404);
});

test('an event with an audience reaches that user alone; one of the whole server its audience and admins', async (t) => {
  const kit = await openKit(t);
  await kit.addRoom('r1', ['ana', 'ben', 'root']);
  const [ana, ben, root] = await Promise.all(['ana', 'ben', 'root'].map((as) => kit.open(t, { as })));
  const member = kit.state.get('member', 'r1/ben');
  assert.ok(member);
  await kit.commit({ events: [{ type: 'read.updated', roomId: 'r1', audience: 'ben', member }] });
  await kit.commit({ events: [{ type: 'token.revoked', roomId: null, audience: 'ben', tokenId: 'other' }] });
  const last = await kit.post('r1');
  await eventually('all have the message', () =>
    [ana, ben, root].every((stream) => positionsOf(stream as SseStream).includes(last)),
  );
  assert.deepEqual(positionsOf(ana as SseStream), [last]);
  assert.deepEqual(positionsOf(ben as SseStream), [last - 2, last - 1, last]);
  assert.deepEqual(positionsOf(root as SseStream), [last - 1, last]);
  const again = await kit.open(t, { as: 'ana', query: '?since=0' });
  await eventually('it was read again', () => positionsOf(again).includes(last));
  assert.ok(!positionsOf(again).includes(last - 2));
  assert.ok(!positionsOf(again).includes(last - 1));
});

test('a reader with history since joining receives no earlier messages, live or replayed', async (t) => {
  const kit = await openKit(t);
  await kit.addRoom('r1', ['ana'], { historyVisibility: 'joined' });
  const before = await kit.post('r1');
  await kit.join('r1', 'ben');
  const after = await kit.post('r1');
  const ben = await kit.open(t, { as: 'ben', query: '?since=0' });
  await eventually('the last is there', () => positionsOf(ben).includes(after));
  assert.ok(!positionsOf(ben).includes(before));
});

test('a reader with history since joining receives no pieces of earlier messages', async (t) => {
  const kit = await openKit(t);
  await kit.addRoom('r1', ['ana'], { historyVisibility: 'joined' });
  await kit.post('r1');
  await kit.join('r1', 'ben');
  const writing = { messageId: 'm1', runId: 'run1', text: 'half' };
  kit.feed.showStreaming({ streamingIn: () => [{ ...writing, seq: 1 }] });
  const ana = await kit.open(t);
  const ben = await kit.open(t, { as: 'ben' });
  const delta = { type: 'message.delta', roomId: 'r1', data: '{"offset":4,"text":" an"}' } as const;
  kit.feed.announce({ ...delta, seq: 1 });
  kit.feed.announce({ ...delta, seq: 2 });
  const last = await kit.post('r1');
  await eventually('both have all', () => [ana, ben].every((stream) => positionsOf(stream).includes(last)));
  const countOf = (stream: SseStream, type: string) =>
    stream.items.filter((item) => item.kind === 'event' && item.event === type).length;
  assert.deepEqual([countOf(ana, 'message.delta'), countOf(ben, 'message.delta')], [2, 1]);
  assert.equal(countOf(ben, 'message.snapshot'), 0);
});

test('an ephemeral event has no id, keeps to its room and audience, and can be switched off', async (t) => {
  const kit = await openKit(t);
  await kit.addRoom('r1', ['ana', 'ben']);
  const ana = await kit.open(t);
  const quiet = await kit.open(t, { query: '?ephemeral=0' });
  const ben = await kit.open(t, { as: 'ben' });
  const kim = await kit.open(t, { as: 'kim' });
  const pos = await kit.post('r1');
  kit.feed.announce({ type: 'note', roomId: 'r1', audience: 'ben', data: '{"text":"for ben"}' });
  kit.feed.announce({ type: 'message.delta', roomId: 'r1', data: '{"offset":0,"text":"a"}' });
  const last = await kit.post('r1');
  await eventually('ana and ben have all', () =>
    [ana, quiet, ben].every((stream) => positionsOf(stream).includes(last)),
  );
  const typesOf = (stream: SseStream) => stream.items.flatMap((item) => (item.kind === 'event' ? item.event : []));
  assert.deepEqual(typesOf(ana), ['hello', 'message.created', 'message.delta', 'message.created']);
  assert.deepEqual(typesOf(quiet), ['hello', 'message.created', 'message.created']);
  assert.deepEqual(typesOf(ben), ['hello', 'message.created', 'note', 'message.delta', 'message.created']);
  assert.deepEqual(typesOf(kim), ['hello']);
  const delta = ana
    .text()
    .split('\n\n')
    .find((block) => block.includes('message.delta'));
  assert.ok(!delta?.includes('id:'), delta);
  assert.equal(ana.items.filter((item) => item.kind === 'event')[2]?.id, `${EPOCH}-${pos}`);
});

test('a listener that joins during a streamed message receives its whole text', async (t) => {
  const kit = await openKit(t);
  await kit.addRoom('r1', ['ana']);
  const writing = { messageId: 'm1', runId: 'run1', text: 'half an ans' };
  kit.feed.showStreaming({ streamingIn: (roomId) => (roomId === 'r1' ? [{ ...writing, seq: 1 }] : []) });
  const stream = await kit.open(t, { query: '?since=0' });
  const events = [await nextOf(stream), await nextOf(stream), await nextOf(stream)];
  assert.deepEqual(
    events.map((event) => event?.type),
    ['room.created', 'member.joined', 'message.snapshot'],
  );
  assert.deepEqual(events[2]?.data, { roomId: 'r1', ...writing, offset: 11 });
});

test('a stream ends within a second of its token, and at once when it is revoked', async (t) => {
  const clock = new FakeClock();
  const kit = await openKit(t, { clock });
  const expiring = await kit.open(t, { headers: { authorization: `t1 ${clock.now() + 5000}` } });
  const revoked = await kit.open(t, { headers: { authorization: 't2' } });
  const other = await kit.open(t, { headers: { authorization: 't3' } });
  clock.advance(4000);
  await kit.commit({ events: [{ type: 'token.revoked', roomId: null, audience: 'ana', tokenId: 't2' }] });
  assert.equal((await nextOf(revoked))?.type, 'token.revoked');
  assert.equal(await revoked.over, 'ended');
  assert.equal((await nextOf(expiring))?.type, 'token.revoked');
  clock.advance(1000);
  assert.equal(await expiring.over, 'ended');
  await kit.commit({ records: [record('user', 'ana', null)] });
  clock.advance(1000);
  assert.equal(await other.over, 'ended', 'a removed user');
});

test('each stream gets one heartbeat in 15 s, and ends within four hours', async (t) => {
  const clock = new FakeClock();
  const kit = await openKit(t, { clock });
  const stream = await kit.open(t);
  clock.advance(45_000);
  const beats = () =>
    stream
      .text()
      .split('\n\n')
      .filter((block) => block === ': hb' || block === ':hb').length;
  await eventually('three heartbeats', () => beats() === 3);
  // A twentieth less than four hours.
  clock.advance(13_680_000 - 60_000);
  assert.equal(kit.feed.size, 1);
  await eventually('its end', () => {
    clock.advance(1000);
    return kit.feed.size === 0;
  });
  assert.equal(await stream.over, 'ended');
});

test('one user has a limited number of open streams, and so has the process; a closed one makes room', async (t) => {
  const kit = await openKit(t, { maxPerUser: 2, maxStreams: 3 });
  const first = await kit.open(t);
  await kit.open(t);
  const third = await kit.ask(t);
  assert.equal(third.status, 429);
  assert.equal(third.headers['retry-after'], '5');
  await kit.open(t, { as: 'ben' });
  assert.equal((await kit.ask(t, { as: 'kim' })).status, 429);
  first.close();
  await eventually('room for one', () => kit.feed.size === 2);
  assert.equal((await kit.ask(t)).status, 200);
});

test('at the end every stream receives its reconnection time, and a new one is refused', async (t) => {
  const kit = await openKit(t);
  const stream = await kit.open(t);
  await kit.feed.close();
  assert.deepEqual(await nextOf(stream), { type: 'shutdown', id: '', data: { retryMs: 3000 } });
  assert.equal(await stream.over, 'ended');
  assert.equal((await kit.ask(t)).status, 503);
  await kit.feed.close();
});

test('closed streams leave nothing behind', async (t) => {
  const kit = await openKit(t);
  await kit.addRoom('r1', ['ana', 'ben']);
  const streams = [await kit.open(t), await kit.open(t, { query: '?rooms=r1' }), await kit.open(t, { as: 'ben' })];
  assert.equal(kit.feed.size, 3);
  for (const stream of streams) stream.close();
  await eventually('all gone', () => kit.feed.size === 0);
  assert.deepEqual([...kit.feed.readers.all()], []);
  assert.equal(kit.feed.readers.inRoom('r1').size, 0);
  assert.equal(kit.feed.readers.ofUser('ana').length, 0);
});
