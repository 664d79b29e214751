import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { systemClock } from '../../kernel/clock.ts';
import { listen } from '../../kernel/http/server.ts';
import { openSse, type SseStream } from '../../testing/http/sse-client.ts';
import type { Write } from '../domain/change.ts';
import { openTestRooms, type TestRooms } from '../testing/app.ts';
import { benchEvents, benchRoom } from '../testing/feed/bench-events.ts';

async function commit({ core }: TestRooms, write: Write): Promise<number> {
  const outcome = await core.writer.submit({ decide: () => ({ ok: true, write, answer: () => null }) });
  assert.ok(outcome.ok);
  return core.writer.pos;
}

async function serve(t: TestContext, { rooms }: TestRooms): Promise<(path: string) => Promise<SseStream>> {
  const listener = await listen({
    fetch: rooms.app.fetch,
    addresses: [{ host: '127.0.0.1', port: 0 }],
    clock: systemClock,
    endStreams: () => rooms.endStreams(),
  });
  t.after(() => listener.close(50));
  return async (path) => {
    const stream = await openSse(`${listener.url}${path}`, { headers: { 'x-opsdeck-user': 'ana' } });
    t.after(() => stream.close());
    return stream;
  };
}

test('a stream resumes at the same place after a restart of the server', async (t) => {
  const first = await openTestRooms(t);
  await commit(first, benchRoom());
  const open = await serve(t, first);
  const stream = await open('/api/room/bench/event');
  assert.equal((await stream.next())?.event, 'hello');
  const pos = await commit(first, { events: benchEvents(1) });
  const heard = await stream.next();
  assert.equal(heard?.id, `${first.core.feed.epoch}-${pos}`);
  const last = await commit(first, { events: benchEvents(300) });
  const second = await first.restart();
  assert.equal((await stream.over) === 'broken', false, 'it was ended, not cut');
  assert.equal(second.core.feed.epoch, first.core.feed.epoch);
  const openAgain = await serve(t, second);
  const again = await openAgain(`/api/room/bench/event?since=${heard?.id}`);
  const positions: number[] = [];
  assert.equal((await again.next())?.event, 'hello');
  while (positions.at(-1) !== last) positions.push(JSON.parse((await again.next())?.data ?? '{}').pos);
  assert.deepEqual(
    positions,
    Array.from({ length: 300 }, (_, index) => pos + 1 + index),
  );
});

test('the log, a ticket and presence are answered by the whole server', async (t) => {
  const rooms = await openTestRooms(t, { options: { presence: false } });
  const last = await commit(rooms, benchRoom());
  const log = await rooms.send('GET', '/api/event/log?since=0&wait=0&rooms=bench', { as: 'ana' });
  assert.equal(log.status, 200);
  assert.equal(log.json.cursor, `${rooms.core.feed.epoch}-${last}`);
  assert.equal(log.json.events.at(-1).event, 'room.created');
  const ticket = await rooms.send('POST', '/api/event/ticket', { as: 'ana', body: {} });
  assert.equal(ticket.status, 201);
  const open = await serve(t, rooms);
  assert.equal((await open(`/api/event?ticket=${ticket.json.ticket}`)).status, 200);
  const presence = await rooms.send('GET', '/api/room/bench/presence', { as: 'ana' });
  assert.deepEqual(presence.json, { online: [] });
  const typing = await rooms.send('POST', '/api/room/bench/typing', { as: 'ana', body: {} });
  assert.equal(typing.status, 204);
});
