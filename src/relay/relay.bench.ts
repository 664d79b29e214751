import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { Hono } from 'hono';
import { systemClock } from '../kernel/clock.ts';
import { listen } from '../kernel/http/server.ts';
import { bench, describeMachine, isAsked, printNumber, printSpread, spreadOf } from '../testing/bench.ts';
import { RawConnection } from '../testing/http/raw-connection.ts';
import { type Cleanup, memoryOf } from '../testing/processes.ts';
import { cpuOf } from '../testing/processor-time.ts';
import { SDK_KEY } from './testing/app.ts';
import { isLoadGenerator, serveLoad } from './testing/bench/load.ts';
import { type Measured, print, startBenchRelay, within } from './testing/bench/server.ts';
import { benchProtocols, workerParts } from './testing/bench/workers.ts';
import { type BenchContext, contextAt, encodeContext, eventsOf, flagsOf } from './testing/bench-data.ts';
import type { FakeLaunchDarkly } from './testing/launchdarkly/fake.ts';
import { plainFlag } from './testing/launchdarkly/faults.ts';
import { portOf } from './testing/process.ts';
import { type EventTimes, MARK, StreamClients } from './testing/stream-clients.ts';

// The executable in a child process; its upstream and clients in this one.

const ROUNDS = 3;
const WARM_UP_MS = 1500;
const MEASURED_MS = 3000;
const CONNECTIONS = 8;
const MB = 2 ** 20;
const CONTEXTS = 1000;
const AUTHORIZATION = `Authorization: ${SDK_KEY}\r\n`;
const STREAM_REQUEST = `GET /all HTTP/1.1\r\nHost: bench\r\n${AUTHORIZATION}\r\n`;

/** The baseline: the SDK's own evaluation of all flags, behind the same HTTP server. */
async function serveSdk(flags: number): Promise<void> {
  const { init } = await import('@launchdarkly/node-server-sdk');
  const { TestData } = await import('@launchdarkly/node-server-sdk/integrations');
  const data = new TestData();
  for (const flag of Object.values(flagsOf(flags))) await data.usePreconfiguredFlag(flag);
  const client = init('sdk-bench', { updateProcessor: data.getFactory(), sendEvents: false, diagnosticOptOut: true });
  await client.waitForInitialization({ timeout: 10 });
  const app = new Hono();
  app.get('/sdk/evalx/contexts/:context', async (c) => {
    const context = JSON.parse(Buffer.from(c.req.param('context'), 'base64url').toString()) as BenchContext;
    const state = await client.allFlagsState(context);
    return c.body(JSON.stringify(state), 200, { 'content-type': 'application/json' });
  });
  const { url } = await listen({ fetch: app.fetch, addresses: [{ host: '127.0.0.1', port: 0 }], clock: systemClock });
  process.send?.(url);
}

async function startSdk(t: Cleanup, flags: number): Promise<Measured> {
  const child: ChildProcess = fork(fileURLToPath(import.meta.url), [], {
    env: { ...process.env, [SDK_VARIABLE]: String(flags) },
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  t.after(async () => {
    const gone = once(child, 'exit');
    child.kill();
    await gone;
  });
  const [url] = (await once(child, 'message')) as [string];
  return { url, pid: child.pid ?? -1 };
}

interface Load {
  readonly perSecond: number;
  readonly p99Ms: number;
  /** Server CPU time per request. */
  readonly cpuMicros: number;
}

/** Sends the requests in turn over all connections concurrently; each response must have this status. */
async function load(server: Measured, method: string, requests: readonly Buffer[], status: number): Promise<Load> {
  const connections = await Promise.all(Array.from({ length: CONNECTIONS }, () => RawConnection.open(server.url)));
  const run = async (ms: number): Promise<number[]> => {
    const endsAt = performance.now() + ms;
    const tookMs: number[] = [];
    const drain = async (connection: RawConnection) => {
      for (let startedAt = performance.now(); startedAt < endsAt; startedAt = performance.now()) {
        const answer = await connection.exchange(method, requests[tookMs.length % requests.length] ?? '');
        if (answer.status !== status) throw new Error(answer.head);
        tookMs.push(performance.now() - startedAt);
      }
    };
    await Promise.all(connections.map(drain));
    return tookMs;
  };
  await run(WARM_UP_MS);
  const cpuBefore = cpuOf(server);
  const startedAt = performance.now();
  const tookMs = (await run(MEASURED_MS)).sort((a, b) => a - b);
  const seconds = (performance.now() - startedAt) / 1000;
  const cpuMicros = ((cpuOf(server) - cpuBefore) * 1000) / tookMs.length;
  for (const connection of connections) connection.close();
  const p99Ms = tookMs[Math.floor(tookMs.length * 0.99)] ?? Number.NaN;
  return { perSecond: tookMs.length / seconds, p99Ms, cpuMicros };
}

const EVALUATIONS = Array.from({ length: CONTEXTS }, (_, index) =>
  Buffer.from(
    `GET /sdk/evalx/contexts/${encodeContext(contextAt(index))} HTTP/1.1\r\nHost: bench\r\n${AUTHORIZATION}\r\n`,
  ),
);

const column = <T>(samples: readonly T[], value: (sample: T) => number): string =>
  printSpread(spreadOf(samples.map(value)));
const medianOf = <T>(samples: readonly T[], value: (sample: T) => number): number =>
  spreadOf(samples.map(value)).median;

async function benchEvaluations(): Promise<void> {
  const rows: string[][] = [];
  for (const flags of [100, 1000]) {
    const ours: Load[] = [];
    const theirs: Load[] = [];
    for (let round = 0; round < ROUNDS; round++) {
      ours.push(
        await within(async (janitor) => {
          const { relay } = await startBenchRelay(janitor, flagsOf(flags));
          return load(relay, 'GET', EVALUATIONS, 200);
        }),
      );
      theirs.push(await within(async (janitor) => load(await startSdk(janitor, flags), 'GET', EVALUATIONS, 200)));
    }
    const ratio = medianOf(ours, ({ perSecond }) => perSecond) / medianOf(theirs, ({ perSecond }) => perSecond);
    rows.push([
      printNumber(flags),
      column(ours, ({ perSecond }) => perSecond),
      column(theirs, ({ perSecond }) => perSecond),
      `${printNumber(ratio)}×${ratio >= 5 ? '' : ' (missed)'}`,
      column(ours, ({ p99Ms }) => p99Ms),
      column(theirs, ({ p99Ms }) => p99Ms),
      column(ours, ({ cpuMicros }) => cpuMicros),
      column(theirs, ({ cpuMicros }) => cpuMicros),
    ]);
  }
  const head = [
    'flags',
    'opsdeck /s',
    'SDK /s',
    'ratio (aim 5×)',
    'opsdeck p99 ms',
    'SDK p99 ms',
    'opsdeck CPU µs',
    'SDK CPU µs',
  ];
  print(
    `evalx, ${CONNECTIONS} connections, against allFlagsState of @launchdarkly/node-server-sdk: median (least–most)`,
    head,
    rows,
  );
}

interface Patched {
  readonly firstMs: number;
  readonly lastMs: number;
  readonly cpuMs: number;
  readonly kibPerStream: number;
}

const PATCHES = 10;
const CLIENTS = [1000, 5000, 10_000];

async function benchPatches(): Promise<void> {
  const rows: string[][] = [];
  for (const clients of CLIENTS) {
    const samples: Patched[] = [];
    for (let round = 0; round < ROUNDS; round++) {
      samples.push(...(await within((janitor) => measurePatches(janitor, clients))));
    }
    rows.push([
      printNumber(clients),
      column(samples, ({ firstMs }) => firstMs),
      column(samples, ({ lastMs }) => lastMs),
      column(samples, ({ cpuMs }) => cpuMs),
      column(samples, ({ kibPerStream }) => kibPerStream),
    ]);
  }
  const head = ['clients', 'first ms', 'last ms', 'server CPU ms', 'RSS KiB a stream (aim < 12)'];
  print('a patch from upstream to every client of /all: median (least–most)', head, rows);
}

async function measurePatches(t: Cleanup, clients: number): Promise<Patched[]> {
  const { upstream, relay } = await startBenchRelay(t, { marked: markedFlag(1) });
  const streams = new StreamClients(portOf(relay), STREAM_REQUEST);
  t.after(() => streams.close());
  await streams.connect(100);
  const before = rssOf(relay);
  await streams.connect(clients - 100);
  const kibPerStream = (rssOf(relay) - before) / (clients - 100) / 1024;
  let version = 1;
  const patch = () => receivePatch(streams, upstream, ++version);
  for (let sent = 0; sent < PATCHES / 2; sent++) await patch();
  const samples: Patched[] = [];
  const cpuBefore = cpuOf(relay);
  for (let sent = 0; sent < PATCHES; sent++) samples.push({ ...(await patch()), cpuMs: 0, kibPerStream });
  const cpuMs = (cpuOf(relay) - cpuBefore) / PATCHES;
  return samples.map((sample) => ({ ...sample, cpuMs }));
}

async function receivePatch(streams: StreamClients, upstream: FakeLaunchDarkly, version: number) {
  const startedAt = performance.now();
  const received: Promise<EventTimes> = streams.receive();
  upstream.patch('flags', markedFlag(version));
  const { firstAt, lastAt } = await received;
  return { firstMs: firstAt - startedAt, lastMs: lastAt - startedAt };
}

/** About a kilobyte, with the mark for StreamClients. */
const markedFlag = (version: number) => plainFlag('marked', `${'x'.repeat(700)}${MARK}`, version);

const RECONNECTS = 5000;

async function benchReconnects(): Promise<void> {
  const rows: string[][] = [];
  for (let round = 0; round < ROUNDS; round++) rows.push(await within(measureReconnects));
  const head = ['snapshot MiB', 'all served s', 'server CPU s', 'peak above rest MiB', 'a copy each would be MiB'];
  print(`${printNumber(RECONNECTS)} clients come to /all at once: each row a process: median (least–most)`, head, rows);
}

async function measureReconnects(t: Cleanup): Promise<string[]> {
  const padding = Object.fromEntries(
    Array.from({ length: 1000 }, (_, index) => [`flag-${index}`, plainFlag(`flag-${index}`, 'x'.repeat(730))]),
  );
  const { relay } = await startBenchRelay(t, { ...padding, marked: markedFlag(1) });
  const { body } = await fetch(`${relay.url}/sdk/latest-all`, { headers: { authorization: SDK_KEY } });
  let snapshot = 0;
  for await (const chunk of body ?? []) snapshot += chunk.length;
  const streams = new StreamClients(portOf(relay), STREAM_REQUEST);
  t.after(() => streams.close());
  const [rss, cpu, startedAt] = [rssOf(relay), cpuOf(relay), performance.now()];
  const { lastAt } = await streams.connectAtOnce(RECONNECTS);
  return [
    printNumber(snapshot / MB),
    printNumber((lastAt - startedAt) / 1000),
    printNumber((cpuOf(relay) - cpu) / 1000),
    printNumber(((memoryOf(relay.pid)?.peak ?? Number.NaN) - rss) / MB),
    printNumber((RECONNECTS * snapshot) / MB),
  ];
}

async function benchEvents(): Promise<void> {
  const rows: string[][] = [];
  for (const count of [1, 10, 100]) {
    const samples: Load[] = [];
    const body = JSON.stringify(eventsOf(count));
    const request = Buffer.from(
      `POST /bulk HTTP/1.1\r\nHost: bench\r\n${AUTHORIZATION}Content-Type: application/json\r\nX-LaunchDarkly-Event-Schema: 4\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
    );
    for (let round = 0; round < ROUNDS; round++) {
      samples.push(
        await within(async (janitor) => {
          const { relay } = await startBenchRelay(janitor, {});
          return load(relay, 'POST', [request], 202);
        }),
      );
    }
    rows.push([
      printNumber(count),
      column(samples, ({ perSecond }) => perSecond),
      column(samples, ({ perSecond }) => perSecond * count),
      column(samples, ({ p99Ms }) => p99Ms),
    ]);
  }
  print(
    '/bulk, forwarded to upstream: median (least–most)',
    ['events a post', 'posts /s', 'events /s', 'p99 ms'],
    rows,
  );
}

const rssOf = ({ pid }: Measured): number => memoryOf(pid)?.rss ?? Number.NaN;

const PARTS: Readonly<Record<string, () => Promise<void>>> = {
  evalx: benchEvaluations,
  patch: benchPatches,
  reconnect: benchReconnects,
  bulk: benchEvents,
  ...workerParts(fileURLToPath(import.meta.url)),
  protocols: () => benchProtocols(fileURLToPath(import.meta.url)),
};

const SDK_VARIABLE = 'OPSDECK_BENCH_SDK_FLAGS';
const sdkFlags = process.env[SDK_VARIABLE];

if (isLoadGenerator()) serveLoad();
else if (sdkFlags !== undefined) await serveSdk(Number(sdkFlags));
else {
  bench('relay', async (filters) => {
    console.log(`\nopsdeck ${OPSDECK_VERSION} relay\n${describeMachine()}`);
    for (const [part, run] of Object.entries(PARTS)) if (isAsked(part, filters)) await run();
  });
}
