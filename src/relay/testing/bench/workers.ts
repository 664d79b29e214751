import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { SERVER } from '../../../kernel/testdata/tls-certificates.ts';
import { printNumber } from '../../../testing/bench.ts';
import { type Cleanup, temporaryFolder } from '../../../testing/processes.ts';
import { limitProcessors } from '../../../testing/processor-quota.ts';
import { cpuOf } from '../../../testing/processor-time.ts';
import { SDK_KEY } from '../app.ts';
import { contextAt, encodeContext, eventsOf, FLAG_KINDS, flagsOfKind } from '../bench-data.ts';
import { plainFlag } from '../launchdarkly/faults.ts';
import { portOf } from '../process.ts';
import { MARK, type StreamProtocol } from '../stream-clients.ts';
import { LoadGenerator, type LoadOrder } from './load.ts';
import { memoryUseOf, print, startBenchRelay, within } from './server.ts';

// One, two and four workers. The clients run in a process of their own; both processes' CPU time is reported.

/** The share of a processor, in percent, that the relay has of each of its processors: two, or one for each worker if more. */
const QUOTA_PERCENT = Number(process.env.OPSDECK_BENCH_QUOTA) || undefined;
/** Under full load before anything is measured and limited: V8 compiles for each worker, and a server runs for weeks. */
const COMPILED_MS = 20_000;

const WORKERS = [1, 2, 4];
const CLIENTS = [1, 16, 64];
const FLAGS = [100, 1000];
const CONTEXTS = 500;
const WARM_UP_MS = 1000;
const MEASURED_MS = 4000;
const STREAMS = 10_000;
const RECONNECTS = 5000;
const PATCHES = 5;
const SETTLED_MS = 5000;
const MB = 2 ** 20;

const AUTHORIZATION = `Authorization: ${SDK_KEY}\r\n`;
const STREAM_REQUEST = `GET /all HTTP/1.1\r\nHost: bench\r\n${AUTHORIZATION}\r\n`;
const EVALUATIONS = Array.from(
  { length: CONTEXTS },
  (_, index) =>
    `GET /sdk/evalx/contexts/${encodeContext(contextAt(index))} HTTP/1.1\r\nHost: bench\r\n${AUTHORIZATION}\r\n`,
);
const LOAD_HEAD = ['requests /s', 'p50 ms', 'p99 ms', 'server CPU µs', 'clients CPU µs'];

type Flags = Parameters<typeof startBenchRelay>[1];

const argumentsFor = (workers: number) => ['--workers', String(workers)];
const markedFlag = (version: number) => plainFlag('marked', `${'x'.repeat(700)}${MARK}`, version);

/** The parts of the bench; `file` serves the load: see LoadGenerator. */
export const workerParts = (file: string) => ({
  'workers-evalx': () => benchEvaluations(file),
  'workers-bulk': () => benchEvents(file),
  'workers-streams': () => benchStreams(file),
  'workers-memory': benchMemory,
});

async function benchEvaluations(file: string): Promise<void> {
  const rows: string[][] = [];
  for (const flags of FLAGS)
    for (const kind of FLAG_KINDS)
      for (const workers of WORKERS) {
        const data = flagsOfKind(kind, flags);
        const order = { method: 'GET', requests: EVALUATIONS, status: 200 };
        for (const [clients, cells] of await measureLoads(file, data, workers, order))
          rows.push([printNumber(flags), kind, String(workers), String(clients), ...cells]);
      }
  print('evalx by workers', ['flags', 'kind', 'workers', 'clients', ...LOAD_HEAD], rows);
}

async function benchEvents(file: string): Promise<void> {
  const body = JSON.stringify(eventsOf(10));
  const request = `POST /bulk HTTP/1.1\r\nHost: bench\r\n${AUTHORIZATION}Content-Type: application/json\r\nX-LaunchDarkly-Event-Schema: 4\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
  const rows: string[][] = [];
  for (const workers of WORKERS)
    for (const [clients, cells] of await measureLoads(file, {}, workers, {
      method: 'POST',
      requests: [request],
      status: 202,
    }))
      rows.push([String(workers), String(clients), ...cells]);
  print('/bulk by workers, ten events a post', ['workers', 'clients', ...LOAD_HEAD], rows);
}

/** The cells of `LOAD_HEAD` by number of clients. */
function measureLoads(
  file: string,
  flags: Flags,
  workers: number,
  order: Pick<LoadOrder, 'method' | 'requests' | 'status'>,
): Promise<readonly (readonly [clients: number, cells: readonly string[]])[]> {
  return within(async (janitor) => {
    const { relay } = await startBenchRelay(janitor, flags, argumentsFor(workers));
    const generator = new LoadGenerator(janitor, file);
    await generator.load({ ...order, url: relay.url, connections: Math.max(...CLIENTS), ms: COMPILED_MS });
    if (QUOTA_PERCENT) limitProcessors(janitor, relay, Math.max(2, workers), QUOTA_PERCENT);
    const rows: (readonly [number, readonly string[]])[] = [];
    for (const connections of CLIENTS) {
      const load = (ms: number) => generator.load({ ...order, url: relay.url, connections, ms });
      await load(WARM_UP_MS);
      const cpuBefore = cpuOf(relay);
      const { count, seconds, p50Ms, p99Ms, cpuMicros } = await load(MEASURED_MS);
      const serverMicros = ((cpuOf(relay) - cpuBefore) * 1000) / count;
      rows.push([connections, [count / seconds, p50Ms, p99Ms, serverMicros, cpuMicros].map(printNumber)]);
    }
    return rows;
  });
}

async function benchStreams(file: string): Promise<void> {
  const changes: string[][] = [];
  const reconnects: string[][] = [];
  for (const workers of WORKERS) {
    changes.push([String(workers), ...(await within((janitor) => measureChange(janitor, file, workers)))]);
    reconnects.push([String(workers), ...(await within((janitor) => measureReconnects(janitor, file, workers)))]);
  }
  print(
    `one change to ${printNumber(STREAMS)} streams of /all, by workers: mean of ${PATCHES}`,
    ['workers', ...CHANGE_HEAD],
    changes,
  );
  const reconnectHead = ['workers', 'all served s', 'server CPU s', 'own MiB above rest'];
  print(`${printNumber(RECONNECTS)} clients come to /all of 1 MiB at once, by workers`, reconnectHead, reconnects);
}

async function measureChange(
  t: Cleanup,
  file: string,
  workers: number,
  count = STREAMS,
  protocol: StreamProtocol = 'http',
): Promise<string[]> {
  const tls = protocol === 'http' ? [] : certificateLines(t);
  const { upstream, relay } = await startBenchRelay(t, { marked: markedFlag(1) }, argumentsFor(workers), tls);
  const generator = new LoadGenerator(t, file);
  const streams = { port: portOf(relay), request: STREAM_REQUEST, protocol, isAtOnce: false };
  await generator.connect({ ...streams, count: 100 });
  const before = memoryUseOf(relay).own;
  await generator.connect({ ...streams, count: count - 100 });
  const kib = (memoryUseOf(relay).own - before) / (count - 100) / 1024;
  const cpuBefore = cpuOf(relay);
  let [first, last] = [0, 0];
  for (let sent = 0; sent < PATCHES; sent++) {
    const received = generator.receive();
    const sentAt = performance.timeOrigin + performance.now();
    upstream.patch('flags', markedFlag(sent + 2));
    const { firstAt, lastAt } = await received;
    first += (firstAt - sentAt) / PATCHES;
    last += (lastAt - sentAt) / PATCHES;
  }
  return [first, last, (cpuOf(relay) - cpuBefore) / PATCHES, kib].map(printNumber);
}

const CHANGE_HEAD = ['first ms', 'last ms', 'server CPU ms', 'own KiB a stream'];
const TLS_STREAMS = 2000;

/** Streams by protocol; those of HTTP/2 share a connection by the hundred. */
export async function benchProtocols(file: string): Promise<void> {
  const rows: string[][] = [];
  for (const protocol of ['http', 'https', 'http2'] as const)
    rows.push([protocol, ...(await within((janitor) => measureChange(janitor, file, 1, TLS_STREAMS, protocol)))]);
  const what = `one change to ${printNumber(TLS_STREAMS)} streams of /all, one worker, by protocol: mean of ${PATCHES}`;
  print(what, ['protocol', ...CHANGE_HEAD], rows);
}

function certificateLines(t: Cleanup): string[] {
  const folder = temporaryFolder(t);
  const [cert, key] = [join(folder, 'cert'), join(folder, 'key')];
  writeFileSync(cert, SERVER.cert);
  writeFileSync(key, SERVER.key, { mode: 0o600 });
  return ['tlsEnabled = true', `tlsCert = ${cert}`, `tlsKey = ${key}`];
}

async function measureReconnects(t: Cleanup, file: string, workers: number): Promise<string[]> {
  const padding = Object.fromEntries(
    Array.from({ length: 1000 }, (_, index) => [`flag-${index}`, plainFlag(`flag-${index}`, 'x'.repeat(730))]),
  );
  const { relay } = await startBenchRelay(t, { ...padding, marked: markedFlag(1) }, argumentsFor(workers));
  const generator = new LoadGenerator(t, file);
  const [memory, cpu] = [memoryUseOf(relay).own, cpuOf(relay)];
  const startedAt = performance.timeOrigin + performance.now();
  const order = { port: portOf(relay), request: STREAM_REQUEST, count: RECONNECTS, isAtOnce: true };
  const { lastAt } = await generator.connect(order);
  const aboveRest = (memoryUseOf(relay).own - memory) / MB;
  return [(lastAt - startedAt) / 1000, (cpuOf(relay) - cpu) / 1000, aboveRest].map(printNumber);
}

async function benchMemory(): Promise<void> {
  const rows: string[][] = [];
  for (const flags of [1, ...FLAGS]) {
    const owns: number[] = [];
    for (const workers of WORKERS) {
      const use = await within(async (janitor) => {
        const data = flags === 1 ? { marked: markedFlag(1) } : flagsOfKind('rules', flags);
        const { relay } = await startBenchRelay(janitor, data, argumentsFor(workers));
        await sleep(SETTLED_MS);
        return memoryUseOf(relay);
      });
      owns.push(use.own);
      const cells = [use.resident, use.proportional, use.own].map((bytes) => printNumber(bytes / MB));
      rows.push([printNumber(flags), String(workers), ...cells]);
    }
    const [, two = 0, four = 0] = owns;
    rows.push([printNumber(flags), 'one more', '', '', printNumber((four - two) / 2 / MB)]);
  }
  print('memory at rest, by workers', ['flags', 'workers', 'RSS MiB', 'PSS MiB', 'own MiB'], rows);
}
