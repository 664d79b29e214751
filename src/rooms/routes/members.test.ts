import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Cleanup } from '../../testing/processes.ts';
import { openTestRooms } from '../testing/app.ts';
import { openPeople, type TestPeople } from '../testing/people.ts';

/** Ana owns the room, ada administers it, ben is a member and gus a guest; kim is outside. */
async function openRoom(t: Cleanup, body: object = {}): Promise<TestPeople> {
  const people = await openPeople(t, ['ana', 'ada', 'ben', 'gus', 'kim']);
  const { send } = people;
  await send('POST', '/api/room', { as: 'ana', body: { name: 'Ops', members: ['ada', 'ben', 'gus'], ...body } });
  await send('PUT', '/api/room/ops/member/ada', { as: 'ana', body: { role: 'admin' } });
  await send('PUT', '/api/room/ops/member/gus', { as: 'ana', body: { role: 'guest' } });
  return people;
}

async function lastEvent({ core }: TestPeople): Promise<string | undefined> {
  const { pos } = core.writer;
  const [event] = await core.store.readEvents({ after: pos - 1, upTo: pos, limit: 1 });
  return event && `${event.type}${event.audience === null ? '' : ` to ${event.audience}`}`;
}

const RULES: readonly (readonly [string, string, object | undefined, number, string?])[] = [
  ['ben', 'PUT gus', { role: 'member' }, 403],
  ['gus', 'PUT gus', { role: 'member' }, 403],
  ['kim', 'PUT kim', {}, 403],
  ['ada', 'PUT gus', { role: 'member' }, 200],
  ['ada', 'PUT gus', { role: 'owner' }, 403],
  ['ada', 'PUT ana', { role: 'member' }, 403],
  ['ada', 'PUT ana', { silencedUntil: '2090-01-01T00:00:00Z' }, 403],
  ['ada', 'PUT kim', {}, 201],
  ['ada', 'PUT nobody', {}, 404, 'user_not_found'],
  ['ada', 'PUT gus', { role: 'king' }, 400, 'invalid_body'],
  ['ada', 'PUT gus', { colour: 'red' }, 400, 'unknown_field'],
  ['ana', 'PUT ben', { role: 'owner' }, 200],
  ['ana', 'PUT ana', { role: 'member' }, 409, 'last_owner'],
  ['admin', 'PUT ana', { role: 'member' }, 409, 'last_owner'],
  ['ben', 'DELETE gus', undefined, 403],
  ['ada', 'DELETE ana', undefined, 403],
  ['ada', 'DELETE gus', undefined, 204],
  ['ada', 'DELETE kim', undefined, 204],
  ['ben', 'DELETE ben', undefined, 204],
  ['ana', 'DELETE ana', undefined, 409, 'last_owner'],
  ['ben', 'DELETE gus?ban=true', undefined, 403],
  ['ada', 'DELETE ana?ban=true', undefined, 403],
  ['ada', 'DELETE ada?ban=true', undefined, 403],
  ['ada', 'DELETE nobody?ban=true', undefined, 404, 'user_not_found'],
];

test('the permissions of every role to add, change and remove members', async (t) => {
  for (const [as, request, body, status, code] of RULES) {
    const { send } = await openRoom(t);
    const [method = '', target = ''] = request.split(' ');
    const answer = await send(method, `/api/room/ops/member/${target}`, { as, ...(body ? { body } : {}) });
    const details = `${as} ${request} ${JSON.stringify(body)}: ${answer.text}`;
    assert.equal(answer.status, status, details);
    if (code !== undefined) assert.equal(answer.headers.get('x-error-code'), code, details);
  }
});

test('an owner may go when there is another one', async (t) => {
  const { send } = await openRoom(t);
  assert.equal((await send('DELETE', '/api/room/ops/me', { as: 'ana' })).status, 409);
  await send('PUT', '/api/room/ops/member/ben', { as: 'ana', body: { role: 'owner' } });
  assert.equal((await send('DELETE', '/api/room/ops/me', { as: 'ana' })).status, 204);
  assert.equal(
    (await send('DELETE', '/api/room/ops/me', { as: 'ana' })).status,
    204,
    'and a second departure changes nothing',
  );
  assert.equal((await send('GET', '/api/room/ops')).json.memberCount, 3);
});

test('a change of a member is announced once, and no change is not', async (t) => {
  const rooms = await openRoom(t);
  const { send, core } = rooms;
  const put = (body: object) => send('PUT', '/api/room/ops/member/ben', { as: 'ada', body });
  const muted = await put({ silencedUntil: '2090-01-01T00:00:00.000Z' });
  assert.deepEqual(
    [muted.json.role, muted.json.silencedUntil, muted.json.version],
    ['member', '2090-01-01T00:00:00.000Z', 2],
  );
  assert.equal(await lastEvent(rooms), 'member.updated');
  const { pos } = core.writer;
  assert.deepEqual((await put(muted.json)).json, muted.json, 'the answer can be put back');
  assert.equal(core.writer.pos, pos);
  const post = { as: 'ben', body: { body: 'x' } };
  assert.equal((await send('POST', '/api/room/ops/message', post)).status, 403, 'a timeout prevents posts');
  assert.equal((await put({})).json.silencedUntil, null);
  assert.equal((await send('POST', '/api/room/ops/message', post)).status, 201);
  await send('DELETE', '/api/room/ops/member/ben', { as: 'ada' });
  assert.equal(await lastEvent(rooms), 'member.left');
  await send('DELETE', '/api/room/ops/member/gus?ban=1', { as: 'ada' });
  assert.equal(await lastEvent(rooms), 'member.banned');
});

test('a banned member does not return alone, and sees nothing of a public room', async (t) => {
  const { send } = await openRoom(t);
  const invite = (await send('POST', '/api/room/ops/invite', { as: 'ana', body: {} })).json.code;
  await send('DELETE', '/api/room/ops/member/ben?ban=true', { as: 'ada' });
  assert.equal((await send('GET', '/api/room/ops', { as: 'ben' })).status, 404);
  assert.equal((await send('POST', '/api/room/ops/join', { as: 'ben' })).status, 404);
  assert.equal((await send('POST', `/api/invite/${invite}`, { as: 'ben' })).status, 403);
  assert.equal((await send('PUT', '/api/room/ops/member/ben', { as: 'ada', body: {} })).status, 201, 'but is added');
  assert.equal((await send('GET', '/api/room/ops', { as: 'ben' })).status, 200);
});

test('any user joins a public room, once, and earlier messages count as read', async (t) => {
  const { send, core } = await openRoom(t);
  await send('POST', '/api/room/ops/message', { as: 'ben', body: { body: 'before' } });
  const joined = await send('POST', '/api/room/ops/join', { as: 'kim' });
  assert.deepEqual([joined.status, joined.json.memberCount, joined.json.me.unread], [200, 5, 0]);
  const { pos } = core.writer;
  assert.equal((await send('POST', '/api/room/ops/join', { as: 'kim' })).status, 200);
  assert.equal(core.writer.pos, pos);
  await send('POST', '/api/room/ops/message', { as: 'ben', body: { body: 'to @kim' } });
  const { unread, unreadMentions } = (await send('GET', '/api/room/ops/me', { as: 'kim' })).json;
  assert.deepEqual([unread, unreadMentions], [1, 1]);
});

test('members are listed page by page', async (t) => {
  const { send } = await openRoom(t);
  const first = (await send('GET', '/api/room/ops/member?limit=3', { as: 'ben' })).json;
  const rest = (await send('GET', `/api/room/ops/member?limit=3&next=${first.next}`, { as: 'ben' })).json;
  const ids = [...first.members, ...rest.members].map(({ userId }) => userId);
  assert.deepEqual(ids, ['ada', 'ana', 'ben', 'gus']);
  assert.equal(rest.next, null);
});

test("a member's view is private: others neither see its changes nor change it", async (t) => {
  const rooms = await openRoom(t);
  const { send, core } = rooms;
  const me = (await send('GET', '/api/room/ops/me', { as: 'ben' })).json;
  const { pos } = core.writer;
  assert.deepEqual((await send('PUT', '/api/room/ops/me', { as: 'ben', body: me })).json, me);
  assert.equal(core.writer.pos, pos, 'the answer can be put back, and changes nothing');
  const wanted = { involvement: 'nothing', mutedUntil: '2090-01-01T00:00:00.000Z', archived: true, copilot: true };
  const changed = (await send('PUT', '/api/room/ops/me', { as: 'ben', body: wanted })).json;
  assert.deepEqual(changed, { ...me, ...wanted, version: 2 });
  assert.equal(await lastEvent(rooms), 'read.updated to ben');
  const again = (await send('PUT', '/api/room/ops/me', { as: 'ben', body: {} })).json;
  assert.deepEqual(again, { ...me, version: 3 }, 'an omitted field takes its default');
  assert.equal((await send('GET', '/api/room/ops/me', { as: 'kim' })).status, 404);
  assert.equal((await send('PUT', '/api/room/ops/me', { as: 'kim', body: {} })).status, 403);
});

test('a read position moves on, never back, and not beyond the last message', async (t) => {
  const rooms = await openRoom(t);
  const { send, core } = rooms;
  for (const body of ['1', '2', '3']) await send('POST', '/api/room/ops/message', { as: 'ana', body: { body } });
  const read = async (body: object, as = 'ben') => (await send('PUT', '/api/room/ops/read', { as, body })).json;
  const first = await read({ seq: 2 });
  assert.deepEqual([first.lastReadSeq, first.unread], [2, 1]);
  assert.equal(await lastEvent(rooms), 'read.updated to ben');
  const { pos } = core.writer;
  assert.equal((await read({ seq: 1 })).lastReadSeq, 2);
  assert.equal(core.writer.pos, pos);
  assert.equal((await read({ seq: 99 })).lastReadSeq, 3);
  const threads = await read({ threadReads: { 'thread-aa': 2, 'thread-bb': 99 } });
  assert.deepEqual([threads.lastReadSeq, threads.threadReads], [3, { 'thread-aa': 2, 'thread-bb': 3 }]);
  assert.deepEqual((await read({ threadReads: { 'thread-bb': 1 } })).threadReads, threads.threadReads);
  for (const body of [{}, { seq: -1 }, { seq: 1.5 }, { seq: '3' }, { seq: 1, x: 1 }, { threadReads: { no: 1 } }])
    assert.equal((await send('PUT', '/api/room/ops/read', { as: 'ben', body })).status, 400, JSON.stringify(body));
  assert.equal((await send('PUT', '/api/room/ops/read', { as: 'kim', body: { seq: 1 } })).status, 403);
});

test('without sign-in, unknown members are created, but not under any name', async (t) => {
  const { send } = await openTestRooms(t);
  await send('POST', '/api/room', { as: 'ana', body: { name: 'Ops' } });
  assert.equal((await send('PUT', '/api/room/ops/member/ben', { as: 'ana', body: {} })).status, 201);
  assert.equal((await send('PUT', '/api/room/ops/member/Not%20Good', { as: 'ana', body: {} })).status, 404);
});

test('every action of moderators is in the audit log', async (t) => {
  const { send, core } = await openRoom(t);
  await send('POST', '/api/room/ops/invite', { as: 'ada', body: {} });
  await send('DELETE', '/api/room/ops/member/gus?ban=true', { as: 'ada' });
  await send('PUT', '/api/room/ops', { as: 'ada', body: { name: 'Ops', archived: true } });
  await send('DELETE', '/api/room/ops', { as: 'ana' });
  const entries = await core.store.audit({ limit: 6 });
  assert.deepEqual(
    entries.map(({ by, action }) => `${by} ${action}`),
    [
      'ana room.delete',
      'ada room.archive',
      'ada member.ban',
      'ada invite.create',
      'ana member.update',
      'ana member.update',
    ],
  );
});

test('a membership has an ETag; the read position does not change it', async (t) => {
  const { send } = await openRoom(t);
  const path = '/api/room/ops/member/gus';
  const read = await send('GET', path, { as: 'ben' });
  assert.deepEqual([read.status, read.json.userId, read.json.role], [200, 'gus', 'guest']);
  const first = read.headers.get('etag') ?? '';
  assert.match(first, /^"p[\w-]{16}"$/);
  await send('POST', '/api/room/ops/message', { as: 'ana', body: { body: 'words' } });
  await send('PUT', '/api/room/ops/read', { as: 'gus', body: { seq: 1 } });
  assert.equal((await send('GET', path, { as: 'ben', headers: { 'if-none-match': first } })).status, 304);
  const put = { as: 'ana', body: { role: 'member' }, headers: { 'if-match': first } };
  const changed = await send('PUT', path, put);
  assert.equal(changed.status, 200, changed.text);
  const second = changed.headers.get('etag') ?? '';
  assert.notEqual(second, first);
  for (const late of [await send('PUT', path, put), await send('DELETE', path, { as: 'ana', headers: put.headers })]) {
    assert.deepEqual([late.status, late.headers.get('x-error-code')], [412, 'version_mismatch']);
    assert.equal(late.headers.get('etag'), second);
  }
  const anew = await send('PUT', path, { as: 'ana', body: {}, headers: { 'if-none-match': '*' } });
  assert.deepEqual([anew.status, anew.json], [412, 'gus is a member of the room already']);
  assert.equal((await send('DELETE', path, { as: 'ana', headers: { 'if-match': second } })).status, 204);
  assert.equal((await send('GET', path, { as: 'ana' })).status, 404);
  assert.equal((await send('PUT', path, { ...put, headers: { 'if-match': '*' } })).status, 412);
});

test('a room as seen by one member has a separate ETag, changed by any change of it', async (t) => {
  const { send } = await openRoom(t);
  const path = '/api/room/ops/me';
  const read = async (headers: Record<string, string> = {}) => {
    const answer = await send('GET', path, { as: 'ben', headers });
    return { ...answer, etag: answer.headers.get('etag') ?? '' };
  };
  const first = await read();
  assert.match(first.etag, /^"e[\w-]{16}"$/);
  assert.equal((await read()).etag, first.etag);
  const known = await read({ 'if-none-match': `"other", W/${first.etag}` });
  assert.deepEqual([known.status, known.text, known.etag], [304, '', first.etag]);
  await send('POST', '/api/room/ops/message', { as: 'ana', body: { body: 'hi @ben' } });
  const unread = await read({ 'if-none-match': first.etag });
  assert.deepEqual([unread.status, unread.json.unread, unread.etag === first.etag], [200, 1, false]);
  const moved = await send('PUT', '/api/room/ops/read', { as: 'ben', body: { seq: unread.json.lastReadSeq + 1 } });
  assert.notEqual(moved.headers.get('etag'), unread.etag);
  assert.equal((await read()).etag, moved.headers.get('etag'));
  const muted = await send('PUT', path, { as: 'ben', body: { involvement: 'nothing' } });
  assert.equal(muted.status, 200, muted.text);
  assert.equal((await read()).etag, muted.headers.get('etag'));
  assert.equal((await read({ 'if-none-match': moved.headers.get('etag') ?? '' })).status, 200);
});
