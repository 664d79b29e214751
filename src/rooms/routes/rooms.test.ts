import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Cleanup } from '../../testing/processes.ts';
import { openTestRooms, type TestRooms } from '../testing/app.ts';
import { openPeople } from '../testing/people.ts';

const json = { 'content-type': 'application/json' };

async function eventTypes({ core }: TestRooms): Promise<readonly string[]> {
  const events = await core.store.readEvents({ after: 0, upTo: core.writer.pos, limit: 1000 });
  return events.map(({ type, audience }) => (audience === null ? type : `${type} to ${audience}`));
}

async function openWithRoom(t: Cleanup, body: object = { name: 'Ops' }) {
  const rooms = await openTestRooms(t);
  const made = await rooms.send('POST', '/api/room', { as: 'ana', body });
  assert.equal(made.status, 201, made.text);
  const put = (change: unknown, as = 'ana', headers: Record<string, string> = {}) =>
    rooms.send('PUT', `/api/room/${made.json.id}`, { as, body: change, headers });
  return { ...rooms, room: made.json, put };
}

test('the creator of a room owns it, and a room has its defaults', async (t) => {
  const { room, send } = await openWithRoom(t, { name: '  Zahlungs-Übersicht  ', members: ['ben', 'ana', 'ben'] });
  const { id, createdAt, updatedAt, me, ...rest } = room;
  assert.match(id, /^[0-9a-f]{8}-[0-9a-f]{4}-7/);
  assert.equal(createdAt, updatedAt);
  assert.deepEqual(rest, {
    slug: 'zahlungs-ubersicht',
    name: 'Zahlungs-Übersicht',
    topic: '',
    description: '',
    visibility: 'public',
    readOnly: false,
    archived: false,
    historyVisibility: 'all',
    labels: {},
    retention: { days: null, maxMessages: null },
    slowModeSeconds: 0,
    pinned: [],
    copilot: null,
    createdBy: 'ana',
    version: 1,
    lastSeq: 0,
    firstSeq: 0,
    lastMessageAt: null,
    memberCount: 2,
    firingAlerts: 0,
    onlineCount: 0,
  });
  assert.equal(me.role, 'owner');
  const { members } = (await send('GET', `/api/room/${id}/member`, { as: 'ben' })).json;
  assert.deepEqual(
    members.map((member: { userId: string; role: string }) => [member.userId, member.role]),
    [
      ['ana', 'owner'],
      ['ben', 'member'],
    ],
  );
});

test('a room is found by its id and by its slug, with an ETag that saves sending it again', async (t) => {
  const { room, send } = await openWithRoom(t);
  for (const name of [room.id, 'ops']) {
    const found = await send('GET', `/api/room/${name}`, { as: 'ben' });
    assert.equal(found.status, 200);
    assert.equal(found.json.id, room.id);
    assert.equal(found.headers.get('etag'), '"r1-0"');
  }
  const again = await send('GET', '/api/room/ops', { headers: { 'if-none-match': '"r0-0", W/"r1-0"' } });
  assert.equal(again.status, 304);
  assert.equal(again.text, '');
});

test('a message changes the ETag of its room, and is no conflict for If-Match', async (t) => {
  const { put, send } = await openWithRoom(t);
  const read = (await send('GET', '/api/room/ops')).headers.get('etag') ?? '';
  await send('POST', '/api/room/ops/message', { as: 'ana', body: { body: 'one' } });
  const since = await send('GET', '/api/room/ops', { headers: { 'if-none-match': read } });
  assert.deepEqual([since.status, since.json.lastSeq, since.headers.get('etag')], [200, 1, '"r1-1"']);
  const changed = await put({ name: 'A' }, 'ana', { 'if-match': `"r9-1", ${read}` });
  assert.deepEqual([changed.status, changed.headers.get('etag')], [200, '"r2-1"']);
  assert.equal((await put({ name: 'B' }, 'ana', { 'if-match': '"r1-1"' })).headers.get('etag'), '"r2-1"');
});

test('a slug made of a name gives way; a requested one does not', async (t) => {
  const { send } = await openWithRoom(t);
  const second = await send('POST', '/api/room', { body: { name: 'ops!' } });
  assert.equal(second.json.slug, 'ops-2');
  const taken = await send('POST', '/api/room', { body: { name: 'Other', slug: 'ops' } });
  assert.equal(taken.status, 409);
  assert.equal(taken.headers.get('x-error-code'), 'name_taken');
  const likeAnId = await send('POST', '/api/room', { body: { name: 'x', slug: second.json.id } });
  assert.equal(likeAnId.status, 400);
  assert.equal((await send('POST', '/api/room', { body: { name: '会议' } })).json.slug, 'room');
});

test('the same people have one direct room', async (t) => {
  const { send } = await openTestRooms(t);
  const direct = (as: string, members: string[]) =>
    send('POST', '/api/room', { as, body: { visibility: 'direct', members } });
  const first = await direct('ana', ['ben']);
  assert.equal(first.status, 201);
  assert.equal(first.json.name, 'ana, ben');
  assert.equal((await send('DELETE', `/api/room/${first.json.id}/me`, { as: 'ben' })).status, 204);
  const again = await direct('ben', ['ana']);
  assert.equal(again.status, 200);
  assert.equal(again.json.id, first.json.id);
  assert.equal(again.json.memberCount, 2, 'a returning user is a member again');
  assert.notEqual((await direct('ana', ['ben', 'kim'])).json.id, first.json.id);
  const added = await send('PUT', `/api/room/${first.json.id}/member/kim`, { as: 'ana', body: {} });
  assert.equal(added.status, 403);
  const widened = await send('PUT', `/api/room/${first.json.id}`, { body: { name: 'x', visibility: 'public' } });
  assert.equal(widened.headers.get('x-error-code'), 'immutable_field');
  const renamed = await send('PUT', `/api/room/${first.json.id}`, { body: { name: 'we two' } });
  assert.equal(renamed.json.visibility, 'direct');
  const { rooms } = (await send('GET', '/api/room', { as: 'lee' })).json;
  assert.deepEqual(rooms, [], "not even an admin's list has it");
});

const FULL = {
  name: 'Ops',
  topic: 'payments',
  description: 'a\r\nb',
  visibility: 'private',
  readOnly: true,
  historyVisibility: 'joined',
  labels: { team: 'payments', env: 'prod' },
  retention: { days: 30, maxMessages: null },
  slowModeSeconds: 10,
  copilot: { provider: 'echo', instructions: 'be brief', context: { messages: 3 } },
};

test('the answer of a GET can be put back, and changes nothing', async (t) => {
  for (const body of [{ name: 'Ops' }, FULL]) {
    const { send, put, room, ...rest } = await openWithRoom(t, body);
    for (const read of [room, (await send('GET', `/api/room/${room.id}`, { as: 'ana' })).json]) {
      const before = (await eventTypes({ ...rest, send })).length;
      const put1 = await put(read);
      assert.equal(put1.status, 200, put1.text);
      assert.deepEqual(put1.json, room);
      assert.equal((await eventTypes({ ...rest, send })).length, before);
    }
  }
});

test('an omitted scalar takes its default, and an omitted nested value stays', async (t) => {
  const { put, room } = await openWithRoom(t, FULL);
  assert.equal(room.description, 'a\nb');
  const renamed = (await put({ name: 'New' })).json;
  assert.deepEqual(
    [renamed.slug, renamed.topic, renamed.description, renamed.readOnly, renamed.slowModeSeconds, renamed.version],
    ['ops', '', '', false, 0, 2],
  );
  assert.deepEqual(
    [renamed.labels, renamed.retention, renamed.copilot],
    [{ env: 'prod', team: 'payments' }, room.retention, room.copilot],
  );
  const cleared = (await put({ name: 'New', labels: {}, retention: null, copilot: null })).json;
  assert.deepEqual([cleared.labels, cleared.retention, cleared.copilot], [{}, { days: null, maxMessages: null }, null]);
});

test('renaming a private room does not open it', async (t) => {
  const { put } = await openWithRoom(t, FULL);
  const renamed = (await put({ name: 'New' })).json;
  assert.deepEqual([renamed.visibility, renamed.historyVisibility], ['private', 'joined']);
});

const REFUSED: readonly (readonly [unknown, string, string])[] = [
  [{}, 'invalid_body', 'empty'],
  [{ topic: 'x' }, 'invalid_body', 'name'],
  [{ name: '' }, 'invalid_body', 'name'],
  [{ copilot: [] }, 'invalid_body', 'copilot: must be an object'],
  [{ copilot: { context: [] } }, 'invalid_body', 'copilot.context: must be an object'],
  [{ name: 'x', retention: [] }, 'invalid_body', 'retention: must be an object'],
  [{ name: 'a\u0000b' }, 'invalid_body', 'control'],
  [{ name: 'x'.repeat(81) }, 'invalid_body', '80'],
  [{ name: 'x', colour: 'red' }, 'unknown_field', 'colour'],
  [{ name: 'x', users: ['ana'] }, 'immutable_field', 'users'],
  [{ users: ['ana'] }, 'immutable_field', 'users'],
  [{ name: 'x', members: [] }, 'immutable_field', 'members'],
  [{ name: 'x', id: 'another' }, 'immutable_field', 'id'],
  [{ name: 'x', createdBy: 'ben' }, 'immutable_field', 'createdBy'],
  [{ name: 'x', createdAt: 5 }, 'immutable_field', 'createdAt'],
  [{ name: 'x', pinned: ['a-message'] }, 'immutable_field', 'pinned'],
  [{ name: 'x', visibility: 'direct' }, 'immutable_field', 'visibility'],
  [{ name: 'x', slug: 'Not Good' }, 'invalid_body', 'slug'],
  [{ name: 'x', labels: { 'a=b': '1' } }, 'invalid_body', 'labels'],
  [{ name: 'x', slowModeSeconds: 3601 }, 'invalid_body', 'slowModeSeconds'],
  [{ name: 'x', retention: { days: 0 } }, 'invalid_body', 'retention.days'],
  [{ name: 'x', copilot: true }, 'invalid_body', 'copilot'],
  [{ copilot: 'yes' }, 'invalid_body', 'copilot'],
  [{ copilot: { colour: 1 } }, 'unknown_field', 'copilot.colour'],
  [{ copilot: { context: { messages: 201 } } }, 'invalid_body', 'copilot.context.messages'],
  [{ copilot: { provider: 'nobody' } }, 'invalid_body', 'copilot.provider'],
  [{ copilot: { redact: { patterns: ['('] } } }, 'invalid_body', 'copilot.redact.patterns'],
  [[], 'invalid_body', ''],
  [null, 'invalid_body', ''],
];

test('an invalid PUT is refused by the name of its fault', async (t) => {
  const { send, put, room } = await openWithRoom(t);
  for (const [body, code, named] of REFUSED) {
    const refused = await put(JSON.stringify(body), 'ana', json);
    assert.equal(refused.status, 400, JSON.stringify(body));
    assert.equal(refused.headers.get('x-error-code'), code, JSON.stringify(body));
    assert.ok(refused.json.includes(named), `${refused.json} names ${named}`);
  }
  assert.deepEqual((await send('GET', '/api/room/ops', { as: 'ana' })).json, room);
});

test('a body of copilot alone manages the copilot and touches nothing else', async (t) => {
  const { put, room, ...rest } = await openWithRoom(t, { ...FULL, copilot: null });
  const { copilot, version, updatedAt, ...others } = (await put({ copilot: { provider: 'echo' } })).json;
  const { copilot: _, version: __, updatedAt: ___, ...before } = room;
  assert.deepEqual(others, before);
  assert.equal(version, 2);
  assert.equal(copilot.trigger, 'mention');
  assert.equal((await put({ copilot: { provider: 'echo' } })).json.version, 2, 'the same again changes nothing');
  const removed = (await put({ copilot: null })).json;
  assert.deepEqual([removed.copilot, removed.version], [null, 3]);
  assert.deepEqual((await eventTypes(rest)).slice(-4), [
    'copilot.updated',
    'room.updated',
    'copilot.updated',
    'room.updated',
  ]);
});

test('copilot: true is the personal switch of any member, and the room stays unchanged', async (t) => {
  const rooms = await openPeople(t, ['ana', 'ben', 'kim']);
  const { send } = rooms;
  const room = (await send('POST', '/api/room', { as: 'ana', body: { name: 'Ops', members: ['ben'] } })).json;
  const on = await send('PUT', '/api/room/ops', { as: 'ben', body: { copilot: true } });
  assert.equal(on.status, 200);
  assert.deepEqual([on.json.me.copilot, on.json.version], [true, 1]);
  assert.equal((await send('GET', '/api/room/ops/me', { as: 'ana' })).json.copilot, false);
  assert.equal((await eventTypes(rooms)).at(-1), 'read.updated to ben');
  assert.equal((await send('PUT', '/api/room/ops', { as: 'ben', body: { copilot: false } })).json.me.copilot, false);
  assert.equal((await send('PUT', '/api/room/ops', { as: 'kim', body: { copilot: true } })).status, 403);
  for (const body of [{ copilot: {} }, { copilot: null }, { name: 'x' }])
    assert.equal((await send('PUT', `/api/room/${room.id}`, { as: 'ben', body })).status, 403, 'moderators alone');
});

test('an outsider of a private room learns nothing of it', async (t) => {
  const { send } = await openPeople(t, ['ana', 'ben']);
  await send('POST', '/api/room', { as: 'ana', body: { name: 'Secret', visibility: 'private' } });
  const requests: readonly (readonly [string, string, unknown?])[] = [
    ['GET', ''],
    ['PUT', '', { name: 'x' }],
    ['PUT', '', { copilot: true }],
    ['DELETE', ''],
    ['POST', '/join'],
    ['GET', '/me'],
    ['PUT', '/me', {}],
    ['DELETE', '/me'],
    ['GET', '/member'],
    ['PUT', '/member/ben', {}],
    ['DELETE', '/member/ana'],
    ['GET', '/invite'],
    ['POST', '/invite', {}],
    ['PUT', '/read', { seq: 1 }],
    ['GET', '/export'],
    ['GET', '/retention'],
  ];
  for (const [method, path, body] of requests) {
    const parts = { as: 'ben', ...(body === undefined ? {} : { body }) };
    const hidden = await send(method, `/api/room/secret${path}`, parts);
    const missing = await send(method, `/api/room/nowhere${path}`, parts);
    assert.equal(hidden.status, 404, `${method} ${path}`);
    assert.equal(hidden.headers.get('x-error-code'), 'room_not_found', `${method} ${path}`);
    assert.equal(hidden.text.replace('secret', 'nowhere'), missing.text);
  }
  assert.deepEqual((await send('GET', '/api/room', { as: 'ben' })).json.rooms, []);
  assert.equal((await send('GET', '/api/room/secret', { as: 'admin' })).status, 200, 'a server admin reads all');
});

test('a public room is readable for all, and changed by its moderators alone', async (t) => {
  const { send } = await openPeople(t, ['ana', 'ben']);
  await send('POST', '/api/room', { as: 'ana', body: { name: 'Ops' } });
  const read = await send('GET', '/api/room/ops', { as: 'ben' });
  assert.equal(read.status, 200);
  assert.equal('me' in read.json, false);
  assert.equal((await send('PUT', '/api/room/ops', { as: 'ben', body: { name: 'x' } })).status, 403);
  assert.equal((await send('DELETE', '/api/room/ops', { as: 'ben' })).status, 403);
});

test('If-Match prevents overwriting a change of another', async (t) => {
  const { put } = await openWithRoom(t);
  assert.equal((await put({ name: 'A' }, 'ana', { 'if-match': '"r1"' })).headers.get('etag'), '"r2-0"');
  const late = await put({ name: 'B' }, 'ana', { 'if-match': '"r1"' });
  assert.equal(late.status, 412);
  assert.equal(late.headers.get('etag'), '"r2-0"');
  assert.equal(typeof late.json, 'string');
  assert.equal((await put({ name: 'B' }, 'ana', { 'if-match': 'W/"r2-0"' })).status, 412, 'weak tags never match');
  assert.equal((await put({ name: 'B' }, 'ana', { 'if-match': '*' })).status, 200);
});

test('with --require-if-match nothing is changed without it', async (t) => {
  const { send } = await openTestRooms(t, { options: { requireIfMatch: true } });
  await send('POST', '/api/room', { body: { name: 'Ops' } });
  const blind = await send('PUT', '/api/room/ops', { body: { name: 'x' } });
  assert.equal(blind.status, 428);
  assert.equal(blind.headers.get('x-error-code'), 'precondition_required');
  const seen = await send('PUT', '/api/room/ops', { body: { name: 'x' }, headers: { 'if-match': '"r1"' } });
  assert.equal(seen.status, 200);
});

test('archiving is announced as such, and an archived room accepts nothing but its own PUT', async (t) => {
  const { put, send, ...rest } = await openWithRoom(t);
  assert.equal((await put({ name: 'Ops', archived: true })).json.archived, true);
  assert.equal((await eventTypes({ ...rest, send })).at(-1), 'room.archived');
  for (const [method, path, body] of [
    ['POST', '/join', undefined],
    ['PUT', '/member/kim', {}],
    ['POST', '/invite', {}],
  ] as const) {
    const refused = await send(method, `/api/room/ops${path}`, { as: 'ben', ...(body ? { body } : {}) });
    assert.equal(refused.status, 409, path);
    assert.equal(refused.headers.get('x-error-code'), 'archived');
  }
  assert.equal((await put({ copilot: {} })).status, 409);
  assert.equal((await put({ name: 'Ops' })).json.archived, false);
  assert.equal((await eventTypes({ ...rest, send })).at(-1), 'room.updated');
});

test('a deleted room is a tombstone: gone for all, and the same when it is deleted again', async (t) => {
  const { send, room } = await openWithRoom(t);
  const deleted = await send('DELETE', '/api/room/ops', { as: 'ana' });
  assert.equal(deleted.status, 200);
  assert.equal(deleted.json.deleted, true);
  assert.deepEqual((await send('DELETE', '/api/room/ops', { as: 'ana' })).json, deleted.json);
  assert.equal((await send('GET', '/api/room/ops', { as: 'ana' })).status, 404);
  const next = await send('POST', '/api/room', { as: 'ana', body: { name: 'ops' } });
  assert.equal(next.json.slug, 'ops', 'its name is free again');
  assert.notEqual((await send('GET', '/api/room/ops')).json.id, room.id);
});

test('purge=now leaves nothing, also after a restart', async (t) => {
  const rooms = await openWithRoom(t, { name: 'Ops', copilot: { provider: 'openai', apiKey: 'sk-0123456789abcdef' } });
  const { send, room } = rooms;
  await send('POST', '/api/message', { as: 'ana', body: { roomId: room.id, body: 'hello' } });
  assert.equal((await send('DELETE', '/api/room/ops?purge=now', { as: 'ana' })).status, 200);
  assert.equal((await send('DELETE', '/api/room/ops', { as: 'ana' })).status, 404);
  const { core } = await rooms.restart();
  for (const kind of ['room', 'slug', 'member', 'secret'] as const) assert.equal(core.state.all(kind).size, 0, kind);
});

test('with sign-in, unknown members are refused by name', async (t) => {
  const { send } = await openPeople(t, ['ana']);
  const refused = await send('POST', '/api/room', { as: 'ana', body: { name: 'Ops', members: ['nobody'] } });
  assert.equal(refused.status, 400);
  assert.match(refused.json, /nobody/);
});
