import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:net';
import { test } from 'node:test';
import { requireFree } from '../../kernel/http/server.ts';
import { startThread } from '../../kernel/threads/thread.ts';
import { eventually } from '../../testing/eventually.ts';
import { FakeClock } from '../../testing/fake/clock.ts';
import type { Cleanup } from '../../testing/processes.ts';
import { RecordingLog } from '../testing/launchdarkly/parts.ts';
import type { WorkerMethods } from './contract.ts';
import { WorkerPool } from './pool.ts';
import type { WorkerReport } from './tally.ts';

const NO_REPORT: WorkerReport = {
  requests: [],
  opened: [],
  evaluations: [],
  open: [],
  subscribers: [],
  journal: { requests: [], streams: [], flags: [] },
};
const ADDRESS = { host: '127.0.0.1', port: 0 };

/** A thread that listens, greets its clients with its number, and dies of the first byte. */
const THREAD = `
const { parentPort, threadId } = require('node:worker_threads');
const server = require('node:net').createServer((socket) => {
  socket.write(String(threadId));
  socket.on('error', () => {}).on('data', () => { throw new Error('a byte'); });
});
const methods = {
  report: async () => (${JSON.stringify(NO_REPORT)}),
  listen: ({ host, port }) => new Promise((resolve, reject) => {
    server.once('error', reject).listen({ host, port, reusePort: true }, () =>
      resolve({ url: 'http://127.0.0.1:' + server.address().port, addresses: [] }));
  }),
  close: async () => {},
};
parentPort.on('message', async ({ id, method, values }) => {
  try {
    parentPort.postMessage({ id, value: await methods[method](...values) });
  } catch (error) {
    parentPort.postMessage({ id, error: { name: error.name, message: error.message } });
  }
});`;

function createPool(t: Cleanup, count: number) {
  const [clock, log] = [new FakeClock(), new RecordingLog()];
  const running = { workers: 0, reports: 0 };
  const pool = new WorkerPool({
    count,
    start() {
      running.workers++;
      return startThread<WorkerMethods>({
        program: { text: THREAD },
        name: 'worker',
        options: {},
        log,
        revive: () => undefined,
      });
    },
    onEnd: () => running.workers--,
    onReport: () => running.reports++,
    clock,
    log,
  });
  t.after(() => pool.close(0));
  return { pool, log, running };
}

/** A connection, and the number of the thread that has accepted it. */
async function dial(t: Cleanup, url: string) {
  const socket = connect(Number(new URL(url).port), '127.0.0.1').on('error', () => {});
  t.after(() => socket.destroy());
  const [greeting] = (await once(socket, 'data')) as [Buffer];
  return { socket, thread: greeting.toString() };
}

test('a worker that dies is replaced, and its clients can come back', async (t) => {
  const { pool, log, running } = createPool(t, 2);
  const { url } = await pool.listen(ADDRESS, async () => {});
  const { socket, thread } = await dial(t, url);
  socket.write('x');
  await once(socket, 'close');
  await eventually('a replacement', () => pool.restarts === 1);
  const threads = new Set<string>();
  await eventually('clients of two threads', async () => threads.add((await dial(t, url)).thread).size >= 2);
  assert.ok(!threads.has(thread), 'the dead thread answers');
  assert.equal(running.workers, 2);
  assert.match(log.text, /a worker has died and is replaced.*a byte/s);
  await pool.refresh();
  assert.equal(running.reports, 2);
});

test('a worker that cannot listen ends the start; closing ends all workers', async (t) => {
  const { pool, running } = createPool(t, 2);
  const { url } = await pool.listen(ADDRESS, async () => {});
  const taken = { host: '127.0.0.1', port: Number(new URL(url).port) };
  const other = createPool(t, 1);
  await assert.rejects(
    other.pool.listen(taken, () => requireFree(taken)),
    /the port is taken/,
  );
  await Promise.all([pool.close(0), other.pool.close(0)]);
  assert.equal(running.workers, 0);
  await requireFree(taken);
});
