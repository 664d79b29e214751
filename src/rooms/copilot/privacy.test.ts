import assert from 'node:assert/strict';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { test } from 'node:test';
import { temporaryFolder } from '../../testing/processes.ts';
import { openAiStream, startFakeModel } from '../testing/copilot/fake-model.ts';
import { follow, MODEL_KEY, openCopilotRoom } from '../testing/copilot/room.ts';
import { openPeople } from '../testing/people.ts';

const ROOM_KEY = 'sk-room-00112233445566778899aabb';

function filesBelow(folder: string): readonly string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((name) => join(folder, name))
    .filter((path) => statSync(path, { throwIfNoEntry: false })?.isFile());
}

test('no key is in any log, event, export, answer or file after every action of a copilot', async (t) => {
  const room = await openCopilotRoom(t, { folder: temporaryFolder(t) });
  const { rooms, model } = room;
  const answers: string[] = [];
  const send = async (method: string, path: string, body?: unknown) => {
    const answer = await rooms.send(method, path, { as: 'ana', ...(body === undefined ? {} : { body }) });
    answers.push(`${answer.text}${JSON.stringify([...answer.headers])}`);
    return answer;
  };
  await send('GET', '/api/provider');
  await send('GET', '/api/provider/fake');
  const quoting = (key: string) => ({
    status: 401,
    body: JSON.stringify({ error: { message: `Incorrect API key: ${key}; sent Authorization: Bearer ${key}` } }),
  });
  model.play(quoting(MODEL_KEY));
  assert.equal((await send('POST', '/api/room/ops/copilot/test')).json.ok, false);
  await room.ended(await room.post('@copilot one'));
  await send('PUT', '/api/room/ops/copilot', { provider: 'fake', apiKey: ROOM_KEY });
  model.play(quoting(ROOM_KEY), { stream: [`data: {"error":{"message":"${ROOM_KEY} is over"}}\n\n`] });
  const failed = await room.ended(await room.post('@copilot two'));
  await room.ended(await room.post('@copilot three'));
  assert.equal(model.requests.at(-1)?.headers.authorization, `Bearer ${ROOM_KEY}`);
  model.play({ stream: openAiStream(['well']) });
  await room.ended(await room.post(`@copilot is ${ROOM_KEY} good?`.replace(ROOM_KEY, 'it')));
  for (const path of [
    '/api/room/ops',
    '/api/room/ops/copilot',
    `/api/run/${failed.id}`,
    '/api/room/ops/message',
    '/api/room/ops/export?format=jsonl',
    '/api/event/log?since=0',
    '/api/audit',
    '/health',
    '/metrics',
    '/api/search?q=key',
  ])
    assert.equal((await send('GET', path)).status, 200, path);
  const output = JSON.stringify([room.events, room.published, answers, rooms.log()]);
  for (const key of [MODEL_KEY, ROOM_KEY]) assert.equal(output.includes(key), false);
  const files = filesBelow(rooms.folder);
  assert.ok(files.some((path) => path.endsWith('rooms.sqlite')));
  for (const path of files) {
    const bytes = readFileSync(path);
    for (const key of [MODEL_KEY, ROOM_KEY]) assert.equal(bytes.includes(key), false, path);
  }
  const shown = await rooms.send('GET', '/api/room/ops/copilot', { as: 'ana' });
  assert.deepEqual(shown.json.apiKeyInfo, { set: true, source: 'room', last4: 'aabb' });
  assert.equal('apiKey' in shown.json, false);
});

test('a key is sent to the origin that it was entered for, and to no other', async (t) => {
  const room = await openCopilotRoom(t);
  const { rooms, model } = room;
  const other = await startFakeModel(t);
  const moved = { name: 'fake', kind: 'openai', baseUrl: other.url, model: 'm', allowPrivate: true };
  const refused = await rooms.send('PUT', '/api/provider/fake', { as: 'ana', body: moved });
  assert.equal(refused.status, 400);
  assert.match(refused.json, /send its key/);
  // The room's own address: the key of the provider is not sent there.
  const elsewhere = { provider: 'fake', baseUrl: other.url };
  assert.equal((await rooms.send('PUT', '/api/room/ops/copilot', { as: 'ana', body: elsewhere })).status, 200);
  await room.ended(await room.post('@copilot one'));
  assert.equal(other.requests[0]?.headers.authorization, undefined);
  const withKey = { ...elsewhere, apiKey: ROOM_KEY };
  assert.equal((await rooms.send('PUT', '/api/room/ops/copilot', { as: 'ana', body: withKey })).status, 200);
  const back = { provider: 'fake' };
  assert.equal((await rooms.send('PUT', '/api/room/ops/copilot', { as: 'ana', body: back })).status, 400);
  await room.ended(await room.post('@copilot two'));
  assert.equal(other.requests[1]?.headers.authorization, `Bearer ${ROOM_KEY}`);
  assert.equal(model.requests.length, 0);
});

test("an address of this machine is used only with an admin's permission, checked when saved and when called", async (t) => {
  const room = await openCopilotRoom(t);
  const { rooms, model } = room;
  for (const baseUrl of [
    model.url,
    'http://localhost:1/v1',
    'http://[::ffff:127.0.0.1]/v1',
    'http://2130706433/',
    'http://169.254.169.254/v1',
    'http://[::ffff:a9fe:a9fe]/',
    'http://[64:ff9b::a9fe:a9fe]/',
    'http://0xa9fea9fe/',
    'http://0/',
  ]) {
    const body = { name: 'other', kind: 'openai', baseUrl, model: 'm' };
    assert.equal((await rooms.send('POST', '/api/provider', { as: 'ana', body })).status, 400, baseUrl);
  }
  const metadata = {
    name: 'other',
    kind: 'openai',
    baseUrl: 'http://169.254.169.254/v1',
    model: 'm',
    allowPrivate: true,
  };
  assert.equal((await rooms.send('POST', '/api/provider', { as: 'ana', body: metadata })).status, 400);
  // The permission was withdrawn: the next question is not sent there.
  const { core } = rooms;
  const provider = core.state.get('provider', 'fake');
  assert.ok(provider);
  const records = [{ kind: 'provider', key: 'fake', value: { ...provider, allowPrivate: false } }] as const;
  await core.writer.submit({ decide: () => ({ ok: true, write: { records }, answer: () => null }) });
  const run = await room.ended(await room.post('@copilot go'));
  assert.equal(run.error?.code, 'forbidden_address');
  assert.equal(model.requests.length, 0);
});

test('a redirect is not followed', async (t) => {
  let reached = 0;
  const inner = createServer((_, response) => {
    reached++;
    response.end();
  });
  await new Promise<void>((resolve) => inner.listen(0, '127.0.0.1', resolve));
  t.after(() => new Promise((resolve) => inner.close(resolve)));
  const room = await openCopilotRoom(t);
  const location = `http://127.0.0.1:${(inner.address() as AddressInfo).port}/`;
  room.model.play({ status: 307, headers: { location } });
  assert.equal((await room.ended(await room.post('@copilot go'))).error?.code, 'redirected');
  assert.equal(reached, 0);
});

test('a private run is seen by its author alone', async (t) => {
  const people = await openPeople(t, ['ana', 'ben']);
  const model = await startFakeModel(t);
  const copilot = { provider: 'echo', model: 'echo?delayMs=10' };
  await people.send('POST', '/api/room', { as: 'ana', body: { name: 'Ops', members: ['ben'], copilot } });
  const room = follow(people, model);
  const ask = (as: string) =>
    people.send('POST', '/api/room/ops/copilot/run', { as, body: { prompt: 'tell me quietly', private: true } });
  assert.equal((await ask('ben')).status, 403);
  assert.equal((await people.send('PUT', '/api/room/ops', { as: 'ben', body: { copilot: true } })).status, 200);
  const asked = await ask('ben');
  assert.equal(asked.status, 202, asked.text);
  const ended = await room.run('run.finished');
  assert.equal(ended.audience, 'ben');
  assert.equal(ended.text, 'echo: tell me quietly');
  assert.ok(room.events.filter(({ type }) => type.startsWith('run.')).every(({ audience }) => audience === 'ben'));
  assert.ok(room.published.filter(({ type }) => type === 'message.delta').every(({ audience }) => audience === 'ben'));
  assert.equal(
    (await people.send('GET', `/api/run/${asked.json.id}`, { as: 'ben' })).json.text,
    'echo: tell me quietly',
  );
  for (const as of ['ana', 'admin']) {
    assert.equal((await people.send('GET', `/api/run/${asked.json.id}`, { as })).status, 404);
    assert.equal((await people.send('POST', `/api/run/${asked.json.id}/retry`, { as })).status, 404);
    for (const path of [
      '/api/event/log?since=0&rooms=ops',
      '/api/room/ops/export',
      '/api/search?q=quietly',
      '/api/inbox',
      '/api/room/ops/message',
    ]) {
      const { text } = await people.send('GET', path, { as });
      assert.equal(text.includes('quietly'), false, path);
    }
  }
  const own = await people.send('GET', '/api/event/log?since=0&rooms=ops', { as: 'ben' });
  assert.ok(own.text.includes('quietly'));
});

test('an outsider of a private room finds neither its copilot nor its runs', async (t) => {
  const people = await openPeople(t, ['ana', 'ben', 'kim']);
  const body = { name: 'Ops', visibility: 'private', members: ['ben'], copilot: { provider: 'echo' } };
  await people.send('POST', '/api/room', { as: 'ana', body });
  const room = follow(people, await startFakeModel(t));
  const asked = await people.send('POST', '/api/room/ops/copilot/run', { as: 'ben', body: { prompt: 'hello' } });
  await room.run('run.finished');
  const path = `/api/run/${asked.json.id}`;
  const outside: readonly (readonly [string, string, unknown?])[] = [
    ['GET', '/api/room/ops/copilot'],
    ['PUT', '/api/room/ops/copilot', {}],
    ['DELETE', '/api/room/ops/copilot'],
    ['POST', '/api/room/ops/copilot/test'],
    ['POST', '/api/room/ops/copilot/run', { prompt: 'hello' }],
    ['GET', path],
    ['DELETE', path],
    ['POST', `${path}/retry`],
    ['GET', `${path}/stream`],
  ];
  for (const [method, url, sent] of outside) {
    const answer = await people.send(method, url, { as: 'kim', ...(sent === undefined ? {} : { body: sent }) });
    assert.equal(answer.status, 404, `${method} ${url}`);
  }
  assert.equal((await people.send('PUT', '/api/room/ops/copilot', { as: 'ben', body: {} })).status, 403);
  assert.equal((await people.send('POST', '/api/room/ops/copilot/test', { as: 'ben' })).status, 403);
  for (const [method, url] of [
    ['GET', '/api/provider'],
    ['GET', '/api/provider/fake'],
    ['DELETE', '/api/provider/fake'],
  ] as const)
    assert.equal((await people.send(method, url, { as: 'ana' })).status, 403, `${method} ${url}`);
  assert.equal((await people.send('GET', path, { as: 'ana' })).json.text, 'echo: hello');
});
