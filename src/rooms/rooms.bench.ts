// Acknowledged posts, beside a bare node:http server that appends the same bytes with one fsync a batch; a post until it is
// read on a stream; and the cost of a million messages at the start and in a search.
import { type ChildProcess, fork } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { closeSync, fdatasync, openSync, write as writeFile } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { systemClock } from '../kernel/clock.ts';
import { createLog } from '../kernel/log.ts';
import { bench, describeMachine, isAsked, printNumber, printSpread, printTable, spreadOf } from '../testing/bench.ts';
import { openSse } from '../testing/http/sse-client.ts';
import { Janitor, memoryOf, type RunningServer, temporaryFolder } from '../testing/processes.ts';
import { createIdMaker } from './id-maker.ts';
import { openRoomStore } from './store/open.ts';
import {
  bodyOf,
  makeRooms,
  openConnections,
  type Posting,
  percentile,
  post,
  postsTo,
  send,
  startRooms,
} from './testing/bench.ts';
import { created, newMessage, write } from './testing/store/parts.ts';

const CLIENTS = [1, 64, 256];
const ROUNDS = 3;
/** Until both sides are compiled, which takes a third of the processor at first. */
const WARM_UP_MS = 4000;
const MEASURED_MS = 3000;
const ROOMS = 8;
const MANY = 1_000_000;
const BATCH = 500;
/** Of the answer to a post, so that the baseline sends as many bytes back. */
const ANSWER_BYTES = 669;
/** Of a post as a line of a log, which the baseline appends. */
const RECORD_BYTES = 800;

/** The baseline: appends a batch, syncs it, and answers. */
async function serveLimit(): Promise<void> {
  const file = openSync(join(process.argv[2] ?? '', 'log'), 'a');
  const sync = promisify(fdatasync);
  const append = promisify(writeFile);
  const answer = JSON.stringify('x'.repeat(ANSWER_BYTES - 2));
  const record = Buffer.alloc(RECORD_BYTES, 'x');
  let waiting: { readonly bytes: Buffer; readonly response: ServerResponse }[] = [];
  let running = false;
  const run = async () => {
    running = true;
    while (waiting.length > 0) {
      const batch = waiting;
      waiting = [];
      await append(file, Buffer.concat(batch.flatMap(({ bytes }) => [bytes, record.subarray(bytes.length)])));
      await sync(file);
      for (const { response } of batch) {
        response.writeHead(201, { 'content-type': 'application/json', 'content-length': answer.length }).end(answer);
      }
    }
    running = false;
  };
  const server = createServer((incoming: IncomingMessage, response) => {
    const chunks: Buffer[] = [];
    incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
    incoming.on('end', () => {
      waiting.push({ bytes: Buffer.concat(chunks), response });
      if (!running) void run();
    });
  });
  server.listen(0, '127.0.0.1', () => {
    process.send?.({ url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` });
  });
  process.on('disconnect', () => {
    closeSync(file);
    process.exit();
  });
}

async function startLimit(folder: string): Promise<{ readonly url: string; readonly child: ChildProcess }> {
  const child = fork(fileURLToPath(import.meta.url), [folder], { env: { ...process.env, [LIMIT_VARIABLE]: '1' } });
  const [{ url }] = (await once(child, 'message')) as [{ url: string }];
  return { url, child };
}

type Side = 'opsdeck' | 'bare';

async function measure(side: Side, clients: number): Promise<Posting> {
  const janitor = new Janitor();
  let limit: ChildProcess | undefined;
  try {
    const folder = temporaryFolder(janitor);
    let url: string;
    const rooms: string[] = [];
    if (side === 'opsdeck') {
      ({ url } = await startRooms(janitor, ['--data-dir', join(folder, 'data')]));
      rooms.push(...(await makeRooms(url, ROOMS)));
    } else {
      ({ url, child: limit } = await startLimit(folder));
      rooms.push(...Array.from({ length: ROOMS }, () => '01a1f8ce-0814-7000-95a4-f0ee2e53e081'));
    }
    const connections = await openConnections([url], clients);
    const requests = postsTo(rooms, 1024);
    await post(connections, requests, WARM_UP_MS);
    const posting = await post(connections, requests, MEASURED_MS);
    for (const connection of connections) connection.close();
    return posting;
  } finally {
    limit?.disconnect();
    await janitor.clean();
  }
}

async function benchPosts(): Promise<void> {
  const rows: string[][] = [];
  for (const clients of CLIENTS) {
    const samples: Record<Side, Posting[]> = { opsdeck: [], bare: [] };
    for (let round = 0; round < ROUNDS; round++) {
      const order: readonly Side[] = round % 2 === 0 ? ['opsdeck', 'bare'] : ['bare', 'opsdeck'];
      for (const side of order) samples[side].push(await measure(side, clients));
    }
    const rate = (side: Side) => spreadOf(samples[side].map(({ perSecond }) => perSecond));
    const time = (share: number) => printSpread(spreadOf(samples.opsdeck.map(({ times }) => percentile(times, share))));
    const share = rate('opsdeck').median / rate('bare').median;
    rows.push([
      String(clients),
      printSpread(rate('opsdeck')),
      time(0.5),
      time(0.99),
      printSpread(rate('bare')),
      `${printNumber(100 * share)} %`,
    ]);
  }
  console.log(`\nAcknowledged posts, each on disk, into ${ROOMS} rooms: median (least–most) of ${ROUNDS} processes`);
  console.log(printTable(['clients', 'posts/s', 'p50 ms', 'p99 ms', 'bare node:http posts/s', 'of that'], rows));
}

/** From the start of a post until its event is read on a stream. */
async function benchLatency(): Promise<void> {
  const janitor = new Janitor();
  try {
    const { url } = await startRooms(janitor, ['--data-dir', join(temporaryFolder(janitor), 'data')]);
    const { id } = await send(url, 'POST', '/api/room', { name: 'Ops' });
    const stream = await openSse(`${url}/api/room/${String(id)}/event`);
    const times: number[] = [];
    for (let index = 0; index < 1200; index++) {
      const startedAt = performance.now();
      void send(url, 'POST', '/api/message', { roomId: id, body: bodyOf(index) });
      for (let event = await stream.next(); event?.event !== 'message.created'; ) event = await stream.next();
      if (index >= 200) times.push(performance.now() - startedAt);
    }
    stream.close();
    const sorted = Float64Array.from(times).sort();
    const [p50, p99] = [0.5, 0.99].map((share) => printNumber(percentile(sorted, share)));
    console.log(`\nOne post until it is read on a stream: p50 ${p50} ms, p99 ${p99} ms`);
  } finally {
    await janitor.clean();
  }
}

/** Fills a data directory through the store, without a server. */
async function fill(path: string, roomIds: readonly string[], count: number): Promise<void> {
  const log = createLog({ level: 'error', format: 'logfmt', clock: systemClock, write: () => {} });
  const directory = { path, release() {} };
  const store = await openRoomStore({ directory, clock: systemClock, durability: 'off', log });
  const newId = createIdMaker(systemClock, randomBytes);
  for (let at = 0; at < count; at += BATCH) {
    const writes = Array.from({ length: BATCH }, (_, index) => {
      const number = at + index;
      const roomId = roomIds[number % roomIds.length] ?? '';
      const rare = number % 1000 === 0 ? ' rollback' : '';
      return write(created(newMessage(roomId, { id: newId(), body: `${bodyOf(number)}${rare}` })));
    });
    await store.append(writes);
  }
  await store.indexed();
  await store.close();
}

async function benchMillion(): Promise<void> {
  const janitor = new Janitor();
  try {
    const dataDir = join(temporaryFolder(janitor), 'data');
    const first = await startRooms(janitor, ['--data-dir', dataDir]);
    const ids = await makeRooms(first.url, ROOMS);
    await first.stop();
    await fill(dataDir, ids, MANY);
    const starts: number[] = [];
    for (let round = 0; round < ROUNDS; round++) {
      const startedAt = performance.now();
      const server = await startRooms(janitor, ['--data-dir', dataDir]);
      starts.push(performance.now() - startedAt);
      if (round === ROUNDS - 1) await searchAll(server);
      await server.stop();
    }
    console.log(`Start of the process until it listens: ${printSpread(spreadOf(starts))} ms`);
  } finally {
    await janitor.clean();
  }
}

async function searchAll({ url, pid }: RunningServer): Promise<void> {
  const searches = ['rollback', 'deploy payments', '"14 of 14"', 'health*', 'rollback -nothing', 'zebra'];
  const rows: string[][] = [];
  for (const text of searches) {
    const times: number[] = [];
    for (let run = 0; run < 20; run++) {
      const startedAt = performance.now();
      await send(url, 'GET', `/api/search?q=${encodeURIComponent(text)}`);
      times.push(performance.now() - startedAt);
    }
    const sorted = Float64Array.from(times).sort();
    rows.push([text, printNumber(percentile(sorted, 0.5)), printNumber(percentile(sorted, 0.95))]);
  }
  const rss = (memoryOf(pid)?.rss ?? 0) / 2 ** 20;
  console.log(`\n${MANY.toLocaleString('en-US')} messages in ${ROOMS} rooms; the process holds ${printNumber(rss)} MB`);
  console.log(printTable(['search', 'p50 ms', 'p95 ms'], rows));
}

const LIMIT_VARIABLE = 'OPSDECK_BENCH_ROOMS_LIMIT';

if (process.env[LIMIT_VARIABLE]) await serveLimit();
else {
  bench('rooms', async (filters) => {
    console.log(`\n# rooms\n${describeMachine()}`);
    if (isAsked('post', filters)) await benchPosts();
    if (isAsked('latency', filters)) await benchLatency();
    if (isAsked('million', filters)) await benchMillion();
  });
}
