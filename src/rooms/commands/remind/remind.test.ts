import assert from 'node:assert/strict';
import { test } from 'node:test';
import { eventually } from '../../../testing/eventually.ts';
import { FakeClock } from '../../../testing/fake/clock.ts';
import type { Cleanup } from '../../../testing/processes.ts';
import type { WireMessage } from '../../contract/message.ts';
import { deliverReminder } from '../../domain/command/reminder-delivery.ts';
import { openTestRooms, type TestRooms } from '../../testing/app.ts';

const NOW = '2030-01-02T08:00:00Z';
const MINUTE_MS = 60_000;

async function openOps(t: Cleanup): Promise<{ readonly rooms: TestRooms; readonly clock: FakeClock }> {
  const clock = new FakeClock(NOW);
  const rooms = await openTestRooms(t, { clock });
  await rooms.send('POST', '/api/room', { as: 'ana', body: { name: 'Ops' } });
  return { rooms, clock };
}

const say = ({ send }: TestRooms, body: string, fields: object = {}) =>
  send('POST', '/api/room/ops/message', { as: 'ana', body: { body, ...fields } });

const remindersIn = async ({ send }: TestRooms, as = 'ana'): Promise<readonly WireMessage[]> =>
  (await send('GET', '/api/room/ops/message', { as })).json.messages.filter(
    ({ author }: WireMessage) => author.kind === 'system',
  );

test('/remind mentions its user when the time has come, once', async (t) => {
  const { rooms, clock } = await openOps(t);
  const said = await say(rooms, '/remind 30m look at @ben and the disks');
  assert.equal(said.status, 201, said.text);
  assert.equal(said.json.body, 'reminder for 2030-01-02 08:30 UTC: `look at @ben and the disks`');
  clock.advance(29 * MINUTE_MS);
  clock.advance(MINUTE_MS);
  await eventually('the reminder is posted', async () => (await remindersIn(rooms)).length === 1);
  const [reminder] = await remindersIn(rooms);
  assert.deepEqual([reminder?.author.name, reminder?.body], ['Reminder', '@ana look at @ben and the disks']);
  assert.ok(reminder?.mentions.users.includes('ana'));
  assert.equal(rooms.core.state.all('reminder').size, 0);
});

test('a reminder survives a restart, also if its time has passed meanwhile', async (t) => {
  const { rooms, clock } = await openOps(t);
  await say(rooms, '/remind at 09:00 look');
  const restarted = rooms.restart();
  clock.advance(90 * MINUTE_MS);
  const again = await restarted;
  clock.advance(MINUTE_MS);
  await eventually('the reminder is posted', async () => (await remindersIn(again)).length === 1);
});

test('two nodes that post a reminder at the same time post one message', async (t) => {
  const { rooms, clock } = await openOps(t);
  const { id } = (await say(rooms, '/remind 30m look')).json;
  const reminder = rooms.core.state.get('reminder', id);
  assert.ok(reminder);
  const rules = { maxBodyBytes: 65_536, joinOnPost: false };
  const deliver = () => rooms.core.writer.submit(deliverReminder(reminder, rules));
  clock.advance(30 * MINUTE_MS);
  const delivered = await Promise.all([deliver(), deliver()]);
  assert.ok(delivered.every(({ ok }) => ok));
  assert.equal((await remindersIn(rooms)).length, 1);
});

test('the same line with the same id makes one reminder, also after it was posted', async (t) => {
  const { rooms, clock } = await openOps(t);
  const remind = () => say(rooms, '/remind 30m look', { id: 'remind-4711' });
  await remind();
  assert.equal((await remind()).status, 200);
  clock.advance(30 * MINUTE_MS);
  await eventually('the reminder is posted', async () => (await remindersIn(rooms)).length === 1);
  assert.equal((await remind()).status, 200);
  assert.equal(rooms.core.state.all('reminder').size, 0);
});

test('a reminder waits while its room is archived, and goes with its user', async (t) => {
  const { rooms, clock } = await openOps(t);
  await say(rooms, '/remind 30m look');
  await rooms.send('PUT', '/api/room/ops', { as: 'ana', body: { name: 'Ops', archived: true } });
  clock.advance(30 * MINUTE_MS);
  await rooms.core.writer.submit({ decide: () => ({ ok: true, write: null, answer: () => null }) });
  assert.equal(rooms.core.state.all('reminder').size, 1);
  await rooms.send('PUT', '/api/room/ops', { as: 'ana', body: { name: 'Ops', archived: false } });
  clock.advance(2 * MINUTE_MS);
  await eventually('the reminder is posted', async () => (await remindersIn(rooms)).length === 1);
  await say(rooms, '/remind 30m look');
  await rooms.send('DELETE', '/api/user/ana', { as: 'ben' });
  clock.advance(30 * MINUTE_MS);
  await eventually('the reminder is gone', () => rooms.core.state.all('reminder').size === 0);
  assert.equal((await remindersIn(rooms, 'ben')).length, 1);
});

test('/remind lists the reminders of its user, and its button cancels one', async (t) => {
  const { rooms } = await openOps(t);
  const { id } = (await say(rooms, '/remind tomorrow 8am look')).json;
  assert.match((await say(rooms, '/remind')).json.notice, /^- 2030-01-03 08:00 UTC: look/);
  const others = await rooms.send('POST', `/api/message/${id}/action/cancel`, { as: 'ben' });
  assert.equal(others.status, 403, others.text);
  const cancelled = await rooms.send('POST', `/api/message/${id}/action/cancel`, { as: 'ana' });
  assert.deepEqual([cancelled.status, cancelled.json.card.actions], [200, []]);
  assert.match((await say(rooms, '/remind')).json.notice, /^you have no reminders here/);
});
