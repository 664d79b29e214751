import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { systemClock } from '../../kernel/clock.ts';
import { listen } from '../../kernel/http/server.ts';
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
import { httpAnswer } from '../../testing/http/client-parts.ts';
import { RawConnection } from '../../testing/http/raw-connection.ts';
import { createEventApp } from '../testing/event-app.ts';
import { EVENT_ENVIRONMENT } from '../testing/test-forwarder.ts';
import { Inflater } from './body.ts';
import { EventForwarder } from './forwarder.ts';

const CONNECTIONS = 16;
const ROUNDS = 3;
const ROUND_MS = 2_000;

/** About 300 bytes, as sent by SDKs. */
const event = (index: number) => ({
  kind: 'feature',
  creationDate: 1_767_225_600_000 + index,
  key: `flag-${index % 50}`,
  version: 7,
  variation: index % 2,
  value: index % 2 === 0,
  default: false,
  trackEvents: false,
  context: { kind: 'user', key: `user-${index}`, name: 'A name', plan: 'enterprise', region: 'eu-central-1' },
});

interface Load {
  readonly name: string;
  readonly events: number;
  readonly headers: string;
  readonly isGzip: boolean;
}

const LOADS: readonly Load[] = [
  ...[1, 10, 100].map((events) => ({ name: 'as they are', events, headers: '', isGzip: false })),
  { name: 'as they are, from gzip', events: 100, headers: 'Content-Encoding: gzip\r\n', isGzip: true },
  { name: 'summarised', events: 100, headers: 'X-LaunchDarkly-Unsummarized: true\r\n', isGzip: false },
];

function requestOf({ events, headers, isGzip }: Load): Buffer {
  const text = Buffer.from(JSON.stringify(Array.from({ length: events }, (_, index) => event(index))));
  const body = isGzip ? gzipSync(text) : text;
  const head = `POST /bulk HTTP/1.1\r\nHost: localhost\r\nAuthorization: key\r\nContent-Type: application/json\r\nX-LaunchDarkly-Event-Schema: 4\r\n${headers}Content-Length: ${body.length}\r\n\r\n`;
  return Buffer.concat([Buffer.from(head), body]);
}

/** The measured process: receives events, and compresses them every second for a fake upstream. */
async function serve(): Promise<void> {
  const forwarder = new EventForwarder({
    environment: EVENT_ENVIRONMENT,
    options: {
      events: { mode: 'forward', uri: 'http://localhost', flushMs: 1000, capacity: 10_000_000, maxPayloadBytes: 0 },
      isLocal: false,
      archive: undefined,
    },
    http: { send: async () => httpAnswer(202) },
    inflater: new Inflater(),
    flag: () => undefined,
    userAgent: 'bench',
    clock: systemClock,
    log: createLog({ level: 'error', format: 'json', clock: systemClock, write: (line) => process.stderr.write(line) }),
  });
  const app = createEventApp(forwarder);
  const { url } = await listen({
    fetch: app.fetch,
    addresses: [{ host: '127.0.0.1', port: 0 }],
    clock: systemClock,
  });
  process.on('message', () => {
    const { user, system } = process.cpuUsage();
    process.send?.({ cpuMicros: user + system, dropped: forwarder.counts.dropped + forwarder.counts.droppedPosts });
  });
  process.send?.({ url });
}

interface Usage {
  readonly cpuMicros: number;
  readonly dropped: number;
}

async function usageOf(server: ChildProcess): Promise<Usage> {
  server.send({});
  const [usage] = (await once(server, 'message')) as [Usage];
  return usage;
}

/** Posts on all connections concurrently for `ms`; returns the number of accepted posts. */
async function post(connections: readonly RawConnection[], request: Buffer, ms: number): Promise<number> {
  const end = performance.now() + ms;
  let posts = 0;
  const loop = async (connection: RawConnection) => {
    while (performance.now() < end) {
      const { status } = await connection.exchange('POST', request);
      if (status !== 202) throw new Error(`a post was answered with ${status}`);
      posts++;
    }
  };
  await Promise.all(connections.map(loop));
  return posts;
}

interface Sample {
  readonly postsPerSecond: number;
  readonly cpuMicros: number;
  readonly droppedShare: number;
}

async function measure(load: Load): Promise<Sample> {
  const server = fork(fileURLToPath(import.meta.url), [], { env: { ...process.env, [SERVER_VARIABLE]: '1' } });
  try {
    const [{ url }] = (await once(server, 'message')) as [{ url: string }];
    const connections = await Promise.all(Array.from({ length: CONNECTIONS }, () => RawConnection.open(url)));
    const request = requestOf(load);
    await post(connections, request, ROUND_MS / 4);
    const before = await usageOf(server);
    const startedAt = performance.now();
    const posts = await post(connections, request, ROUND_MS);
    const seconds = (performance.now() - startedAt) / 1000;
    const after = await usageOf(server);
    for (const connection of connections) connection.close();
    return {
      postsPerSecond: posts / seconds,
      cpuMicros: (after.cpuMicros - before.cpuMicros) / posts,
      droppedShare: (after.dropped - before.dropped) / (posts * load.events),
    };
  } finally {
    const gone = once(server, 'exit');
    server.kill();
    await gone;
  }
}

async function benchPosts(): Promise<void> {
  const rows: string[][] = [];
  for (const load of LOADS) {
    const samples: Sample[] = [];
    for (let round = 0; round < ROUNDS; round++) samples.push(await measure(load));
    const rate = spreadOf(samples.map(({ postsPerSecond }) => postsPerSecond));
    rows.push([
      load.name,
      String(load.events),
      printSpread(rate),
      printNumber(rate.median * load.events),
      printSpread(spreadOf(samples.map(({ cpuMicros }) => cpuMicros))),
      `${printNumber(100 * spreadOf(samples.map(({ droppedShare }) => droppedShare)).median)} %`,
    ]);
  }
  console.log(
    `\nPOST /bulk on ${CONNECTIONS} connections, events of 300 bytes, deflated for upstream: median (least–most) of ${ROUNDS} processes`,
  );
  console.log(printTable(['events go out', 'events a post', 'posts/s', 'events/s', 'CPU µs / post', 'dropped'], rows));
}

const SERVER_VARIABLE = 'OPSDECK_BENCH_EVENT_SERVER';

if (process.env[SERVER_VARIABLE]) await serve();
else {
  bench('relay-events', async (filters) => {
    console.log(`\n# relay-events\n${describeMachine()}`);
    if (isAsked('bulk', filters)) await benchPosts();
  });
}
