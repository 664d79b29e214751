import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Cleanup } from '../../testing/processes.ts';
import { openTestRooms, type TestRooms } from '../testing/app.ts';
import { openPeople } from '../testing/people.ts';

async function openRoom(t: Cleanup): Promise<TestRooms> {
  const rooms = await openTestRooms(t);
  const room = await rooms.send('POST', '/api/room', { as: 'ana', body: { name: 'ops' } });
  assert.equal(room.status, 201, room.text);
  return rooms;
}

const post = (rooms: TestRooms, body: object, as = 'ana') =>
  rooms.send('POST', '/api/message', { as, body: { roomId: 'ops', ...body } });

test('a post is answered with 201, Location and ETag, and can be read there', async (t) => {
  const rooms = await openRoom(t);
  const posted = await post(rooms, { body: 'hello @ben' });
  assert.equal(posted.status, 201);
  assert.equal(posted.headers.get('etag'), '"m1"');
  assert.equal(posted.headers.get('location'), `/api/message/${posted.json.id}`);
  assert.match(posted.json.id, /^[0-9a-f]{8}-[0-9a-f]{4}-7/);
  const read = await rooms.send('GET', `/api/message/${posted.json.id}`, { as: 'ana' });
  assert.equal(read.text, posted.text);
  assert.equal(read.headers.get('etag'), '"m1"');
  const { seq, author, type, format, status, version } = posted.json;
  assert.deepEqual(
    { seq, author, type, format, status, version },
    {
      seq: 1,
      author: { id: 'ana', name: 'ana', kind: 'human' },
      type: 'text',
      format: 'markdown',
      status: 'complete',
      version: 1,
    },
  );
});

test('a GET of a known version is answered with 304, a HEAD without a body', async (t) => {
  const rooms = await openRoom(t);
  const { json } = await post(rooms, { body: 'hello' });
  const headers = { 'if-none-match': '"m1"' };
  const again = await rooms.send('GET', `/api/message/${json.id}`, { as: 'ana', headers });
  assert.deepEqual([again.status, again.text, again.headers.get('etag')], [304, '', '"m1"']);
  const head = await rooms.send('HEAD', `/api/message/${json.id}`, { as: 'ana' });
  assert.deepEqual([head.status, head.text, head.headers.get('etag')], [200, '', '"m1"']);
});

test('a post under an id chosen by the server is recognised by its content', async (t) => {
  const rooms = await openRoom(t);
  const { json: first } = await post(rooms, { body: 'hello', alsoInRoom: false });
  const again = await post(rooms, { id: first.id, body: 'hello' });
  assert.deepEqual([again.status, again.json.seq], [200, 1]);
  assert.equal(
    (await post(rooms, { id: first.id, body: 'goodbye' })).json,
    `the message ${first.id} was posted with another content`,
  );
  assert.equal((await post(rooms, { id: first.id, body: 'hello' }, 'ben')).status, 409);
  await rooms.send('PUT', `/api/message/${first.id}`, { as: 'ana', body: { body: 'goodbye' } });
  assert.equal((await post(rooms, { id: first.id, body: 'goodbye' })).status, 200);
  assert.equal((await post(rooms, { id: first.id, body: 'hello' })).status, 409);
});

test('of 100 posts with one id at once, one makes the message and 99 receive it', async (t) => {
  const rooms = await openRoom(t);
  const answers = await Promise.all(Array.from({ length: 100 }, () => post(rooms, { id: 'build-0001', body: 'done' })));
  const statuses = answers.map(({ status }) => status).sort();
  assert.deepEqual(statuses, [...Array.from({ length: 99 }, () => 200), 201]);
  for (const { json } of answers) assert.deepEqual(json, answers[0]?.json);
  for (const { status, headers } of answers)
    assert.equal(headers.get('idempotent-replay'), status === 200 ? 'true' : null);
  const page = await rooms.send('GET', '/api/room/ops/message');
  assert.deepEqual(
    page.json.messages.map(({ id, seq }: { id: string; seq: number }) => [id, seq]),
    [['build-0001', 1]],
  );
});

test('a post is known again after an edit and after a restart', async (t) => {
  const before = await openRoom(t);
  const content = { id: 'build-0001', body: 'a\r\nb', replyTo: null, card: { b: 1, a: [2] } };
  assert.equal((await post(before, content)).status, 201);
  const edited = await before.send('PUT', '/api/message/build-0001', { as: 'ana', body: { body: 'c' } });
  assert.equal(edited.status, 200);
  const after = await before.restart();
  const again = await post(after, { ...content, body: 'a\nb', card: { a: [2], b: 1 } });
  assert.deepEqual([again.status, again.json.body, again.json.version], [200, 'c', 2]);
  assert.equal((await post(after, { ...content, body: 'c' })).status, 409);
});

const OTHERS: readonly (readonly [what: string, change: object])[] = [
  ['another text', { body: 'other' }],
  ['another format', { format: 'plain' }],
  ['another type', { type: 'command' }],
  ['a card', { card: {} }],
  ['a quote', { replyTo: 'first-message' }],
  ['a thread', { threadId: 'first-message' }],
];

for (const [what, change] of OTHERS) {
  test(`a taken id is refused for ${what}`, async (t) => {
    const rooms = await openRoom(t);
    await post(rooms, { id: 'first-message', body: 'first' });
    await post(rooms, { id: 'build-0001', body: 'done' });
    const answer = await post(rooms, { id: 'build-0001', body: 'done', ...change });
    assert.deepEqual([answer.status, answer.headers.get('x-error-code')], [409, 'id_conflict']);
  });
}

test('a taken id is refused in another room and to another author', async (t) => {
  const rooms = await openRoom(t);
  await rooms.send('POST', '/api/room', { as: 'ana', body: { name: 'dev' } });
  await post(rooms, { id: 'build-0001', body: 'done' });
  for (const answer of [
    await post(rooms, { id: 'build-0001', body: 'done' }, 'ben'),
    await rooms.send('POST', '/api/room/dev/message', { as: 'ana', body: { id: 'build-0001', body: 'done' } }),
  ]) {
    assert.deepEqual([answer.status, answer.headers.get('x-error-code')], [409, 'id_conflict']);
  }
});

test('the id of a deleted message is not taken again', async (t) => {
  const rooms = await openRoom(t);
  await post(rooms, { id: 'build-0001', body: 'done' });
  await rooms.send('DELETE', '/api/message/build-0001', { as: 'ana' });
  for (const body of ['done', 'other']) {
    const answer = await post(rooms, { id: 'build-0001', body });
    assert.deepEqual([answer.status, answer.headers.get('x-error-code')], [409, 'deleted']);
  }
});

test('the id of a message that retention removed is remembered', async (t) => {
  const rooms = await openRoom(t);
  const { json } = await post(rooms, { id: 'build-0001', body: 'done' });
  await rooms.core.store.removeMessages(json.roomId, ['build-0001'], Date.now() + 60_000);
  const answer = await post(rooms, { id: 'build-0001', body: 'done' });
  assert.deepEqual([answer.status, answer.headers.get('x-error-code')], [409, 'deleted']);
});

test('a post is known again in a room that was archived since', async (t) => {
  const rooms = await openRoom(t);
  await post(rooms, { id: 'build-0001', body: 'done' });
  await rooms.send('PUT', '/api/room/ops', { as: 'ana', body: { name: 'ops', archived: true } });
  assert.equal((await post(rooms, { id: 'build-0001', body: 'done' })).status, 200);
  const fresh = await post(rooms, { body: 'more' });
  assert.deepEqual([fresh.status, fresh.headers.get('x-error-code')], [409, 'archived']);
});

test('posts of many at once get sequence numbers without holes, each after messages acknowledged earlier', async (t) => {
  const rooms = await openRoom(t);
  const seqs: number[] = [];
  await Promise.all(
    Array.from({ length: 16 }, async (_, writer) => {
      let last = 0;
      for (let n = 0; n < 20; n++) {
        const { json } = await post(rooms, { body: `${writer}/${n}` }, `u${writer}`);
        assert.ok(json.seq > last);
        last = json.seq;
        seqs.push(json.seq);
      }
    }),
  );
  assert.deepEqual(
    seqs.sort((a, b) => a - b),
    Array.from({ length: 320 }, (_, n) => n + 1),
  );
});

test('with --auth none a post into a public room joins it, once, in the same commit', async (t) => {
  const rooms = await openRoom(t);
  const [first, second] = await Promise.all([post(rooms, { body: '1' }, 'ben'), post(rooms, { body: '2' }, 'ben')]);
  assert.deepEqual([first.status, second.status], [201, 201]);
  const members = await rooms.send('GET', '/api/room/ops/member', { as: 'ana' });
  assert.ok(members.text.includes('"userId":"ben"'), members.text);
  const log = await rooms.send('GET', '/api/event/log?since=0&wait=0', { as: 'ana' });
  const types = log.json.events.map(({ event }: { event: string }) => event);
  assert.deepEqual(types.slice(-3), ['member.joined', 'message.created', 'message.created']);
});

test('with --auth none a post into a private room does not join it', async (t) => {
  const rooms = await openRoom(t);
  await rooms.send('POST', '/api/room', { as: 'ana', body: { name: 'vault', visibility: 'private' } });
  await rooms.send('POST', '/api/room/vault/message', { as: 'ben', body: { body: 'hi' } });
  const members = await rooms.send('GET', '/api/room/vault/member', { as: 'ana' });
  assert.ok(!members.text.includes('"ben"'));
});

test('a text/plain body is the message, and headers hold the rest', async (t) => {
  const rooms = await openRoom(t);
  const send = (body: string, headers: Record<string, string> = {}) =>
    rooms.send('POST', '/api/room/ops/message', { as: 'ci', body, headers });
  const plain = await send('deploy done\r\n');
  assert.deepEqual([plain.status, plain.json.body], [201, 'deploy done\n']);
  const headers = {
    'content-type': 'text/plain; charset=utf-8',
    'x-message-id': 'deploy-0001',
    'x-thread-id': plain.json.id,
    'x-reply-to': plain.json.id,
    'x-message-format': 'plain',
    'x-silent': 'true',
  };
  const { status, json } = await send('{"body":"no JSON"}', headers);
  const { id, body, format, threadId, replyTo, silent } = json;
  assert.equal(status, 201);
  assert.deepEqual(
    { id, body, format, threadId, replyTo, silent },
    {
      id: 'deploy-0001',
      body: '{"body":"no JSON"}',
      format: 'plain',
      threadId: plain.json.id,
      replyTo: plain.json.id,
      silent: true,
    },
  );
  assert.equal((await send('{"body":"no JSON"}', headers)).status, 200);
  const wrong = await send('x', { 'x-message-id': 'a b' });
  assert.deepEqual([wrong.status, wrong.headers.get('x-error-code')], [400, 'invalid_body']);
  assert.equal((await rooms.send('POST', '/api/message', { as: 'ci', body: 'into which room?' })).status, 415);
});

test("a reply counts in its thread, and the root's change is announced to all", async (t) => {
  const rooms = await openRoom(t);
  const root = (await post(rooms, { body: 'root' })).json;
  for (const as of ['ben', 'kim', 'ben']) await post(rooms, { body: 're', threadId: root.id }, as);
  const read = async () => (await rooms.send('GET', `/api/message/${root.id}`, { as: 'ana' })).json;
  const { thread, version, seq } = await read();
  assert.deepEqual([thread.replies, thread.participants, version, seq], [3, ['kim', 'ben'], 4, 1]);
  const last = await post(rooms, { body: 're', threadId: root.id, alsoInRoom: true });
  assert.deepEqual([last.json.threadId, last.json.alsoInRoom, last.json.seq], [root.id, true, 5]);
  await rooms.send('DELETE', `/api/message/${last.json.id}`, { as: 'ana' });
  assert.equal((await read()).thread.replies, 3);
});

test('replies and threads stay in their room, and threads have one level', async (t) => {
  const rooms = await openRoom(t);
  await rooms.send('POST', '/api/room', { as: 'ana', body: { name: 'dev' } });
  const root = (await post(rooms, { body: 'root' })).json;
  const reply = (await post(rooms, { body: 're', threadId: root.id })).json;
  const refused: readonly (readonly [string, object])[] = [
    ['dev', { replyTo: root.id }],
    ['dev', { threadId: root.id }],
    ['ops', { threadId: reply.id }],
    ['ops', { threadId: 'no-such-message' }],
    ['ops', { replyTo: 'no-such-message' }],
  ];
  for (const [room, fields] of refused) {
    const answer = await rooms.send('POST', `/api/room/${room}/message`, { as: 'ana', body: { body: 'x', ...fields } });
    assert.deepEqual(
      [answer.status, answer.headers.get('x-error-code')],
      [400, 'invalid_body'],
      JSON.stringify(fields),
    );
    assert.match(answer.json, /^(replyTo|threadId): /);
  }
});

test('a person without the role admin posts no alerts, commands and cards; a bot does; the type system is closed to all', async (t) => {
  const people = await openPeople(t, ['ana', 'bot:ci']);
  await people.send('POST', '/api/room', { as: 'ana', body: { name: 'ops' } });
  await people.send('POST', '/api/room/ops/join', { as: 'ci' });
  const cases: readonly (readonly [as: string, fields: object, status: number])[] = [
    ['ana', { type: 'alert' }, 403],
    ['ana', { type: 'command' }, 403],
    ['ana', { card: { a: 1 } }, 403],
    ['ana', { type: 'file' }, 201],
    ['ci', { type: 'alert', card: { a: 1 } }, 201],
    ['ci', { card: { a: 1 } }, 201],
    ['ci', { type: 'system' }, 403],
    ['admin', { type: 'system' }, 403],
    ['admin', { type: 'alert', card: {} }, 201],
  ];
  for (const [as, fields, status] of cases) {
    const answer = await people.send('POST', '/api/room/ops/message', { as, body: { body: 'x', ...fields } });
    assert.equal(answer.status, status, `${as} ${JSON.stringify(fields)} ${answer.text}`);
  }
});

test('PATCH is gone, and the answer says so before authentication', async (t) => {
  const people = await openPeople(t, []);
  const answer = await people.send('PATCH', '/api/message/no-such-message', { headers: { authorization: '' } });
  assert.equal(answer.status, 405);
  assert.match(answer.headers.get('allow') ?? '', /^GET, HEAD, PUT, DELETE/);
  assert.equal(answer.json, 'PATCH /api/message/{id} was removed in 0.4.5; send the full message with PUT');
});
