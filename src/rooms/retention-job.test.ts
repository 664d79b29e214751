import assert from 'node:assert/strict';
import { test } from 'node:test';
import { eventually } from '../testing/eventually.ts';
import { FakeClock } from '../testing/fake/clock.ts';
import type { Cleanup } from '../testing/processes.ts';
import { RetentionJob } from './retention-job.ts';
import { openTestRooms, type TestRooms } from './testing/app.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

interface Opened extends TestRooms {
  readonly clock: FakeClock;
  /** Runs the job as some time after the rooms were opened. */
  runAfter(ms: number, retentionMs?: number): Promise<void>;
  post(body: string, id?: string): Promise<{ readonly status: number; readonly json: { readonly id: string } }>;
  room(): Promise<{ firstSeq: number; lastSeq: number; version: number }>;
}

async function openRoom(t: Cleanup, body: object): Promise<Opened> {
  const clock = new FakeClock();
  const rooms = await openTestRooms(t, { clock });
  const { core } = rooms;
  await rooms.send('POST', '/api/room', { as: 'ana', body: { name: 'Ops', ...body } });
  return {
    ...rooms,
    clock,
    async runAfter(ms, retentionMs = 0) {
      const later = new FakeClock(clock.now() + ms);
      const job = new RetentionJob({ ...core, clock: later, retentionMs, readOnly: false });
      await job.run();
      await job.close();
    },
    post: (text, id) => rooms.send('POST', '/api/room/ops/message', { as: 'ana', body: { body: text, id } }),
    room: async () => (await rooms.send('GET', '/api/room/ops', { as: 'ana' })).json,
  };
}

async function bodies({ send }: TestRooms): Promise<string> {
  const { messages } = (await send('GET', '/api/room/ops/message', { as: 'ana' })).json;
  return messages.map(({ body }: { body: string }) => body).join('');
}

test('messages beyond the number are removed, the first remaining one is announced, and pinned ones stay', async (t) => {
  const rooms = await openRoom(t, { retention: { maxMessages: 2 } });
  const ids: string[] = [];
  for (const body of ['a', 'b', 'c', 'd', 'e']) ids.push((await rooms.post(body)).json.id);
  const report = (await rooms.send('GET', '/api/room/ops/retention?dryRun', { as: 'ana' })).json;
  assert.deepEqual(report, { dryRun: true, messages: 3, firstSeq: 1, lastSeq: 3, maxMessages: 2, before: null });
  assert.equal(await bodies(rooms), 'abcde', 'a report removes nothing');
  rooms.clock.advance(HOUR_MS);
  await eventually('three messages go', async () => (await rooms.room()).firstSeq === 4);
  assert.equal(await bodies(rooms), 'de');
  assert.equal((await rooms.send('GET', `/api/message/${ids[0]}`)).status, 404);
  const { version } = await rooms.room();
  assert.equal(version, 2);
  const { pos } = rooms.core.writer;
  const [last] = await rooms.core.store.readEvents({ after: pos - 1, upTo: pos, limit: 1 });
  assert.equal(last?.type, 'room.updated');
  assert.equal(JSON.parse(last?.data ?? '').room.firstSeq, 4);
  await rooms.runAfter(0);
  assert.equal((await rooms.room()).version, 2, 'without a removal, no event');
});

test('messages of a certain age are removed, and pinned ones stay', async (t) => {
  const rooms = await openRoom(t, { retention: { days: 2 } });
  const { id } = (await rooms.post('a')).json;
  await rooms.post('b');
  await rooms.send('PUT', `/api/message/${id}/pin`, { as: 'ana' });
  rooms.clock.advance(HOUR_MS);
  await rooms.post('c');
  await rooms.runAfter(2 * DAY_MS);
  assert.equal(await bodies(rooms), 'ac');
});

test('--retention applies to rooms without a setting', async (t) => {
  const rooms = await openRoom(t, {});
  await rooms.post('a');
  await rooms.runAfter(DAY_MS, DAY_MS);
  assert.equal(await bodies(rooms), 'a', 'a message of exactly that age is not older');
  await rooms.runAfter(DAY_MS + 1, DAY_MS);
  assert.equal(await bodies(rooms), '');
  assert.deepEqual([(await rooms.room()).firstSeq, (await rooms.room()).lastSeq], [2, 1]);
  await rooms.post('b');
  assert.deepEqual([(await rooms.room()).firstSeq, (await rooms.room()).lastSeq], [2, 2], 'numbers go on');
  const again = await rooms.restart();
  const room = (await again.send('GET', '/api/room/ops', { as: 'ana' })).json;
  assert.deepEqual([room.firstSeq, room.lastSeq], [2, 2]);
});

test('the id of a removed message is known for a week', async (t) => {
  const rooms = await openRoom(t, { retention: { maxMessages: 1 } });
  await rooms.post('a', 'message-1');
  await rooms.post('b', 'message-2');
  await rooms.runAfter(0);
  assert.equal(await bodies(rooms), 'b');
  assert.equal((await rooms.post('a', 'message-1')).status, 409);
});

test('a deleted room is removed for good after a week', async (t) => {
  const rooms = await openRoom(t, {});
  const { send, core } = rooms;
  await rooms.post('a');
  await send('DELETE', '/api/room/ops', { as: 'ana' });
  await rooms.runAfter(7 * DAY_MS - 1);
  assert.equal(core.state.all('room').size, 1);
  await rooms.runAfter(7 * DAY_MS);
  assert.equal(core.state.all('room').size, 0);
  const events = await core.store.readEvents({ after: 0, upTo: core.writer.pos, limit: 100 });
  assert.deepEqual(events, []);
  assert.equal((await send('POST', '/api/room', { as: 'ana', body: { name: 'Ops' } })).json.slug, 'ops');
});

test('only moderators see a preview of the removal', async (t) => {
  const { send } = await openRoom(t, {});
  assert.equal((await send('GET', '/api/room/ops/retention?colour=red')).status, 400);
  assert.deepEqual((await send('GET', '/api/room/ops/retention')).json.messages, 0);
});
