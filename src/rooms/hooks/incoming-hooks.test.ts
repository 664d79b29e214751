import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Cleanup } from '../../testing/processes.ts';
import { openTestRooms, type TestRooms } from '../testing/app.ts';

async function openHook(t: Cleanup, fields: object = {}): Promise<{ rooms: TestRooms; path: string }> {
  const rooms = await openTestRooms(t);
  const room = await rooms.send('POST', '/api/room', { as: 'ana', body: { name: 'Ops' } });
  assert.equal(room.status, 201, room.text);
  const hook = await rooms.send('POST', '/api/hook', {
    as: 'ana',
    body: { direction: 'incoming', roomId: 'ops', name: 'CI', ...fields },
  });
  assert.equal(hook.status, 201, hook.text);
  return { rooms, path: hook.json.path };
}

const lastMessage = async (rooms: TestRooms) =>
  (await rooms.send('GET', '/api/room/ops/message?limit=1', { as: 'ana' })).json.messages.at(-1);

const FORM = 'application/x-www-form-urlencoded';

const BODIES: readonly (readonly [string, string, unknown, string])[] = [
  ['JSON with text', 'application/json', { text: 'deploy **done**' }, 'deploy **done**'],
  ['JSON with body', 'application/json', { body: 'done' }, 'done'],
  ['plain text, without its last line end', 'text/plain', 'line one\nline two\n', 'line one\nline two'],
  ['text of no type', 'application/octet-stream', 'just words', 'just words'],
  ['JSON of no type', 'application/octet-stream', '{"text":"by its looks"}', 'by its looks'],
  ['a Slack payload', 'application/json', { text: 'x', attachments: [{ text: '*y*' }] }, 'x\n\n**y**'],
  [
    "a Slack message's own fields",
    'application/json',
    { text: '<https://a.b|c>', username: 'bot' },
    '[c](https://a.b)',
  ],
  ["Slack's form field", FORM, `payload=${encodeURIComponent('{"text":"old form"}')}`, 'old form'],
];

for (const [name, type, body, expected] of BODIES) {
  test(`an incoming hook posts ${name}`, async (t) => {
    const { rooms, path } = await openHook(t);
    const sent = await rooms.send('POST', path, { headers: { 'content-type': type }, body });
    assert.ok(sent.status === 201 || sent.text === 'ok', sent.text);
    const message = await lastMessage(rooms);
    assert.equal(message.body, expected);
    assert.deepEqual([message.author.kind, message.author.name], ['bridge', 'CI']);
  });
}

const SLACK_AGENTS = [
  'Python/3.11.7 slackclient/3.48.0 Linux/6.1',
  '@slack:webhook/7.0.0 node/22.0.0 linux/6.1',
  'slack-api-client/1.45.0; OpenJDK/21; Linux/6.1;',
];

test("a text alone is Slack's, and answered as by Slack, where a client of Slack sends it", async (t) => {
  const { rooms, path } = await openHook(t);
  const json = '{"text":"*done*"}';
  const type = { 'content-type': 'application/json' };
  for (const agent of SLACK_AGENTS) {
    const sent = await rooms.send('POST', path, { headers: { ...type, 'user-agent': agent }, body: json });
    assert.deepEqual([sent.status, sent.text, (await lastMessage(rooms)).body], [200, 'ok', '**done**']);
  }
  const form = `payload=${encodeURIComponent(json)}`;
  const old = await rooms.send('POST', path, { headers: { 'content-type': FORM }, body: form });
  assert.deepEqual([old.status, old.text, (await lastMessage(rooms)).body], [200, 'ok', '**done**']);
  const other = await rooms.send('POST', path, { headers: { ...type, 'user-agent': 'curl/8.5.0' }, body: json });
  assert.deepEqual([other.status, (await lastMessage(rooms)).body], [201, '*done*']);
});

test("fields of opsdeck's own payload decide, also from a Slack client", async (t) => {
  const { rooms, path } = await openHook(t);
  const headers = { 'content-type': 'application/json', 'user-agent': SLACK_AGENTS[0] ?? '' };
  const body = { text: '*done*', id: 'deploy-4711' };
  assert.equal((await rooms.send('POST', path, { headers, body })).json.id, 'deploy-4711');
  assert.equal((await rooms.send('POST', path, { headers, body })).status, 200);
  assert.equal((await lastMessage(rooms)).body, '*done*');
});

const REFUSED: readonly (readonly [string, object, string, unknown, number, RegExp])[] = [
  ['what is no JSON', {}, 'application/json', '{', 400, /not JSON/],
  ['an unknown field', {}, 'application/json', { text: 'x', colour: 'red' }, 400, /unknown field colour/],
  ['nothing to post', {}, 'application/json', { text: '  ' }, 400, /there is no text to post/],
  ['an invalid id', {}, 'application/json', { text: 'x', id: 'no id' }, 400, /^"id: 8 to 64/],
  ['text where JSON is wanted', { kind: 'slack' }, 'text/plain', 'x', 400, /takes JSON of the kind slack/],
  ['JSON where text is wanted', { kind: 'text' }, 'application/json', { text: 'x' }, 400, /takes plain text/],
  [
    'a broken webhook of Alertmanager',
    {},
    'application/json',
    { groupKey: 'k', alerts: [{}] },
    400,
    /not an Alertmanager webhook: status/,
  ],
];
for (const [name, fields, type, body, status, reason] of REFUSED) {
  test(`an incoming hook refuses ${name}`, async (t) => {
    const { rooms, path } = await openHook(t, fields);
    const sent = await rooms.send('POST', path, { headers: { 'content-type': type }, body });
    assert.equal(sent.status, status, sent.text);
    assert.match(sent.text, reason);
  });
}

test('a hook with a wrong secret is not there, as one with a wrong id is not', async (t) => {
  const { rooms, path } = await openHook(t);
  const [id = ''] = path.split('/').slice(-2);
  const wrong = await rooms.send('POST', `${path}x`, { body: { text: 'x' } });
  const missing = await rooms.send('POST', `/api/hook/${id}0/secret`, { body: { text: 'x' } });
  assert.equal(wrong.status, 404);
  assert.equal(missing.status, 404);
  assert.equal(wrong.headers.get('x-error-code'), missing.headers.get('x-error-code'));
});

test('the same id posts once', async (t) => {
  const { rooms, path } = await openHook(t);
  const body = { text: 'deployed', id: 'deploy-4711' };
  assert.equal((await rooms.send('POST', path, { body })).status, 201);
  const again = await rooms.send('POST', path, { body });
  assert.equal(again.status, 200);
  assert.equal(again.json.seq, (await lastMessage(rooms)).seq);
});

test("a hook's secret is shown once, and a new one ends the old", async (t) => {
  const { rooms, path } = await openHook(t);
  const id = path.split('/')[3];
  const shown = await rooms.send('GET', `/api/hook/${id}`, { as: 'ana' });
  assert.equal(shown.status, 200);
  assert.doesNotMatch(shown.text, /secret/i);
  const rotated = await rooms.send('PUT', `/api/hook/${id}`, {
    as: 'ana',
    body: { ...shown.json, rotateSecret: true },
  });
  assert.equal(rotated.status, 200, rotated.text);
  assert.equal((await rooms.send('POST', path, { body: { text: 'x' } })).status, 404);
  assert.equal((await rooms.send('POST', rotated.json.path, { body: { text: 'x' } })).status, 201);
});

test('a bridge is no member of the room that it posts into', async (t) => {
  const { rooms, path } = await openHook(t);
  await rooms.send('POST', path, { body: { text: 'x' } });
  const members = await rooms.send('GET', '/api/room/ops/member', { as: 'ana' });
  assert.doesNotMatch(members.text, /hook:/);
});

test('an archived room takes nothing from a hook', async (t) => {
  const { rooms, path } = await openHook(t);
  const room = (await rooms.send('GET', '/api/room/ops', { as: 'ana' })).json;
  assert.equal(
    (await rooms.send('PUT', '/api/room/ops', { as: 'ana', body: { ...room, archived: true } })).status,
    200,
  );
  const sent = await rooms.send('POST', path, { body: { text: 'x' } });
  assert.equal(sent.status, 409);
  assert.equal(sent.headers.get('x-error-code'), 'archived');
});

test('a deleted hook is gone', async (t) => {
  const { rooms, path } = await openHook(t);
  const id = path.split('/')[3];
  assert.equal((await rooms.send('DELETE', `/api/hook/${id}`, { as: 'ana' })).status, 200);
  assert.equal((await rooms.send('POST', path, { body: { text: 'x' } })).status, 404);
  assert.equal((await rooms.send('GET', `/api/hook/${id}`, { as: 'ana' })).status, 404);
});
