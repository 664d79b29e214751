import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { eventually } from '../../testing/eventually.ts';
import { needsPostgres, startPostgres } from '../../testing/postgres.ts';
import { nextEvent, openEventStream } from '../testing/event-stream.ts';
import { openListeningRooms } from '../testing/listening.ts';

/** The promise of every request while PostgreSQL is away. */
const MAX_ANSWER_MS = 6_000;

async function openNode(t: TestContext, settings: Readonly<Record<string, string>> = {}) {
  const postgres = await startPostgres(t, { settings });
  const rooms = await openListeningRooms(t, { options: { storageUrl: postgres.url } });
  const stream = (cursor?: string) => openEventStream(t, rooms.url, cursor);
  return { postgres, rooms, stream };
}

test('without PostgreSQL memory is read, changes are refused, and streams go on', async (t) => {
  if (!needsPostgres(t)) return;
  const { postgres, rooms, stream } = await openNode(t);
  await rooms.send('POST', '/api/room', { body: { name: 'Ops' } });
  const post = (body: string, id = `id-of-${body}`) =>
    rooms.send('POST', '/api/room/ops/message', { body: { body, id } });
  const live = await stream();
  await nextEvent(live, 'hello');
  assert.equal((await post('before')).status, 201);
  const seen = await nextEvent(live, 'message.created');

  const [epoch, pos] = seen.id.split('-');
  const askAhead = () => stream(`${epoch}-${Number(pos) + 5}`);
  assert.equal((await nextEvent(await askAhead(), 'reset')).data.reason, 'ahead');

  await postgres.kill();
  assert.equal((await askAhead()).status, 503, 'another node may know the cursor');
  const startedAt = performance.now();
  const refused = await post('during');
  assert.ok(performance.now() - startedAt < MAX_ANSWER_MS);
  assert.deepEqual([refused.status, refused.headers.get('x-error-code')], [503, 'storage_unavailable']);
  assert.match(refused.json, /^PostgreSQL is away /);
  assert.ok(Number(refused.headers.get('retry-after')) >= 1);
  const event = await nextEvent(live, 'storage');
  assert.equal(event.data.state, 'away');
  assert.ok(Math.abs(Date.parse(event.data.since) - Date.now()) < 60_000);

  assert.equal((await rooms.send('GET', '/api/room/ops')).json.lastSeq, 1);
  const page = await rooms.send('GET', '/api/room/ops/message');
  assert.deepEqual([page.status, page.headers.get('x-error-code')], [503, 'storage_unavailable']);
  assert.ok(Number(page.headers.get('retry-after')) >= 1);
  const { status, json } = await rooms.send('GET', '/health');
  assert.deepEqual([status, json.status, json.store.kind, json.store.state], [503, 'degraded', 'postgres', 'away']);
  assert.match(json.store.reason, /^PostgreSQL is away: ./);
  assert.match((await rooms.send('GET', '/metrics')).text, /^opsdeck_storage_up 0$/m);
  assert.match((await rooms.send('GET', '/metrics')).text, /^opsdeck_rooms_writable 0$/m);

  const resumed = await stream(seen.id);
  assert.deepEqual((await nextEvent(resumed, 'storage')).data, event.data);
  assert.equal((await askAhead()).status, 503);

  await postgres.start();
  assert.equal((await nextEvent(live, 'storage')).data.state, 'up');
  await eventually('a post', async () => (await post('during')).status === 201);
  assert.equal((await post('after')).status, 201);
  for (const one of [live, resumed]) {
    assert.equal((await nextEvent(one, 'message.created')).data.message.body, 'during');
    assert.equal((await nextEvent(one, 'message.created')).data.message.body, 'after');
  }
  assert.equal((await rooms.send('GET', '/health')).json.status, 'healthy');
  const metrics = (await rooms.send('GET', '/metrics')).text;
  assert.match(metrics, /^opsdeck_storage_up 1$/m);
  assert.match(metrics, /^opsdeck_rooms_log_violations_total 0$/m);
});

test('/health warns of a PostgreSQL that may lose what was acknowledged', async (t) => {
  if (!needsPostgres(t)) return;
  const { rooms } = await openNode(t, { synchronous_commit: 'off' });
  const { status, json } = await rooms.send('GET', '/health');
  assert.deepEqual([status, json.status, json.store.durability], [200, 'degraded', 'off']);
  assert.match(json.store.warning, /^synchronous_commit is off: .*; set it to on$/);
});
