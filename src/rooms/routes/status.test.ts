import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openTestRooms } from '../testing/app.ts';

test('/version is the release of the interface', async (t) => {
  const rooms = await openTestRooms(t);
  assert.equal((await rooms.send('GET', '/version')).json.version, '0.4.5');
});

test('/health reports the state of the store, and the position of its log', async (t) => {
  const rooms = await openTestRooms(t, { options: { durability: 'full' } });
  await rooms.send('POST', '/api/room', { body: { name: 'Ops' } });
  const { status, json } = await rooms.send('GET', '/health');
  assert.equal(status, 200);
  assert.deepEqual(json, {
    status: 'healthy',
    version: '0.4.5',
    store: { kind: 'sqlite', state: 'ready', durability: 'full', pos: rooms.core.writer.pos, lagMs: 0 },
    sse: { connections: 0 },
    copilot: { running: 0, queued: 0 },
    secrets: { closed: 0 },
    node: 'test',
  });
  assert.ok(json.store.pos > 0);
});

test('/health is 503 when writes are not accepted any more', async (t) => {
  const rooms = await openTestRooms(t);
  await rooms.core.writer.close();
  const { status, json, headers } = await rooms.send('GET', '/health');
  assert.equal(status, 503);
  assert.equal(json.status, 'degraded');
  assert.equal(json.store.state, 'closing');
  assert.ok(headers.get('retry-after'));
});

test('/deck.json has the state of the server', async (t) => {
  const rooms = await openTestRooms(t, { options: { durability: 'full' } });
  const own = async () => (await rooms.send('GET', '/deck.json')).json.servers;
  assert.deepEqual(await own(), [{ name: 'rooms', title: 'Rooms', url: './', state: 'ready' }]);
  await rooms.core.writer.close();
  assert.equal((await own())[0].state, 'failing');
});

test('a read-only server is healthy, and accepts nothing', async (t) => {
  const reading = await openTestRooms(t, { options: { readOnly: true } });
  const { status, json } = await reading.send('GET', '/health');
  assert.equal(status, 200);
  assert.equal(json.store.state, 'read-only');
  const refused = await reading.send('GET', '/api/me');
  assert.equal(refused.status, 503);
  assert.equal(refused.headers.get('x-error-code'), 'read_only');
});

test('durability that is off shows', async (t) => {
  const rooms = await openTestRooms(t, { options: { durability: 'off' } });
  const { json } = await rooms.send('GET', '/health');
  assert.equal(json.status, 'degraded');
  assert.equal(json.store.durability, 'off');
});

test('/metrics counts answers by the template of their path, and events by type', async (t) => {
  const rooms = await openTestRooms(t);
  await rooms.send('POST', '/api/room', { body: { name: 'Ops' } });
  await rooms.send('POST', '/api/room/ops/message', { body: 'words that nobody should count' });
  await rooms.send('BREW', '/api/me');
  await rooms.send('GET', '/nothing/at/all');
  const { text, headers } = await rooms.send('GET', '/metrics');
  assert.match(headers.get('content-type') ?? '', /^text\/plain; version=0\.0\.4/);
  for (const line of [
    'opsdeck_rooms_http_requests_total{handler="/api/room/:id/message",method="POST",code="201"} 1',
    'opsdeck_rooms_http_requests_total{handler="no such method",method="other",code="405"} 1',
    'opsdeck_rooms_http_requests_total{handler="nothing",method="GET",code="404"} 1',
    'opsdeck_rooms_events_total{type="message.created"} 1',
    'opsdeck_rooms_rooms 1',
    'opsdeck_rooms_users 1',
    'opsdeck_rooms_writable 1',
  ])
    assert.ok(text.includes(`${line}\n`), `${line}\n${text}`);
  assert.ok(!text.includes('nobody should count'));
  assert.match((await rooms.send('GET', '/metrics')).text, /handler="\/metrics",method="GET",code="200"\} 1\n/);
});

test('/openapi.json describes bodies by the schemas that check them', async (t) => {
  const rooms = await openTestRooms(t);
  const { json } = await rooms.send('GET', '/openapi.json');
  assert.equal(json.openapi, '3.1.1');
  const { requestBody, responses } = json.paths['/api/token'].post;
  const { schema } = requestBody.content['application/json'];
  assert.deepEqual(schema.required, ['name']);
  assert.equal(schema.additionalProperties, false);
  assert.deepEqual(schema.properties.scopes.items.enum.slice(0, 2), ['read', 'write']);
  assert.ok(responses['201']);
  assert.deepEqual(json.paths['/api/user/{id}'].parameters, [
    { name: 'id', in: 'path', required: true, schema: { type: 'string' } },
  ]);
  const ids: string[] = Object.values(json.paths).flatMap((path) =>
    Object.values(path as object).flatMap((operation) => operation.operationId ?? []),
  );
  assert.equal(new Set(ids).size, ids.length);
});
