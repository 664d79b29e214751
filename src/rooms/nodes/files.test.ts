import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { test } from 'node:test';
import { systemClock } from '../../kernel/clock.ts';
import { needsPostgres } from '../../testing/postgres.ts';
import { RetentionJob } from '../retention-job.ts';
import type { TestRooms } from '../testing/app.ts';
import { openTestNodes } from '../testing/nodes.ts';

const HEADERS = { host: '127.0.0.1:8065', 'x-opsdeck-user': 'ana' };

async function ask({ rooms }: TestRooms, method: string, path: string, body?: Buffer, headers = {}) {
  const init = { method, headers: { ...HEADERS, ...headers }, ...(body ? { body } : {}) };
  return rooms.app.request(`http://127.0.0.1:8065${path}`, init);
}

test('a file uploaded to one node is read from the others, whole and in parts', async (t) => {
  if (!needsPostgres(t)) return;
  const { nodes } = await openTestNodes(t, 2);
  const [one, two] = nodes;
  const bytes = randomBytes(1_500_000);
  const type = { 'content-type': 'application/octet-stream', 'x-file-name': 'a.bin' };
  const uploaded = await ask(one.rooms, 'POST', '/api/file', bytes, type);
  assert.equal(uploaded.status, 201);
  const { id, size } = (await uploaded.json()) as { id: string; size: number };
  assert.equal(size, bytes.length);
  const read = async (headers = {}) => {
    const answer = await ask(two.rooms, 'GET', `/api/file/${id}`, undefined, headers);
    return { status: answer.status, bytes: Buffer.from(await answer.arrayBuffer()) };
  };
  const whole = await read();
  assert.ok(whole.status === 200 && whole.bytes.equals(bytes));
  const part = await read({ range: 'bytes=500000-1100000' });
  assert.ok(part.status === 206 && part.bytes.equals(bytes.subarray(500_000, 1_100_001)));
});

test('retention also forgets what is of no use any more', async (t) => {
  if (!needsPostgres(t)) return;
  const { postgres, nodes } = await openTestNodes(t, 1);
  const [{ rooms }] = nodes;
  await postgres.query("INSERT INTO opsdeck.room_forgotten VALUES ('old', 1), ('recent', 9007199254740991)");
  const job = new RetentionJob({ ...rooms.core, clock: systemClock, retentionMs: 0, readOnly: true });
  await job.run();
  await job.close();
  assert.deepEqual(await postgres.query('SELECT id FROM opsdeck.room_forgotten'), [{ id: 'recent' }]);
});
