import assert from 'node:assert/strict';
import { test } from 'node:test';
import { eventually } from '../../testing/eventually.ts';
import { FakeClock } from '../../testing/fake/clock.ts';
import { isLongRound } from '../../testing/long-round.ts';
import type { Cleanup } from '../../testing/processes.ts';
import { openTestRooms, type RoomsAnswer, type TestRooms } from '../testing/app.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

interface Bridge {
  readonly rooms: TestRooms;
  readonly clock: FakeClock;
  notify(status: 'firing' | 'resolved', parts?: object): Promise<RoomsAnswer>;
  messages(): Promise<Record<string, unknown>[]>;
}

async function openBridge(t: Cleanup): Promise<Bridge> {
  const clock = new FakeClock('2030-01-02T08:00:00Z');
  const rooms = await openTestRooms(t, { clock });
  await rooms.send('POST', '/api/room', { as: 'ana', body: { name: 'Ops' } });
  const body = { direction: 'incoming', roomId: 'ops', name: 'Alerts' };
  const { path } = (await rooms.send('POST', '/api/hook', { as: 'ana', body })).json;
  return {
    rooms,
    clock,
    notify: (status, parts) => rooms.send('POST', path, { body: { ...webhook(status, clock.now()), ...parts } }),
    messages: async () => (await rooms.send('GET', '/api/room/ops/message?limit=200', { as: 'ana' })).json.messages,
  };
}

function webhook(status: 'firing' | 'resolved', now: number): object {
  const at = (ms: number) => new Date(ms).toISOString();
  return {
    version: '4',
    groupKey: '{}:{alertname="DiskFull"}',
    truncatedAlerts: 0,
    status,
    receiver: 'ops',
    groupLabels: { alertname: 'DiskFull' },
    commonLabels: { alertname: 'DiskFull', severity: 'critical', instance: 'web1' },
    commonAnnotations: { summary: '/var is full' },
    externalURL: 'http://alerts.example.com',
    alerts: [
      {
        status,
        labels: { alertname: 'DiskFull', severity: 'critical', instance: 'web1' },
        annotations: { summary: '/var is full' },
        startsAt: at(now - MINUTE),
        endsAt: status === 'resolved' ? at(now) : '0001-01-01T00:00:00Z',
        generatorURL: '',
        fingerprint: '0123456789abcdef',
      },
    ],
  };
}

test('an alert becomes a card, and its end changes the same card', async (t) => {
  const bridge = await openBridge(t);
  assert.equal((await bridge.notify('firing')).status, 201);
  assert.equal((await bridge.notify('resolved')).status, 200);
  const [card, note] = await eventually('the thread has a note', async () => {
    const messages = await bridge.messages();
    return messages.length === 2 ? messages : undefined;
  });
  assert.equal(card?.type, 'alert');
  assert.match(String(card?.body), /RESOLVED/);
  assert.equal(note?.threadId, card?.id);
});

test('a repeat without news changes nothing', async (t) => {
  const bridge = await openBridge(t);
  const { version } = (await bridge.notify('firing')).json;
  const { pos } = bridge.rooms.core.writer;
  assert.equal((await bridge.notify('firing')).json.version, version);
  assert.equal(bridge.rooms.core.writer.pos, pos);
});

test('many changes of state are one card and few lines in its thread', { only: isLongRound }, async (t) => {
  const bridge = await openBridge(t);
  const times = isLongRound ? 1_000 : 200;
  for (let i = 0; i < times; i++) {
    await bridge.notify(i % 2 === 0 ? 'firing' : 'resolved');
    bridge.clock.advance(1_000);
  }
  const messages = await bridge.messages();
  assert.equal(messages.filter(({ type }) => type === 'alert').length, 1);
  assert.ok(messages.length < 25, `${messages.length} messages`);
});

test('two servers that report the same group at the same moment make one card', async (t) => {
  const bridge = await openBridge(t);
  const answers = await Promise.all([
    bridge.notify('firing'),
    bridge.notify('firing', { externalURL: 'http://other.example.com' }),
  ]);
  assert.equal(answers[0]?.json.id, answers[1]?.json.id);
  assert.equal((await bridge.messages()).length, 1);
});

test('a group that fires again within a day of its end reuses its card, later it gets a new one', async (t) => {
  const bridge = await openBridge(t);
  const first = (await bridge.notify('firing')).json.id;
  await bridge.notify('resolved');
  bridge.clock.advance(23 * HOUR);
  assert.equal((await bridge.notify('firing')).json.id, first);
  await bridge.notify('resolved');
  bridge.clock.advance(25 * HOUR);
  const second = (await bridge.notify('firing')).json.id;
  assert.notEqual(second, first);
  assert.equal((await bridge.notify('resolved')).json.id, second);
});

test("which card is a group's last one survives a restart", async (t) => {
  const bridge = await openBridge(t);
  await bridge.notify('firing');
  await bridge.notify('resolved');
  bridge.clock.advance(25 * HOUR);
  const second = (await bridge.notify('firing')).json.id;
  const again = await bridge.rooms.restart();
  const listed = (await again.send('GET', `/api/message/${second}`, { as: 'ana' })).json;
  assert.equal(listed.card.state, 'firing');
});

test('a deleted card stays away until its group fires anew', async (t) => {
  const bridge = await openBridge(t);
  const first = (await bridge.notify('firing')).json.id;
  assert.equal((await bridge.rooms.send('DELETE', `/api/message/${first}`, { as: 'ana' })).status, 200);
  await bridge.notify('resolved');
  assert.equal((await bridge.messages()).filter(({ deleted }) => !deleted).length, 0);
  assert.notEqual((await bridge.notify('firing')).json.id, first);
});

test('another group, or the same of another receiver, has its own card', async (t) => {
  const bridge = await openBridge(t);
  const ids = [
    (await bridge.notify('firing')).json.id,
    (await bridge.notify('firing', { groupKey: '{}:{alertname="Other"}' })).json.id,
    (await bridge.notify('firing', { receiver: 'night' })).json.id,
  ];
  assert.equal(new Set(ids).size, 3);
});

test('a group that has ended before it was reported makes no message', async (t) => {
  const bridge = await openBridge(t);
  await bridge.notify('resolved');
  assert.equal((await bridge.messages())[0]?.silent, true);
});

test('a room counts its firing cards, and says so when the number changes', async (t) => {
  const { rooms, notify } = await openBridge(t);
  const { send } = rooms;
  const other = { groupKey: 'other' };
  const { id } = (await notify('firing')).json;
  const etag = (await send('GET', '/api/room/ops', { as: 'ana' })).headers.get('etag') ?? '';
  await notify('resolved');
  const read = await send('GET', '/api/room/ops', { as: 'ana', headers: { 'if-none-match': etag } });
  assert.deepEqual([read.status, read.json.firingAlerts], [200, 0], 'the tag changes with the number');
  const put = { as: 'ana', headers: { 'if-match': etag }, body: { name: 'Ops' } };
  assert.equal((await send('PUT', '/api/room/ops', put)).status, 200, 'alerts are no conflict');
  await notify('firing');
  await notify('firing', other);
  await notify('firing', other);
  await notify('resolved', other);
  await send('DELETE', `/api/message/${id}`, { as: 'ana' });
  await notify('firing', other);
  const { events } = (await send('GET', '/api/event/log?since=0&types=room.updated', { as: 'ana' })).json;
  const counts = events.map((event: { data: { room: { firingAlerts: number } } }) => event.data.room.firingAlerts);
  assert.deepEqual(counts, [1, 0, 1, 2, 1, 0, 1]);
  const again = await rooms.restart();
  assert.equal((await again.send('GET', '/api/room/ops', { as: 'ana' })).json.firingAlerts, 1);
});

test('a firing card that retention or the end of its room removes counts no longer', async (t) => {
  const { rooms, clock, notify } = await openBridge(t);
  const { core, send } = rooms;
  const { id } = (await notify('firing')).json;
  const room = (await send('GET', '/api/room/ops', { as: 'ana' })).json;
  await send('PUT', '/api/room/ops', { as: 'ana', body: { ...room, retention: { maxMessages: 1 } } });
  await send('POST', '/api/room/ops/message', { as: 'ana', body: { body: 'later' } });
  clock.advance(HOUR);
  await eventually('the card is removed', async () => (await send('GET', `/api/message/${id}`)).status === 404);
  await eventually('it is not counted', () => core.state.firingAlerts(room.id) === 0);
  await notify('firing', { groupKey: 'other' });
  assert.equal(core.state.firingAlerts(room.id), 1);
  await send('DELETE', '/api/room/ops?purge=now', { as: 'ana' });
  assert.deepEqual([core.state.firingAlerts(room.id), core.state.all('card').size], [0, 0]);
});
