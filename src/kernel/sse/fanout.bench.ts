import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { fileURLToPath } from 'node:url';
import { createChannel, createSession } from 'better-sse';
import {
  bench,
  describeMachine,
  isAsked,
  printNumber,
  printSpread,
  printTable,
  spreadOf,
} from '../../testing/bench.ts';
import { systemClock } from '../clock.ts';
import { Fanout } from './fanout.ts';
import { frameEvent } from './frame.ts';
import { SseReader } from './reader.ts';

const CLIENTS = [1000, 5000];
const ROUNDS = 3;
/** Enough to keep a processor busy for a second or more. */
const DELIVERIES = 150_000;
const WARM_UP_MESSAGES = 20;
const REQUEST = 'GET / HTTP/1.1\r\nHost: localhost\r\n\r\n';
/** Stands once in each event, so that a client counts events without parsing them. */
const MARK = '~'.charCodeAt(0);
const EVENT = { text: `${'x'.repeat(1000)}~` };

/** One way of fan-out: accepts clients, and sends the event to all of them. */
interface Sender {
  take(incoming: IncomingMessage, outgoing: ServerResponse): void;
  readonly size: () => number;
  send(): void;
}

const SENDERS: Record<string, () => Sender> = {
  'res.write of one buffer': () => {
    const clients = new Set<ServerResponse>();
    return {
      take(_, outgoing) {
        outgoing.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-cache' });
        outgoing.flushHeaders();
        outgoing.once('close', () => clients.delete(outgoing));
        clients.add(outgoing);
      },
      size: () => clients.size,
      send() {
        const bytes = Buffer.from(`event: put\ndata: ${JSON.stringify(EVENT)}\n\n`);
        for (const client of clients) client.write(bytes);
      },
    };
  },
  Fanout: () => {
    const fanout = new Fanout({ clock: systemClock, heartbeatMs: 180_000 });
    return {
      take: (_, outgoing) => void fanout.open(outgoing),
      size: () => fanout.size,
      send: () => fanout.send(frameEvent({ event: 'put', data: JSON.stringify(EVENT) })),
    };
  },
  'better-sse broadcast': () => {
    const channel = createChannel();
    return {
      take: async (incoming, outgoing) => void channel.register(await createSession(incoming, outgoing)),
      size: () => channel.sessionCount,
      send: () => void channel.broadcast(EVENT, 'put'),
    };
  },
};

/** A question to the measured process, and its answer. */
type Question = { readonly ask: 'size' | 'heap' | 'cpu' | 'send' };
type Answer = { readonly port: number } | { readonly value: number };

/** The measured process: only one server, controlled by the process with its clients. */
async function serve(sender: Sender): Promise<void> {
  const server = createServer((incoming, outgoing) => sender.take(incoming, outgoing));
  server.listen({ port: 0, host: '127.0.0.1', backlog: 8192 });
  await once(server, 'listening');
  const answer = (answer: Answer) => process.send?.(answer);
  process.on('message', ({ ask }: Question) => {
    if (ask === 'size') answer({ value: sender.size() });
    if (ask === 'heap') answer({ value: usedHeapBytes() });
    if (ask === 'cpu') answer({ value: usedCpuMicros() });
    if (ask === 'send') sender.send();
  });
  answer({ port: (server.address() as AddressInfo).port });
}

function usedHeapBytes(): number {
  globalThis.gc?.();
  return process.memoryUsage().heapUsed;
}

function usedCpuMicros(): number {
  const { user, system } = process.cpuUsage();
  return user + system;
}

async function ask(server: ChildProcess, question: Question['ask']): Promise<number> {
  server.send({ ask: question });
  const [answer] = (await once(server, 'message')) as [{ value: number }];
  return answer.value;
}

/** Sockets that count the events they are sent, and read no further than they must. */
class Audience {
  readonly #sockets: Socket[] = [];
  #heard = 0;
  #expected = 0;
  #allHeard = () => {};

  async join(port: number, count: number): Promise<void> {
    for (let left = count; left > 0; left -= 200) {
      await Promise.all(Array.from({ length: Math.min(left, 200) }, () => this.#open(port)));
    }
  }

  /** Resolves when every socket has had `events` more events. */
  hear(events: number): Promise<void> {
    this.#expected += events * this.#sockets.length;
    return new Promise((resolve) => {
      this.#allHeard = resolve;
    });
  }

  leave(): void {
    for (const socket of this.#sockets) socket.destroy();
  }

  async #open(port: number): Promise<void> {
    const socket = connect(port, '127.0.0.1');
    await once(socket, 'connect');
    this.#sockets.push(socket);
    socket.write(REQUEST);
    await once(socket, 'data');
    socket.on('data', (chunk: Buffer) => {
      for (let at = chunk.indexOf(MARK); at !== -1; at = chunk.indexOf(MARK, at + 1)) this.#heard += 1;
      if (this.#heard === this.#expected) this.#allHeard();
    });
  }
}

interface Sample {
  readonly cpuMicros: number;
  readonly heapKb: number;
}

/** Runs one way with `clients` clients in its own process: the cost per client, and per client and event. */
async function measure(name: string, clients: number): Promise<Sample> {
  const server = fork(fileURLToPath(import.meta.url), [], {
    env: { ...process.env, [SENDER_VARIABLE]: name },
    execArgv: ['--expose-gc'],
  });
  const audience = new Audience();
  try {
    const [{ port }] = (await once(server, 'message')) as [{ port: number }];
    const heapBefore = await ask(server, 'heap');
    await audience.join(port, clients);
    while ((await ask(server, 'size')) < clients);
    const heapAfter = await ask(server, 'heap');
    await sendAll(server, audience, WARM_UP_MESSAGES);
    const messages = Math.ceil(DELIVERIES / clients);
    const cpuBefore = await ask(server, 'cpu');
    await sendAll(server, audience, messages);
    const cpuAfter = await ask(server, 'cpu');
    return {
      cpuMicros: (cpuAfter - cpuBefore) / messages / clients,
      heapKb: (heapAfter - heapBefore) / clients / 1024,
    };
  } finally {
    audience.leave();
    const gone = once(server, 'exit');
    server.kill();
    await gone;
  }
}

async function sendAll(server: ChildProcess, audience: Audience, messages: number): Promise<void> {
  for (let sent = 0; sent < messages; sent++) {
    const heard = audience.hear(1);
    server.send({ ask: 'send' });
    await heard;
  }
}

async function benchSenders(): Promise<void> {
  const rows: string[][] = [];
  for (const clients of CLIENTS) {
    const samples = new Map<string, Sample[]>(Object.keys(SENDERS).map((name) => [name, []]));
    for (let round = 0; round < ROUNDS; round++) {
      const order = round % 2 === 0 ? [...samples] : [...samples].reverse();
      for (const [name, taken] of order) taken.push(await measure(name, clients));
    }
    for (const [name, taken] of samples) {
      const cpu = spreadOf(taken.map(({ cpuMicros }) => cpuMicros));
      const heap = spreadOf(taken.map(({ heapKb }) => heapKb));
      rows.push([printNumber(clients), name, printSpread(cpu), printSpread(heap)]);
    }
  }
  console.log(
    `\nAn event of 1 KB to every client: median (least–most) of ${ROUNDS} processes each, in alternating order`,
  );
  console.log(printTable(['clients', 'way', 'CPU µs / client and event', 'heap KB / client'], rows));
}

function benchReader(): void {
  const stream = Buffer.from(`event: put\ndata: ${JSON.stringify({ text: 'x'.repeat(12 * 2 ** 20) })}\n\n`);
  const rows = [64 * 1024, 1024].map((chunkBytes) => {
    const rates = Array.from({ length: 2 * ROUNDS }, () => {
      const reader = new SseReader();
      const startedAt = performance.now();
      for (let at = 0; at < stream.length; at += chunkBytes) reader.push(stream.subarray(at, at + chunkBytes));
      return stream.length / 1e3 / (performance.now() - startedAt);
    });
    return [`${chunkBytes / 1024} KB`, printSpread(spreadOf(rates))];
  });
  console.log('\nAn event of 12 MB read from chunks');
  console.log(printTable(['chunk', 'MB/s'], rows));
}

const SENDER_VARIABLE = 'OPSDECK_BENCH_SSE_SENDER';
const sender = SENDERS[process.env[SENDER_VARIABLE] ?? ''];

if (sender) await serve(sender());
else {
  bench('sse', async (filters) => {
    console.log(`\n# sse\n${describeMachine()}`);
    if (isAsked('clients', filters)) await benchSenders();
    if (isAsked('reader', filters)) benchReader();
  });
}
