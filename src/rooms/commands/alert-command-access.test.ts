// Commands do nothing, here or at the alert server, unless their caller could post the result.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Cleanup } from '../../testing/processes.ts';
import { type AlertRoom, bearer, openAlertRoom } from '../testing/alert-room.ts';
import type { RoomsAnswer } from '../testing/app.ts';

const LINES = [
  '/ack',
  '/unack',
  '/silence 1h',
  '/silence? 1h',
  '/silence 1h a=b',
  '/unsilence live-silence',
  '/alerts',
];
const BUTTONS = ['ack', 'unack', 'silence-1h'];

/** Both rooms may use the alert server: refusals here have another reason. */
const open = (t: Cleanup): Promise<AlertRoom> => openAlertRoom(t, { alertsRooms: ['ops', 'lair'] });

async function refusesAll(
  { asked, cardNow }: AlertRoom,
  say: (line: string) => Promise<RoomsAnswer>,
  code: string,
  lines: readonly string[] = LINES,
): Promise<void> {
  const before = await cardNow();
  for (const line of lines) {
    const refused = await say(line);
    assert.equal(refused.headers.get('x-error-code'), code, `${line}: ${refused.status} ${refused.text}`);
    assert.doesNotMatch(refused.text, /DiskFull|web1/, line);
  }
  assert.deepEqual(await cardNow(), before);
  assert.deepEqual(asked, []);
}

for (const reference of ['threadId', 'replyTo'])
  test(`a command does not reach the card of another room by ${reference}`, async (t) => {
    const room = await open(t);
    await refusesAll(room, (line) => room.say('mallory', 'lair', line, { [reference]: room.card }), 'invalid_body');
    await refusesAll(room, (line) => room.say('mallory', 'ops', line, { [reference]: room.card }), 'room_not_found');
    const press = (name: string) => room.send('POST', `/api/message/${room.card}/action/${name}`, { as: 'mallory' });
    await refusesAll(room, press, 'message_not_found', BUTTONS);
  });

test('a card from before the caller joined is out of reach if history is hidden', async (t) => {
  const room = await open(t);
  const put = { name: 'Ops', visibility: 'private', historyVisibility: 'joined' };
  assert.equal((await room.send('PUT', '/api/room/ops', { as: 'ana', body: put })).status, 200);
  await room.send('PUT', '/api/room/ops/member/mallory', { as: 'ana', body: {} });
  for (const reference of ['threadId', 'replyTo'])
    await refusesAll(room, (line) => room.say('mallory', 'ops', line, { [reference]: room.card }), 'invalid_body');
});

const BARRED: readonly (readonly [string, string, string, (room: AlertRoom) => Promise<RoomsAnswer>])[] = [
  ['a guest', 'gus', 'forbidden', ({ send }) => send('GET', '/api/room/ops', { as: 'gus' })],
  [
    'a muted member',
    'ben',
    'forbidden',
    ({ send }) =>
      send('PUT', '/api/room/ops/member/ben', { as: 'ana', body: { silencedUntil: '2031-01-01T00:00:00Z' } }),
  ],
  [
    'a member of a read-only room',
    'ben',
    'read_only_room',
    ({ send }) =>
      send('PUT', '/api/room/ops', { as: 'ana', body: { name: 'Ops', visibility: 'private', readOnly: true } }),
  ],
  [
    'a member of an archived room',
    'ben',
    'archived',
    ({ send }) =>
      send('PUT', '/api/room/ops', { as: 'ana', body: { name: 'Ops', visibility: 'private', archived: true } }),
  ],
  [
    'a removed member',
    'ben',
    'room_not_found',
    ({ send }) => send('DELETE', '/api/room/ops/member/ben', { as: 'ana' }),
  ],
];
for (const [caller, as, code, bar] of BARRED)
  test(`${caller} gives no command and presses no button`, async (t) => {
    const room = await open(t);
    assert.ok((await bar(room)).status < 300);
    await refusesAll(room, (line) => room.say(as, 'ops', line, { threadId: room.card }), code);
    const press = (name: string) => room.send('POST', `/api/message/${room.card}/action/${name}`, { as });
    await refusesAll(room, press, code === 'room_not_found' ? 'message_not_found' : code, BUTTONS);
  });

test('slow mode applies to commands, before anything is done', async (t) => {
  const room = await open(t);
  const put = { name: 'Ops', visibility: 'private', slowModeSeconds: 60 };
  assert.equal((await room.send('PUT', '/api/room/ops', { as: 'ana', body: put })).status, 200);
  assert.equal((await room.say('ben', 'ops', 'the one message')).status, 201);
  await refusesAll(room, (line) => room.say('ben', 'ops', line, { threadId: room.card }), 'slow_mode');
});

test('an id taken by any message is refused before the command does anything', async (t) => {
  const room = await open(t);
  const ids = ['of-ana-123', 'of-ben-123'];
  await room.say('ana', 'ops', 'words', { id: ids[0] });
  await room.say('ben', 'ops', 'words', { id: ids[1] });
  for (const id of ids)
    await refusesAll(room, (line) => room.say('ben', 'ops', line, { id, threadId: room.card }), 'id_conflict');
  const reply = await room.say('ben', 'ops', 'words', { threadId: room.card });
  await refusesAll(room, (line) => room.say('ben', 'ops', line, { threadId: reply.json.id }), 'invalid_body');
});

test('the id of a command in another room, or of a deleted one, is not that command again', async (t) => {
  const room = await open(t);
  await room.send('PUT', '/api/room/lair/member/ben', { as: 'mallory', body: {} });
  const id = 'a-command-1';
  assert.equal((await room.say('ben', 'ops', '/ack', { id, threadId: room.card })).status, 201);
  const before = room.asked.length;
  const elsewhere = await room.say('ben', 'lair', '/silence 1h a=b', { id });
  assert.equal(elsewhere.headers.get('x-error-code'), 'id_conflict', elsewhere.text);
  await room.send('DELETE', `/api/message/${id}`, { as: 'ben' });
  const again = await room.say('ben', 'ops', '/ack', { id, threadId: room.card });
  assert.equal(again.headers.get('x-error-code'), 'deleted', again.text);
  assert.equal(room.asked.length, before);
});

test('a command that could not be posted afterwards silences nothing', async (t) => {
  const room = await open(t);
  const lines: readonly (readonly [string, RegExp])[] = [
    [`/silence 1h a=b -- ${'x'.repeat(65_520)}`, /too_large/],
    [`/silence 1h a=b -- ${'x'.repeat(65_400)}`, /too_large/],
    [`/silence 1h ${Array.from({ length: 2_000 }, (_, index) => `label${index}="some value"`).join(' ')}`, /too_large/],
    ['/silence 1h a=b -- \0', /invalid_body/],
    ['/silence 1h a=b -- \ud800', /invalid_body|invalid_json/],
  ];
  for (const [line, code] of lines) {
    const refused = await room.say('ben', 'ops', line);
    assert.match(refused.headers.get('x-error-code') ?? String(refused.status), code, refused.text.slice(0, 200));
  }
  assert.deepEqual(
    room.asked.filter(({ method }) => method !== 'GET'),
    [],
  );
});

test('the same command twice at the same moment silences once', async (t) => {
  const room = await open(t);
  const said = await Promise.all(
    Array.from({ length: 5 }, () => room.say('ben', 'ops', '/silence 1h a=b', { id: 'silence-once' })),
  );
  assert.deepEqual(said.map(({ status }) => status).sort(), [200, 200, 200, 200, 201]);
  assert.equal(room.asked.filter(({ method }) => method === 'POST').length, 1);
});

test('a token for another room gives no command', async (t) => {
  const room = await open(t);
  await room.send('PUT', '/api/room/lair/member/ben', { as: 'mallory', body: {} });
  const lair = (await room.send('GET', '/api/room/lair')).json.id;
  const headers = bearer(await room.tokenOf('ben', { roomIds: [lair] }));
  const say = (where: string) => (line: string) =>
    room.send('POST', `/api/room/${where}/message`, { headers, body: { body: line, threadId: room.card } });
  await refusesAll(room, say('ops'), 'room_not_found');
  await refusesAll(room, say('lair'), 'invalid_body');
});

test('a read-only token gives no command', async (t) => {
  const room = await open(t);
  const headers = bearer(await room.tokenOf('ben', { scopes: ['read', 'react', 'manage', 'hook', 'export'] }));
  const say = (line: string) =>
    room.send('POST', '/api/room/ops/message', { headers, body: { body: line, threadId: room.card } });
  await refusesAll(room, say, 'scope_missing');
  const press = (name: string) => room.send('POST', `/api/message/${room.card}/action/${name}`, { headers });
  await refusesAll(room, press, 'scope_missing', BUTTONS);
});

type Write = NonNullable<Parameters<AlertRoom['core']['writer']['submit']>[0]>;

/** The content of a message, changed as an import or an earlier version might have written it. */
async function spoil({ core }: AlertRoom, id: string, changes: object): Promise<void> {
  const change: Write = {
    messages: [id],
    decide(view) {
      const stored = view.message(id);
      assert.ok(stored);
      const message = { ...stored.message, ...changes };
      const events = [{ type: 'message.updated' as const, roomId: message.roomId, message }];
      return { ok: true, write: { events }, answer: () => null };
    },
  };
  assert.ok((await core.writer.submit(change)).ok);
}

test('a false or damaged card is no alert, and breaks nothing', async (t) => {
  const room = await open(t);
  const { card } = (await room.send('GET', `/api/message/${room.card}`, { as: 'ana' })).json;
  const bot = { id: 'robot', name: 'robot', kind: 'bot' };
  const spoiled: readonly object[] = [
    { author: bot },
    { type: 'text' },
    { card: { kind: 'alert' } },
    { card: { ...card, counts: null } },
    { card: { ...card, group: 7 } },
    { card: { ...card, links: [null] } },
    { card: { ...card, groupLabels: { a: { b: 1 } } } },
    { card: { ...card, startedAt: 'yesterday' } },
    { card: null },
  ];
  const before = (await room.core.store.messages([room.card]))[0]?.message;
  for (const changes of spoiled) {
    await spoil(room, room.card, { ...before, ...changes });
    for (const line of ['/ack', '/unack', '/silence 1h', '/silence? 1h']) {
      const refused = await room.say('ben', 'ops', line, { threadId: room.card });
      assert.equal(refused.status, 400, `${JSON.stringify(changes)} ${line}: ${refused.text}`);
    }
    for (const name of BUTTONS)
      assert.equal((await room.send('POST', `/api/message/${room.card}/action/${name}`, { as: 'ben' })).status, 400);
    for (const path of [`/api/message/${room.card}`, '/api/room/ops/message', '/api/room/ops/export?format=html'])
      assert.equal((await room.send('GET', path, { as: 'ana' })).status, 200, path);
  }
  assert.deepEqual(room.asked, []);
});
