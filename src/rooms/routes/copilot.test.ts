import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openTestRooms } from '../testing/app.ts';
import { openAiStream } from '../testing/copilot/fake-model.ts';
import { openCopilotRoom } from '../testing/copilot/room.ts';

test('GET → PUT of a copilot and of a provider changes nothing', async (t) => {
  const { rooms } = await openCopilotRoom(t);
  for (const path of ['/api/room/ops/copilot', '/api/provider/fake']) {
    const read = await rooms.send('GET', path, { as: 'ana' });
    assert.equal(read.status, 200, read.text);
    const put = await rooms.send('PUT', path, { as: 'ana', body: read.json });
    assert.equal(put.status, 200, put.text);
    assert.deepEqual(put.json, read.json);
    assert.equal(put.headers.get('etag'), read.headers.get('etag'));
    const same = await rooms.send('GET', path, {
      as: 'ana',
      headers: { 'if-none-match': read.headers.get('etag') ?? '' },
    });
    assert.equal(same.status, 304);
  }
});

test('a PUT of a copilot takes defaults, keeps the key, and checks If-Match', async (t) => {
  const { rooms } = await openCopilotRoom(t);
  const put = (body: object, headers = {}) => rooms.send('PUT', '/api/room/ops/copilot', { as: 'ana', body, headers });
  const one = await put({
    provider: 'fake',
    apiKey: 'a key of its own'.replaceAll(' ', '-'),
    instructions: 'Be kind.',
  });
  assert.equal(one.status, 200, one.text);
  const two = await put({ provider: 'fake' }, { 'if-match': one.headers.get('etag') ?? '' });
  assert.deepEqual([two.json.instructions, two.json.apiKeyInfo], ['', { set: true, source: 'room', last4: '-own' }]);
  const stale = await put({ provider: 'fake' }, { 'if-match': one.headers.get('etag') ?? '' });
  assert.deepEqual([stale.status, stale.headers.get('etag')], [412, two.headers.get('etag')]);
  assert.equal((await put({ provider: 'fake' }, { 'if-none-match': '*' })).status, 412);
  const removed = await put({ provider: 'fake', apiKey: null });
  assert.deepEqual(removed.json.apiKeyInfo, { set: true, source: 'profile', last4: null });
  assert.equal((await put({ provider: 'nobody' })).status, 400);
  assert.equal((await put({ provider: 'fake', surprise: 1 })).headers.get('x-error-code'), 'unknown_field');
  assert.equal((await rooms.send('DELETE', '/api/room/ops/copilot', { as: 'ana' })).status, 204);
  assert.equal((await rooms.send('GET', '/api/room/ops/copilot', { as: 'ana' })).status, 404);
  assert.equal((await put({ provider: 'fake' }, { 'if-none-match': '*' })).status, 200);
});

test('a test of a copilot requests 16 tokens and posts nothing', async (t) => {
  const { rooms, model, events } = await openCopilotRoom(t);
  model.play({ stream: openAiStream(['OK'], { finish: 'length' }) });
  const good = await rooms.send('POST', '/api/room/ops/copilot/test', { as: 'ana' });
  assert.deepEqual([good.status, good.json.ok, good.json.model], [200, true, 'test-1']);
  assert.ok(good.json.latencyMs >= 0);
  assert.equal(model.requests[0]?.body.max_tokens, 16);
  model.play({ status: 404, body: '{"error":{"message":"no such model"}}' });
  const bad = await rooms.send('POST', '/api/room/ops/copilot/test', { as: 'ana' });
  assert.deepEqual([bad.status, bad.json.ok, bad.json.error], [200, false, 'the provider answered 404: no such model']);
  const copilot = await rooms.send('GET', '/api/room/ops/copilot', { as: 'ana' });
  assert.equal(copilot.json.health.state, 'error');
  assert.equal(copilot.json.health.lastError, bad.json.error);
  assert.ok(copilot.json.health.lastOkAt);
  assert.deepEqual(events, []);
});

test('providers are made, listed, replaced and removed by admins', async (t) => {
  const rooms = await openTestRooms(t);
  const body = { name: 'models', kind: 'openai', baseUrl: 'https://models.example.com/v1', model: 'm-1' };
  const made = await rooms.send('POST', '/api/provider', { body });
  assert.deepEqual([made.status, made.headers.get('location')], [201, '/api/provider/models']);
  assert.deepEqual(made.json.apiKeyInfo, { set: false, source: null, last4: null });
  assert.equal((await rooms.send('POST', '/api/provider', { body })).status, 409);
  assert.equal((await rooms.send('POST', '/api/provider', { body: { ...body, name: 'No' } })).status, 400);
  assert.equal(
    (await rooms.send('POST', '/api/provider', { body: { ...body, name: 'x', baseUrl: 'ftp://a/' } })).status,
    400,
  );
  const put = (more: object, headers = {}) =>
    rooms.send('PUT', '/api/provider/models', { body: { kind: 'openai', baseUrl: body.baseUrl, ...more }, headers });
  const keyed = await put({ secretRef: 'env:OPSDECK_COPILOT_KEY' });
  assert.deepEqual([keyed.json.model, keyed.json.apiKeyInfo.source, keyed.json.version], [null, 'env', 2]);
  assert.equal((await put({}, { 'if-match': '"p1"' })).status, 412);
  assert.equal((await put({ baseUrl: 'https://other.example.com/v1' })).status, 400);
  assert.equal((await put({ baseUrl: 'https://other.example.com/v1', secretRef: null })).status, 200);
  assert.equal((await put({ secretRef: 'env:HOME' })).status, 400);
  assert.equal((await put({ name: 'else' })).headers.get('x-error-code'), 'immutable_field');
  assert.deepEqual(
    (await rooms.send('GET', '/api/provider')).json.providers.map(({ name }: { name: string }) => name),
    ['models'],
  );
  assert.equal((await rooms.send('DELETE', '/api/provider/models')).status, 200);
  assert.equal((await rooms.send('GET', '/api/provider/models')).headers.get('x-error-code'), 'provider_not_found');
});

test('a manual request to a copilot is checked', async (t) => {
  const { rooms, post, run: runEvent } = await openCopilotRoom(t, { kind: 'echo', copilot: { trigger: 'manual' } });
  const run = (body: object) => rooms.send('POST', '/api/room/ops/copilot/run', { as: 'ana', body });
  assert.equal((await run({})).status, 400);
  assert.equal((await run({ prompt: '  ' })).status, 400);
  assert.equal((await run({ messageId: 'no-such-message' })).status, 400);
  assert.equal((await run({ prompt: 'x', threadId: 'no-such-message' })).status, 400);
  assert.equal((await run({ prompt: 'x', more: 1 })).headers.get('x-error-code'), 'unknown_field');
  const message = await post('the last words');
  const asked = await run({});
  assert.equal(asked.status, 202, asked.text);
  assert.equal(asked.json.triggerId, message.id);
  assert.equal(asked.headers.get('location'), `/api/run/${asked.json.id}`);
  await runEvent('run.finished');
  const read = await rooms.send('GET', `/api/run/${asked.json.id}`, { as: 'ana' });
  assert.deepEqual([read.json.state, read.json.text], ['complete', 'echo: the last words']);
  assert.equal((await rooms.send('GET', '/api/run/none', { as: 'ana' })).headers.get('x-error-code'), 'run_not_found');
  assert.equal(
    (await rooms.send('PUT', '/api/room/ops/copilot', { as: 'ana', body: { provider: 'fake', trigger: 'off' } }))
      .status,
    200,
  );
  assert.equal((await run({ prompt: 'x' })).status, 403);
  assert.equal((await rooms.send('DELETE', '/api/room/ops/copilot', { as: 'ana' })).status, 204);
  assert.equal((await run({ prompt: 'x' })).status, 404);
});
