import { systemClock } from '../../kernel/clock.ts';
import { createLog } from '../../kernel/log.ts';
import {
  bench,
  describeMachine,
  isAsked,
  printNumber,
  printSpread,
  printTable,
  spreadOf,
} from '../../testing/bench.ts';
import { answerQuestions, MeasuredServer } from '../../testing/measured-server.ts';
import { ENVIRONMENT_DEFAULTS } from '../config/relay-defaults.ts';
import type { Json } from '../domain/json.ts';
import { SAMPLE_FLAGS } from '../file-source/sample.ts';
import { startRelay } from '../server.ts';
import { RELAY_DEFAULTS } from '../testing/config.ts';
import { MARK, StreamClients } from '../testing/stream-clients.ts';

const CLIENTS = [1000, 5000, 10_000];
const ROUNDS = 3;
const PATCHES = 10;
const WARM_UP_PATCHES = 5;
const RECONNECTS = 5000;
const SNAPSHOT_BYTES = 2 ** 20;
const SDK_KEY = 'sdk-bench';
const REQUEST = `GET /all HTTP/1.1\r\nHost: bench\r\nAuthorization: ${SDK_KEY}\r\n\r\n`;

/** Requests to the measured process; each is answered with a number. */
type Question = 'size' | 'heap' | 'rss' | 'peak' | 'cpu' | 'patch' | 'grow';

/** A flag of about this many bytes, with the mark for StreamClients. */
function markedFlag(key: string, version: number, bytes = 1000): Json {
  return { key, version, on: false, salt: '', variations: [`${'x'.repeat(bytes)}${MARK}`], offVariation: 0 };
}

/** The measured process: one relay, controlled by the process with its clients. */
async function serve(): Promise<void> {
  const environment = { ...ENVIRONMENT_DEFAULTS, name: 'bench', sdkKey: SDK_KEY, dataFile: SAMPLE_FLAGS };
  const options = { ...RELAY_DEFAULTS, host: '127.0.0.1', port: 0, isLocal: true, environments: [environment] };
  const log = createLog({ level: 'error', format: 'logfmt', clock: systemClock, write: console.error });
  const relay = await startRelay(options, systemClock, log);
  const [served] = relay.environments;
  if (!served) throw new Error('no environment is served');
  let version = 1;
  // StreamClients count a new stream by the mark in its snapshot.
  served.store.upsert('flags', 'patched', markedFlag('patched', version, 10));
  const answers: Readonly<Record<Question, () => number>> = {
    size: () => served.streams.size('all'),
    heap: () => {
      globalThis.gc?.();
      return process.memoryUsage().heapUsed;
    },
    rss: () => process.memoryUsage.rss(),
    // Kilobytes on every system.
    peak: () => process.resourceUsage().maxRSS * 1024,
    cpu: () => {
      const { user, system } = process.cpuUsage();
      return user + system;
    },
    patch: () => {
      served.store.upsert('flags', 'patched', markedFlag('patched', ++version));
      return version;
    },
    grow: () => {
      const flags = Object.fromEntries(
        Array.from({ length: 1000 }, (_, index) => [
          `flag-${index}`,
          { ...(markedFlag(`flag-${index}`, 1, SNAPSHOT_BYTES / 1000 - 90) as object), variations: ['x'.repeat(950)] },
        ]),
      );
      served.store.replace({ flags: { ...flags, last: markedFlag('last', 1, 10) }, segments: {} });
      return served.streams.snapshotBytes;
    },
  };
  answerQuestions(relay.url, answers, () => relay.close());
}

interface PatchSample {
  readonly firstMs: number;
  readonly lastMs: number;
  readonly cpuMicros: number;
  readonly heapKib: number;
  readonly rssKib: number;
}

async function measurePatches(clients: number): Promise<PatchSample> {
  const relay = await new MeasuredServer<Question>(import.meta.url, SERVE_VARIABLE).start();
  const streams = new StreamClients(relay.port, REQUEST);
  try {
    const [heapBefore, rssBefore] = [await relay.ask('heap'), await relay.ask('rss')];
    await streams.connect(clients);
    while ((await relay.ask('size')) < clients);
    const heapKib = ((await relay.ask('heap')) - heapBefore) / clients / 1024;
    const rssKib = ((await relay.ask('rss')) - rssBefore) / clients / 1024;
    for (let sent = 0; sent < WARM_UP_PATCHES; sent++) await patch(relay, streams);
    const cpuBefore = await relay.ask('cpu');
    const times: { firstMs: number; lastMs: number }[] = [];
    for (let sent = 0; sent < PATCHES; sent++) times.push(await patch(relay, streams));
    const cpuMicros = ((await relay.ask('cpu')) - cpuBefore) / PATCHES / clients;
    const firstMs = spreadOf(times.map(({ firstMs }) => firstMs)).median;
    const lastMs = spreadOf(times.map(({ lastMs }) => lastMs)).median;
    return { firstMs, lastMs, cpuMicros, heapKib, rssKib };
  } finally {
    streams.close();
    await relay.stop();
  }
}

async function patch(
  relay: MeasuredServer<Question>,
  streams: StreamClients,
): Promise<{ firstMs: number; lastMs: number }> {
  const startedAt = performance.now();
  const [{ firstAt, lastAt }] = await Promise.all([streams.receive(), relay.ask('patch')]);
  return { firstMs: firstAt - startedAt, lastMs: lastAt - startedAt };
}

async function benchPatches(): Promise<void> {
  const rows: string[][] = [];
  for (const clients of CLIENTS) {
    const samples: PatchSample[] = [];
    for (let round = 0; round < ROUNDS; round++) samples.push(await measurePatches(clients));
    const column = (name: keyof PatchSample) => printSpread(spreadOf(samples.map((sample) => sample[name])));
    rows.push([
      printNumber(clients),
      column('firstMs'),
      column('lastMs'),
      column('cpuMicros'),
      column('heapKib'),
      column('rssKib'),
    ]);
  }
  const head = ['clients', 'first ms', 'last ms', 'CPU µs / client', 'heap KiB / stream', 'RSS KiB / stream'];
  console.log(
    `\nA patch of 1 KB to every client of /all: median (least–most) of ${ROUNDS} processes, ${PATCHES} patches each`,
  );
  console.log(printTable(head, rows));
}

async function benchReconnects(): Promise<void> {
  const rows: string[][] = [];
  for (let round = 0; round < ROUNDS; round++) {
    const relay = await new MeasuredServer<Question>(import.meta.url, SERVE_VARIABLE).start();
    const streams = new StreamClients(relay.port, REQUEST);
    try {
      const snapshotBytes = await relay.ask('grow');
      await relay.ask('heap');
      const [rss, cpu] = [await relay.ask('rss'), await relay.ask('cpu')];
      const startedAt = performance.now();
      await streams.connectAtOnce(RECONNECTS);
      const seconds = (performance.now() - startedAt) / 1000;
      const cpuSeconds = ((await relay.ask('cpu')) - cpu) / 1e6;
      rows.push([
        printNumber(snapshotBytes / 2 ** 20),
        printNumber(seconds),
        printNumber(cpuSeconds),
        printNumber(((await relay.ask('peak')) - rss) / 2 ** 20),
        printNumber((RECONNECTS * snapshotBytes) / 2 ** 20),
      ]);
    } finally {
      streams.close();
      await relay.stop();
    }
  }
  console.log(`\n${printNumber(RECONNECTS)} clients come back to /all at once: each row a process`);
  const head = ['snapshot MiB', 'all served s', 'server CPU s', 'peak RSS above idle MiB', 'a copy each would be MiB'];
  console.log(printTable(head, rows));
}

const SERVE_VARIABLE = 'OPSDECK_BENCH_RELAY_STREAMS';

if (process.env[SERVE_VARIABLE]) await serve();
else {
  bench('relay-streams', async (filters) => {
    console.log(`\n# relay-streams\n${describeMachine()}`);
    if (isAsked('patches', filters)) await benchPatches();
    if (isAsked('reconnects', filters)) await benchReconnects();
  });
}
