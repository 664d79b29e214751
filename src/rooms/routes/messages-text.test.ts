import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FakeClock } from '../../testing/fake/clock.ts';
import { mutateJson } from '../../testing/mutation.ts';
import type { Cleanup } from '../../testing/processes.ts';
import { Random } from '../../testing/random.ts';
import { openTestRooms, type TestRooms, type TestRoomsOptions } from '../testing/app.ts';

async function openRoom(t: Cleanup, room: object = {}, given: TestRoomsOptions = {}): Promise<TestRooms> {
  const rooms = await openTestRooms(t, given);
  const made = await rooms.send('POST', '/api/room', { as: 'ana', body: { name: 'ops', ...room } });
  assert.equal(made.status, 201, made.text);
  return rooms;
}

const post = (rooms: TestRooms, body: object, as = 'ana') => rooms.send('POST', '/api/room/ops/message', { as, body });

test('text is returned unchanged, in the answer, in a page and after a restart', async (t) => {
  const rooms = await openRoom(t);
  const texts = [
    '👩‍👩‍👧‍👦 🏴󠁧󠁢󠁳󠁣󠁴󠁿',
    'שלום \u202eabc\u202c عربى',
    '\u001b[31mred\u0007\u2028\u2029',
    '"\\\t<script>',
    '\ufeffx',
    'x'.repeat(65_536),
    '\u0001'.repeat(65_536),
  ];
  for (const body of texts) assert.equal((await post(rooms, { body })).json.body, body);
  const again = await rooms.restart();
  const page = await again.send('GET', '/api/room/ops/message', { as: 'ana' });
  assert.deepEqual(
    page.json.messages.map(({ body }: { body: string }) => body),
    texts,
  );
});

const REFUSED: readonly (readonly [what: string, json: string, status: number, code: string])[] = [
  ['half a surrogate pair', '{"body":"\\ud83d"}', 400, 'invalid_body'],
  ['U+0000', '{"body":"a\\u0000b"}', 400, 'invalid_body'],
  ['no words', '{"body":""}', 400, 'invalid_body'],
  ['no body', '{}', 400, 'invalid_body'],
  ['a body that is no text', '{"body":1}', 400, 'invalid_body'],
  ['a body of 64 KiB and one byte', `{"body":"${'x'.repeat(65_537)}"}`, 413, 'too_large'],
  ['a whole request that is far too large', `{"body":"${'x'.repeat(2 ** 20)}"}`, 413, 'too_large'],
  ['a card of more than 32 KiB', `{"body":"x","card":{"a":"${'x'.repeat(32_768)}"}}`, 413, 'too_large'],
  [
    'a card that is nested too deep',
    `{"body":"x","card":${'{"a":'.repeat(40)}1${'}'.repeat(40)}}`,
    400,
    'invalid_body',
  ],
  ['a card that is a list', '{"body":"x","card":[]}', 400, 'invalid_body'],
  ['an unknown field', '{"body":"x","colour":"red"}', 400, 'unknown_field'],
  ['a field of the server', '{"body":"x","seq":1}', 400, 'unknown_field'],
  ['a short id', '{"body":"x","id":"short"}', 400, 'invalid_body'],
  ['an id with a space', '{"body":"x","id":"not an id"}', 400, 'invalid_body'],
  ['a file that there is not', '{"body":"x","attachments":["nothing"]}', 400, 'invalid_body'],
  ['the same file twice', '{"body":"x","attachments":["a","a"]}', 400, 'invalid_body'],
  ['eleven files', `{"attachments":["${Array.from('abcdefghijk').join('","')}"]}`, 400, 'invalid_body'],
  ['another room than the path', '{"body":"x","roomId":"dev"}', 400, 'invalid_body'],
  ['what is no JSON', '{"body":', 400, 'invalid_json'],
  ['a list', '[]', 400, 'invalid_body'],
];

test('a refused post names its fault', async (t) => {
  const rooms = await openRoom(t);
  const headers = { 'content-type': 'application/json' };
  for (const [what, body, status, code] of REFUSED) {
    const answer = await rooms.send('POST', '/api/room/ops/message', { as: 'ana', body, headers });
    assert.deepEqual(
      [answer.status, answer.headers.get('x-error-code')],
      [status, code],
      `${what}: ${answer.text.slice(0, 200)}`,
    );
    assert.equal(typeof answer.json, 'string');
  }
  const bytes = await rooms.rooms.app.request('http://127.0.0.1:8065/api/room/ops/message', {
    method: 'POST',
    headers: { host: '127.0.0.1:8065', 'content-type': 'text/plain' },
    body: Buffer.from([0x61, 0xff]),
  });
  assert.equal(bytes.status, 400);
  assert.equal((await rooms.send('GET', '/api/room/ops', { as: 'ana' })).json.lastSeq, 0);
});

test('--max-body is the limit of a message in bytes', async (t) => {
  const rooms = await openRoom(t, {}, { options: { maxBodyBytes: 10 } });
  assert.equal((await post(rooms, { body: '\u0001'.repeat(10) })).status, 201);
  assert.equal((await post(rooms, { body: 'ééééé!' })).status, 413);
  assert.equal((await rooms.send('POST', '/api/room/ops/message', { as: 'ana', body: 'ééééé!' })).status, 413);
});

test('1,000 spoiled posts are refused or stored, and break nothing', async (t) => {
  const rooms = await openRoom(t);
  const random = new Random(6);
  const root = (await post(rooms, { body: 'root' })).json.id;
  const whole = {
    id: 'fuzzed-000001',
    roomId: 'ops',
    type: 'alert',
    body: 'hello @ana `code`',
    format: 'plain',
    replyTo: root,
    threadId: root,
    alsoInRoom: true,
    attachments: ['file-1'],
    card: { title: 'x', rows: [{ a: 1 }, null] },
    silent: false,
  };
  const statuses = new Map<number, number>();
  const headers = { 'content-type': 'application/json' };
  for (let n = 0; n < 1_000; n++) {
    const base = random.chance(0.5) ? { ...whole, id: `fuzzed-${n}-x`, attachments: [] } : whole;
    const body = mutateJson(random, base);
    const isEdit = random.chance(0.2);
    const answer = await (isEdit
      ? rooms.send('PUT', `/api/message/${root}`, { as: 'ana', body, headers })
      : rooms.send('POST', '/api/message', { as: 'ana', body, headers }));
    assert.ok(answer.status < 500, `${answer.status} ${answer.text} to ${body.slice(0, 300)}`);
    if (answer.status >= 400) assert.equal(typeof answer.json, 'string', answer.text);
    statuses.set(answer.status, (statuses.get(answer.status) ?? 0) + 1);
  }
  assert.ok((statuses.get(201) ?? 0) > 20, JSON.stringify([...statuses]));
  const { json } = await rooms.send('GET', '/api/room/ops/message?limit=200', { as: 'ana' });
  assert.deepEqual(
    json.messages.map(({ seq }: { seq: number }) => seq),
    Array.from({ length: json.messages.length }, (_, n) => json.lastSeq - json.messages.length + 1 + n),
  );
});

test('slow mode accepts one post of each person per interval', async (t) => {
  const clock = new FakeClock();
  const rooms = await openRoom(t, { slowModeSeconds: 10 }, { clock });
  assert.equal((await post(rooms, { id: 'slowly-0001', body: '1' })).status, 201);
  clock.advance(4_000);
  const early = await post(rooms, { body: '2' });
  assert.deepEqual(
    [early.status, early.headers.get('x-error-code'), early.headers.get('retry-after')],
    [429, 'slow_mode', '6'],
  );
  assert.equal((await post(rooms, { body: '2' }, 'ben')).status, 201);
  assert.equal((await post(rooms, { id: 'slowly-0001', body: '1' })).status, 200, 'the same post again is no post');
  clock.advance(6_000);
  assert.equal((await post(rooms, { body: '2' })).status, 201);
});

test('slow mode holds for posts of the same moment, and survives a restart', async (t) => {
  const clock = new FakeClock();
  const rooms = await openRoom(t, { slowModeSeconds: 10 }, { clock });
  const answers = await Promise.all(['1', '2', '3'].map((body) => post(rooms, { body })));
  assert.deepEqual(answers.map(({ status }) => status).sort(), [201, 429, 429]);
  assert.equal((await post(await rooms.restart(), { body: '4' })).status, 429);
});

test('@all is called once a minute by each, in posts and in edits', async (t) => {
  const clock = new FakeClock();
  const rooms = await openRoom(t, {}, { clock });
  const first = await post(rooms, { body: '@all up' });
  assert.deepEqual([first.status, first.json.mentions.room], [201, true]);
  const again = await post(rooms, { body: '@all up?' });
  assert.deepEqual(
    [again.status, again.headers.get('x-error-code'), again.headers.get('retry-after')],
    [429, 'rate_limited', '60'],
  );
  assert.equal((await post(rooms, { body: '`@all` is code' })).status, 201);
  assert.equal((await post(rooms, { body: '@all' }, 'ben')).status, 201);
  const edit = (id: string, body: string) => rooms.send('PUT', `/api/message/${id}`, { as: 'ana', body: { body } });
  assert.equal((await edit(first.json.id, '@all up!')).status, 200, 'it called before');
  const quiet = (await post(rooms, { body: 'quiet' })).json.id;
  assert.equal((await edit(quiet, '@all quiet')).status, 429);
  clock.advance(60_000);
  assert.equal((await edit(quiet, '@all quiet')).status, 200);
});

test('mentions name existing users, and follow edits', async (t) => {
  const rooms = await openRoom(t);
  await post(rooms, { body: 'here' }, 'ben');
  const { json } = await post(rooms, { body: '@ben @kim' });
  assert.deepEqual(json.mentions, { users: ['ben'], room: false, copilot: false });
  await post(rooms, { body: 'here' }, 'kim');
  const edited = await rooms.send('PUT', `/api/message/${json.id}`, { as: 'ana', body: { body: '@kim' } });
  assert.deepEqual(edited.json.mentions.users, ['kim']);
});

test('a form posted into a room, as curl -d does, is refused with a hint at plain text', async (t) => {
  const rooms = await openRoom(t);
  const form = { as: 'ana', body: 'deploy done', headers: { 'content-type': 'application/x-www-form-urlencoded' } };
  const refused = await rooms.send('POST', '/api/room/ops/message', form);
  assert.equal(refused.status, 415);
  assert.equal(
    refused.json,
    'send JSON with Content-Type: application/json, or the words alone with text/plain, not application/x-www-form-urlencoded',
  );
  const plain = { ...form, headers: { 'content-type': 'text/plain' } };
  assert.equal((await rooms.send('POST', '/api/room/ops/message', plain)).json.body, 'deploy done');
  assert.doesNotMatch((await rooms.send('POST', '/api/message', form)).json, /text\/plain/, 'there it may not');
});
