import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FakeClock } from '../../testing/fake/clock.ts';
import type { Cleanup } from '../../testing/processes.ts';
import { openTestRooms, type TestRooms, type TestRoomsOptions } from '../testing/app.ts';
import { openPeople, type TestPeople } from '../testing/people.ts';

interface Opened<R extends TestRooms> {
  readonly rooms: R;
  /** The path of a message of ana's. */
  readonly path: string;
}

/** A room with one message of ana's; ben is a member, kim is not. */
async function openWithMessage(
  t: Cleanup,
  visibility: 'public' | 'private' = 'public',
  given: TestRoomsOptions = {},
): Promise<Opened<TestPeople>> {
  const rooms = await openPeople(t, ['ana', 'ben', 'kim', 'mod', 'bot:ci'], given);
  await rooms.send('POST', '/api/room', {
    as: 'mod',
    body: { name: 'ops', visibility, members: ['ana', 'ben', 'ci'] },
  });
  const posted = await rooms.send('POST', '/api/room/ops/message', { as: 'ana', body: { body: 'hello' } });
  assert.equal(posted.status, 201, posted.text);
  return { rooms, path: `/api/message/${posted.json.id}` };
}

async function openAlone(t: Cleanup, given: TestRoomsOptions = {}): Promise<Opened<TestRooms>> {
  const rooms = await openTestRooms(t, given);
  await rooms.send('POST', '/api/room', { as: 'ana', body: { name: 'ops' } });
  const posted = await rooms.send('POST', '/api/room/ops/message', { as: 'ana', body: { body: 'hello' } });
  return { rooms, path: `/api/message/${posted.json.id}` };
}

const headOf = async (rooms: TestRooms) => rooms.core.writer.pos;

/** In this order. */
const RIGHTS: readonly (readonly [as: string, method: string, visibility: 'public' | 'private', status: number])[] = [
  ['ana', 'PUT', 'public', 200],
  ['ben', 'PUT', 'public', 403],
  ['ben', 'DELETE', 'public', 403],
  ['kim', 'PUT', 'public', 403],
  ['kim', 'DELETE', 'public', 403],
  ['mod', 'PUT', 'public', 403],
  ['admin', 'PUT', 'public', 403],
  ['ana', 'DELETE', 'public', 200],
  ['ben', 'DELETE', 'public', 403],
  ['ben', 'PUT', 'private', 403],
  ['ben', 'DELETE', 'private', 403],
  ['kim', 'GET', 'private', 404],
  ['kim', 'PUT', 'private', 404],
  ['kim', 'DELETE', 'private', 404],
];

for (const visibility of ['public', 'private'] as const) {
  test(`the permissions to change ana’s message in a ${visibility} room`, async (t) => {
    const { rooms, path } = await openWithMessage(t, visibility);
    for (const [as, method, where, status] of RIGHTS) {
      if (where !== visibility) continue;
      const answer = await rooms.send(method, path, { as, ...(method === 'PUT' ? { body: { body: as } } : {}) });
      assert.equal(answer.status, status, `${as} ${method} ${answer.text}`);
      if (status === 404) assert.equal(answer.headers.get('x-error-code'), 'message_not_found');
    }
    const { json } = await rooms.send('GET', path, { as: 'ana' });
    assert.equal(
      json.version,
      RIGHTS.filter(([, , where, status]) => where === visibility && status === 200).length + 1,
    );
  });
}

for (const as of ['mod', 'admin']) {
  test(`ana’s message is deleted by ${as}, and the audit log has it`, async (t) => {
    const { rooms, path } = await openWithMessage(t);
    assert.equal((await rooms.send('DELETE', path, { as })).json.deletedBy, as);
    assert.match((await rooms.send('GET', '/api/audit')).text, /message\.delete/);
  });
}

test('a private message answers an outsider as an absent one does', async (t) => {
  const { rooms, path } = await openWithMessage(t, 'private');
  for (const [method, rest] of [
    ['GET', ''],
    ['PUT', ''],
    ['DELETE', ''],
    ['GET', '/history'],
    ['PUT', '/reaction/x'],
    ['PUT', '/pin'],
  ] as const) {
    const body = method === 'PUT' ? { body: { body: 'x' } } : {};
    const real = await rooms.send(method, path + rest, { as: 'kim', ...body });
    const none = await rooms.send(method, `/api/message/no-such-message${rest}`, { as: 'kim', ...body });
    const id = path.slice('/api/message/'.length);
    assert.deepEqual([real.status, real.text.replace(id, '')], [none.status, none.text.replace('no-such-message', '')]);
    assert.equal(real.status, 404);
  }
});

test('moderators edit messages of machines, and the audit log has it', async (t) => {
  const { rooms } = await openWithMessage(t);
  const { json } = await rooms.send('POST', '/api/room/ops/message', {
    as: 'ci',
    body: { body: 'red', card: { n: 1 } },
  });
  const edit = (as: string) => rooms.send('PUT', `/api/message/${json.id}`, { as, body: { body: 'green' } });
  assert.equal((await edit('ben')).status, 403);
  const edited = await edit('mod');
  assert.deepEqual(
    [edited.status, edited.json.body, edited.json.card, edited.json.edited.by],
    [200, 'green', { n: 1 }, 'mod'],
  );
  const audit = await rooms.send('GET', '/api/audit');
  assert.match(audit.text, new RegExp(`message.update[^}]*${json.id}`));
});

test('an edit keeps place, files and card, and resets other omitted fields', async (t) => {
  const { rooms } = await openAlone(t);
  const file = await rooms.send('POST', '/api/file', { as: 'ana', body: 'log' });
  const content = { body: 'a', format: 'plain', silent: true, card: { n: 1 }, attachments: [file.json.id] };
  const { json } = await rooms.send('POST', '/api/room/ops/message', { as: 'ana', body: content });
  const put = (body: object) => rooms.send('PUT', `/api/message/${json.id}`, { as: 'ana', body });
  const edited = (await put({ body: 'b' })).json;
  assert.deepEqual(
    [edited.body, edited.format, edited.silent, edited.card, edited.attachments, edited.seq, edited.version],
    ['b', 'markdown', false, { n: 1 }, json.attachments, 2, 2],
  );
  const cleared = (await put({ body: 'b', card: null, attachments: [] })).json;
  assert.deepEqual([cleared.card, cleared.attachments, cleared.edited.count], [null, [], 2]);
  const wordless = await put({ card: null });
  assert.deepEqual([wordless.status, wordless.headers.get('x-error-code')], [400, 'invalid_body']);
  const file2 = await put({ attachments: [file.json.id] });
  assert.deepEqual([file2.status, file2.json.body], [200, '']);
});

test('an edit that changes nothing is no edit: the same version, and no event', async (t) => {
  const { rooms, path } = await openAlone(t);
  const read = await rooms.send('GET', path, { as: 'ana' });
  const before = await headOf(rooms);
  for (const body of [{ body: 'hello' }, read.json]) {
    const answer = await rooms.send('PUT', path, { as: 'ana', body });
    assert.deepEqual([answer.status, answer.headers.get('etag')], [200, '"m1"']);
    assert.deepEqual(answer.json, read.json);
  }
  assert.equal(await headOf(rooms), before);
});

test('the answer of a GET can be changed and sent back', async (t) => {
  const { rooms } = await openAlone(t);
  const file = await rooms.send('POST', '/api/file', { as: 'ana', body: 'log' });
  const content = { body: 'a', attachments: [file.json.id], card: { n: [1] } };
  const posted = await rooms.send('POST', '/api/room/ops/message', { as: 'ana', body: content });
  const path = `/api/message/${posted.json.id}`;
  await rooms.send('PUT', `${path}/reaction/👀`, { as: 'ana' });
  await rooms.send('PUT', `${path}/pin`, { as: 'ana' });
  const { json } = await rooms.send('GET', path, { as: 'ana' });
  const answer = await rooms.send('PUT', path, { as: 'ana', body: { ...json, body: 'b' } });
  const { version, edited, updatedAt, ...same } = answer.json;
  assert.equal(answer.status, 200);
  assert.deepEqual(same, Object.fromEntries(Object.entries({ ...json, body: 'b' }).filter(([key]) => key in same)));
});

test('an edit may not change permanent fields of a message', async (t) => {
  const { rooms, path } = await openAlone(t);
  for (const [field, value] of Object.entries({
    id: 'another-id',
    roomId: 'dev',
    seq: 9,
    type: 'alert',
    replyTo: 'another-id',
    threadId: 'another-id',
    alsoInRoom: true,
    author: { id: 'ben' },
  })) {
    const answer = await rooms.send('PUT', path, { as: 'ana', body: { body: 'x', [field]: value } });
    assert.deepEqual([answer.status, answer.headers.get('x-error-code')], [400, 'immutable_field']);
    assert.match(answer.json, new RegExp(`^${field}: `));
  }
});

test('an edit with unknown fields is refused by their names', async (t) => {
  const { rooms, path } = await openAlone(t);
  const answer = await rooms.send('PUT', path, { as: 'ana', body: { body: 'x', boddy: 'y' } });
  assert.deepEqual([answer.status, answer.headers.get('x-error-code')], [400, 'unknown_field']);
  assert.match(answer.json, /boddy/);
});

test('If-Match guards edits and deletions, and is required if the server is set so', async (t) => {
  const { rooms, path } = await openAlone(t, { options: { requireIfMatch: true } });
  const put = (headers: Record<string, string>) => rooms.send('PUT', path, { as: 'ana', body: { body: 'x' }, headers });
  assert.equal((await put({})).status, 428);
  const stale = await put({ 'if-match': '"m7"' });
  assert.deepEqual([stale.status, stale.headers.get('etag')], [412, '"m1"']);
  assert.equal((await put({ 'if-match': '"m1"' })).headers.get('etag'), '"m2"');
  const remove = (headers: Record<string, string>) => rooms.send('DELETE', path, { as: 'ana', headers });
  assert.equal((await remove({})).status, 428);
  assert.equal((await remove({ 'if-match': '"m1"' })).status, 412);
  assert.equal((await remove({ 'if-match': '"m2"' })).status, 200);
});

test('people edit within the window, machines always', async (t) => {
  const clock = new FakeClock();
  const { rooms, path } = await openWithMessage(t, 'public', { clock, options: { editWindowMs: 60_000 } });
  const { json } = await rooms.send('POST', '/api/room/ops/message', { as: 'ci', body: { body: 'red' } });
  clock.advance(59_999);
  assert.equal((await rooms.send('PUT', path, { as: 'ana', body: { body: 'x' } })).status, 200);
  clock.advance(1);
  const late = await rooms.send('PUT', path, { as: 'ana', body: { body: 'y' } });
  assert.deepEqual([late.status, late.headers.get('x-error-code')], [403, 'forbidden']);
  assert.equal((await rooms.send('PUT', `/api/message/${json.id}`, { as: 'ci', body: { body: 'y' } })).status, 200);
  assert.equal((await rooms.send('DELETE', path, { as: 'ana' })).status, 200);
});

test('a window of 0 forbids edits, a window of null never ends', async (t) => {
  const clock = new FakeClock();
  for (const [editWindowMs, status] of [
    [0, 403],
    [null, 200],
  ] as const) {
    const { rooms, path } = await openWithMessage(t, 'public', { clock, options: { editWindowMs } });
    clock.advance(editWindowMs === null ? 60_000 : 0);
    assert.equal((await rooms.send('PUT', path, { as: 'ana', body: { body: 'x' } })).status, status);
  }
});

test('the history shows earlier texts, to the author and moderators', async (t) => {
  const { rooms, path } = await openWithMessage(t);
  for (const body of ['two', 'three']) await rooms.send('PUT', path, { as: 'ana', body: { body } });
  for (const as of ['ana', 'mod']) {
    const { json } = await rooms.send('GET', `${path}/history`, { as });
    assert.deepEqual(
      json.history.map(({ version, body, editedBy }: Record<string, unknown>) => [version, body, editedBy]),
      [
        [1, 'hello', 'ana'],
        [2, 'two', 'ana'],
      ],
    );
  }
  assert.equal((await rooms.send('GET', `${path}/history`, { as: 'ben' })).status, 403);
  await rooms.send('DELETE', path, { as: 'ana' });
  assert.deepEqual((await rooms.send('GET', `${path}/history`, { as: 'ana' })).json, { history: [] });
});

test('no history is kept if the server keeps none', async (t) => {
  const { rooms, path } = await openAlone(t, { options: { keepEditHistory: false } });
  await rooms.send('PUT', path, { as: 'ana', body: { body: 'two' } });
  assert.deepEqual((await rooms.send('GET', `${path}/history`, { as: 'ana' })).json, { history: [] });
});

test('a deleted message is a tombstone for good, without its text', async (t) => {
  const { rooms, path } = await openAlone(t);
  await rooms.send('PUT', path, { as: 'ana', body: { body: 'a secret', card: { n: 'a secret' } } });
  await rooms.send('PUT', `${path}/reaction/👀`, { as: 'ben' });
  await rooms.send('PUT', `${path}/pin`, { as: 'ana' });
  const first = await rooms.send('DELETE', `${path}?reason=too%20much`, { as: 'ana' });
  const { deleted, deletedBy, deleteReason, body, card, reactions, pinned, seq } = first.json;
  assert.deepEqual(
    { deleted, deletedBy, deleteReason, body, card, reactions, pinned, seq },
    {
      deleted: true,
      deletedBy: 'ana',
      deleteReason: 'too much',
      body: '',
      card: null,
      reactions: [],
      pinned: false,
      seq: 1,
    },
  );
  const again = await rooms.send('DELETE', path, { as: 'ana' });
  assert.deepEqual([again.status, again.text], [200, first.text]);
  for (const [method, rest] of [
    ['PUT', ''],
    ['PUT', '/reaction/👀'],
    ['PUT', '/pin'],
  ] as const) {
    const answer = await rooms.send(method, path + rest, { as: 'ana', body: { body: 'x' } });
    assert.deepEqual([answer.status, answer.headers.get('x-error-code')], [409, 'deleted'], rest);
  }
  assert.deepEqual((await rooms.send('GET', '/api/room/ops', { as: 'ana' })).json.pinned, []);
  const log = await rooms.send('GET', '/api/event/log?since=0&wait=0', { as: 'ana' });
  assert.ok(!log.text.includes('a secret'), 'the log still says it');
});
