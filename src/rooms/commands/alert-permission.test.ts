// The right to use the alert server: admins of the server, and members of the rooms named by `--alerts-rooms`.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { eventually } from '../../testing/eventually.ts';
import { type AlertRoom, bearer, openAlertRoom } from '../testing/alert-room.ts';
import type { RoomsAnswer } from '../testing/app.ts';

const LINES = [
  '/alerts',
  '/silence 30d --force alertname=~.+',
  '/silence 1h a=b',
  '/silence? 1h a=b',
  '/unsilence live-silence',
];

async function mayNot({ asked }: AlertRoom, say: (line: string) => Promise<RoomsAnswer>): Promise<void> {
  const before = asked.length;
  for (const line of LINES) {
    const refused = await say(line);
    assert.deepEqual([refused.status, refused.headers.get('x-error-code')], [403, 'forbidden'], refused.text);
    assert.match(refused.json, /--alerts-rooms|server|guests/, line);
  }
  assert.equal(asked.length, before);
}

async function may(say: (line: string) => Promise<RoomsAnswer>): Promise<void> {
  for (const line of ['/alerts', '/silence 1h a=b', '/silence? 1h a=b', '/unsilence live-silence']) {
    const said = await say(line);
    assert.ok(said.status < 300, `${line}: ${said.status} ${said.text}`);
  }
}

test('without --alerts-rooms only admins of the server use the alert server', async (t) => {
  const room = await openAlertRoom(t);
  for (const as of ['ana', 'ben']) await mayNot(room, (line) => room.say(as, 'ops', line, { threadId: room.card }));
  const press = await room.send('POST', `/api/message/${room.card}/action/silence-1h`, { as: 'ana' });
  assert.equal(press.status, 403, press.text);
  assert.equal((await room.say('ben', 'ops', '/ack', { threadId: room.card })).status, 201, 'a card is the room’s own');
  await may((line) => room.say('admin', 'ops', line));
});

test('a guest makes no room, and an owner of another room has no power over alerts there', async (t) => {
  const room = await openAlertRoom(t, { alertsRooms: ['ops'] });
  assert.equal((await room.send('POST', '/api/room', { as: 'gus', body: { name: 'Own' } })).status, 403);
  const brought = await room.send('PUT', '/api/room/lair/member/gus', { as: 'mallory', body: { role: 'admin' } });
  assert.equal(brought.status, 201, brought.text);
  assert.equal((await room.send('POST', '/api/room', { as: 'gus', body: { name: 'Own' } })).status, 201);
  await mayNot(room, (line) => room.say('gus', 'lair', line));
  await mayNot(room, (line) => room.say('gus', 'own', line));
  await mayNot(room, (line) => room.say('gus', 'ops', line));
});

test('members of a named room use it there, and nowhere else', async (t) => {
  const room = await openAlertRoom(t, { alertsRooms: ['ops'] });
  await room.send('PUT', '/api/room/lair/member/ben', { as: 'mallory', body: { role: 'admin' } });
  await may((line) => room.say('ben', 'ops', line));
  await mayNot(room, (line) => room.say('ben', 'lair', line));
  await mayNot(room, (line) => room.say('mallory', 'lair', line));
});

test('joining a public room alone gives no right to its alert server; being added by a moderator does', async (t) => {
  const room = await openAlertRoom(t, { alertsRooms: ['ops'] });
  await room.send('PUT', '/api/room/ops', { as: 'ana', body: { name: 'Ops', visibility: 'public' } });
  assert.equal((await room.send('POST', '/api/room/ops/join', { as: 'mallory' })).status, 200);
  await mayNot(room, (line) => room.say('mallory', 'ops', line));
  await may((line) => room.say('ben', 'ops', line));
  await may((line) => room.say('ana', 'ops', line));
  await room.send('DELETE', '/api/room/ops/me', { as: 'ben' });
  await room.send('POST', '/api/room/ops/join', { as: 'ben' });
  await mayNot(room, (line) => room.say('ben', 'ops', line));
});

test('a member who becomes a guest loses the right to alerts', async (t) => {
  const room = await openAlertRoom(t, { alertsRooms: ['ops'] });
  await may((line) => room.say('ben', 'ops', line));
  await room.send('PUT', '/api/room/ops/member/ben', { as: 'ana', body: { role: 'guest' } });
  await mayNot(room, (line) => room.say('ben', 'ops', line));
});

test("an admin's token for certain rooms uses the alert server in named rooms alone", async (t) => {
  const room = await openAlertRoom(t, { alertsRooms: ['ops'] });
  const [ops, lair] = ['ops', 'lair'].map((slug) => room.core.state.get('slug', slug)?.roomId);
  const headers = bearer(await room.tokenOf('admin', { scopes: ['read', 'write', 'admin'], roomIds: [ops, lair] }));
  const say = (where: string) => (line: string) =>
    room.send('POST', `/api/room/${where}/message`, { headers, body: { body: line } });
  await mayNot(room, say('lair'));
  await may(say('ops'));
  const forced = await say('ops')('/silence 1h --force alertname=~.+');
  assert.equal(forced.status, 403, forced.text);
});

test("an admin's token without the scope admin gives no right to any room", async (t) => {
  const room = await openAlertRoom(t);
  await room.send('PUT', '/api/room/ops/member/admin', { as: 'ana', body: {} });
  const headers = bearer(await room.tokenOf('admin', { scopes: ['read', 'write'] }));
  await mayNot(room, (line) => room.send('POST', '/api/room/ops/message', { headers, body: { body: line } }));
});

const EVERYTHING = [
  'alertname=~.+',
  'alertname=~".*"',
  'alertname!=""',
  'alertname!=nobody',
  'alertname!~nobody',
  'alertname=~"(?s:.*)"',
  'alertname=~"[^~]*"',
  'alertname=~"x|.*"',
  'alertname=~".{1,}"',
  'alertname=~"\\\\S+|y"',
  'nothing=""',
  'alertname=~.+ instance!=nobody',
];
for (const matchers of EVERYTHING)
  test(`only an admin of the server silences ${matchers}, by force`, async (t) => {
    const room = await openAlertRoom(t, { alertsRooms: ['ops'] });
    const plain = await room.say('ben', 'ops', `/silence 1h ${matchers}`);
    assert.equal(plain.status, 400, plain.text);
    const forced = await room.say('ben', 'ops', `/silence 1h --force ${matchers}`);
    assert.deepEqual([forced.status, /admins? of the server/.test(forced.json)], [403, true], forced.text);
    const preview = await room.say('ben', 'ops', `/silence? 1h --force ${matchers}`);
    assert.equal(preview.status, 403, preview.text);
    assert.deepEqual(room.asked, []);
    assert.equal((await room.say('admin', 'ops', `/silence 1h --force ${matchers}`)).status, 201);
  });

test('only admins of the server give the slug of a named room', async (t) => {
  const room = await openAlertRoom(t, { alertsRooms: ['ops', 'oncall'] });
  const { send } = room;
  const make = (as: string, body: object) => send('POST', '/api/room', { as, body });
  for (const body of [
    { name: 'Mine', slug: 'oncall' },
    { name: 'Mine', slug: 'oncall', visibility: 'direct', members: ['gus'] },
  ]) {
    const refused = await make('mallory', body);
    assert.deepEqual([refused.status, refused.headers.get('x-error-code')], [403, 'forbidden'], refused.text);
  }
  for (const visibility of ['public', 'private', 'direct']) {
    const members = visibility === 'direct' ? ['gus'] : [];
    const made = await make('mallory', { name: 'On-Call'.replace('-', ''), visibility, members });
    assert.equal(made.status, 201, made.text);
    assert.notEqual(made.json.slug, 'oncall');
    await mayNot(room, (line) => room.say('mallory', made.json.id, line));
  }
  const renamed = { name: 'Lair', slug: 'oncall', visibility: 'private' };
  assert.equal((await send('PUT', '/api/room/lair', { as: 'mallory', body: renamed })).status, 403);
  const lair = room.core.state.get('slug', 'lair')?.roomId;
  const headers = bearer(
    await room.tokenOf('admin', { roomIds: [lair], scopes: ['read', 'write', 'manage', 'admin'] }),
  );
  assert.equal((await send('PUT', '/api/room/lair', { headers, body: renamed })).status, 403);
  assert.equal((await make('admin', { name: 'On call', slug: 'oncall' })).status, 201);
});

test('a named room that is renamed or deleted passes its power to no other room', async (t) => {
  const room = await openAlertRoom(t, { alertsRooms: ['ops'] });
  const { send } = room;
  const put = (slug: string) => ({ name: 'Ops', slug, visibility: 'private' });
  assert.equal((await send('PUT', '/api/room/ops', { as: 'ana', body: put('ops') })).status, 200, 'it keeps its slug');
  assert.equal((await send('PUT', '/api/room/ops', { as: 'ana', body: put('other') })).status, 200);
  await mayNot(room, (line) => room.say('ben', 'other', line));
  assert.equal((await send('PUT', '/api/room/other', { as: 'ana', body: put('ops') })).status, 403);
  assert.equal((await send('POST', '/api/room', { as: 'mallory', body: { name: 'Ops' } })).json.slug, 'ops-2');
  assert.equal((await send('PUT', '/api/room/other', { as: 'admin', body: put('ops') })).status, 200);
  assert.equal((await send('DELETE', '/api/room/ops', { as: 'ana' })).status, 200);
  const taken = await send('POST', '/api/room', { as: 'mallory', body: { name: 'x', slug: 'ops' } });
  assert.equal(taken.status, 403, taken.text);
});

test('the copilot of an unnamed room reports no firing alerts', async (t) => {
  const room = await openAlertRoom(t, { alertsRooms: ['ops'] });
  const { send, core } = room;
  const copilot = { provider: 'echo', context: { includeAlerts: true } };
  let ended = 0;
  core.writer.onCommit((committed) => {
    for (const { event } of committed) if (event.type === 'run.finished') ended++;
  });
  for (const [as, slug, name] of [
    ['mallory', 'lair', 'Lair'],
    ['ana', 'ops', 'Ops'],
  ] as const) {
    const body = { name, slug, visibility: 'private', labels: { alertname: 'DiskFull' }, copilot };
    assert.equal((await send('PUT', `/api/room/${slug}`, { as, body })).status, 200);
    assert.equal((await room.say(as, slug, '@copilot what fires?')).status, 201);
  }
  await eventually('both copilots have answered, and the alert server was asked', async () => {
    room.clock.advance(500);
    return ended === 2 && room.asked.length > 0;
  });
  assert.equal(room.asked.length, 1, 'for the room that is named');
});
