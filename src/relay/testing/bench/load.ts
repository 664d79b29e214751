import { fork } from 'node:child_process';
import { once } from 'node:events';
import { RawConnection } from '../../../testing/http/raw-connection.ts';
import type { Cleanup } from '../../../testing/processes.ts';
import { StreamClients, type StreamProtocol } from '../stream-clients.ts';

// The clients of a bench in a process of their own, so that they and the server do not wait for each other.

/** A load of requests that are sent in turn over all connections concurrently; each must be answered with the status. */
export interface LoadOrder {
  readonly url: string;
  readonly method: string;
  readonly requests: readonly string[];
  readonly status: number;
  readonly connections: number;
  readonly ms: number;
}

export interface LoadResult {
  readonly count: number;
  readonly seconds: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  /** CPU time of the clients per request. */
  readonly cpuMicros: number;
}

interface StreamOrder {
  readonly port: number;
  readonly request: string;
  readonly protocol?: StreamProtocol;
  readonly count: number;
  readonly isAtOnce: boolean;
}

/** Epoch milliseconds, finer than one. */
export interface ReceivedTimes {
  readonly firstAt: number;
  readonly lastAt: number;
}

type Order =
  | { readonly kind: 'load'; readonly order: LoadOrder }
  | { readonly kind: 'streams'; readonly order: StreamOrder }
  /** Answered when each stream has received an event after the order. */
  | { readonly kind: 'receive' }
  | { readonly kind: 'close' };

/** A process of clients. */
export class LoadGenerator {
  readonly #child;

  /** `file` calls `serveLoad` if `isLoadGenerator()`. */
  constructor(t: Cleanup, file: string) {
    const child = fork(file, [], {
      env: { ...process.env, [VARIABLE]: '1' },
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    });
    this.#child = child;
    t.after(async () => {
      const gone = once(child, 'exit');
      child.kill();
      await gone;
    });
  }

  load(order: LoadOrder): Promise<LoadResult> {
    return this.#ask({ kind: 'load', order }) as Promise<LoadResult>;
  }

  /** Opens streams; resolves when each has received its first event. */
  connect(order: StreamOrder): Promise<ReceivedTimes> {
    return this.#ask({ kind: 'streams', order }) as Promise<ReceivedTimes>;
  }

  /** Resolves when each stream has received one further event. */
  receive(): Promise<ReceivedTimes> {
    return this.#ask({ kind: 'receive' }) as Promise<ReceivedTimes>;
  }

  async close(): Promise<void> {
    await this.#ask({ kind: 'close' });
  }

  async #ask(order: Order): Promise<unknown> {
    const answered = once(this.#child, 'message');
    const died = once(this.#child, 'exit').then(() => {
      throw new Error('the clients have ended');
    });
    this.#child.send(order);
    const [answer] = (await Promise.race([answered, died])) as [unknown];
    return answer;
  }
}

const VARIABLE = 'OPSDECK_BENCH_LOAD';
export const isLoadGenerator = (): boolean => process.env[VARIABLE] !== undefined;

/** Runs in the process of the clients. */
export function serveLoad(): void {
  let streams: StreamClients | undefined;
  const connect = ({ port, request, protocol, count, isAtOnce }: StreamOrder) => {
    streams ??= new StreamClients(port, request, protocol);
    return isAtOnce ? streams.connectAtOnce(count) : streams.connect(count).then(() => ({ firstAt: 0, lastAt: 0 }));
  };
  const receive = async (times: Promise<ReceivedTimes> | undefined): Promise<ReceivedTimes> => {
    const { firstAt = 0, lastAt = 0 } = (await times) ?? {};
    return { firstAt: performance.timeOrigin + firstAt, lastAt: performance.timeOrigin + lastAt };
  };
  const run = async (order: Order): Promise<object> => {
    if (order.kind === 'load') return load(order.order);
    if (order.kind === 'streams') return receive(connect(order.order));
    if (order.kind === 'receive') return receive(streams?.receive());
    streams?.close();
    return {};
  };
  process.on('message', async (order: Order) => process.send?.(await run(order)));
}

async function load({ url, method, requests, status, connections, ms }: LoadOrder): Promise<LoadResult> {
  const open = await Promise.all(Array.from({ length: connections }, () => RawConnection.open(url)));
  const bytes = requests.map((request) => Buffer.from(request));
  const cpuBefore = process.cpuUsage();
  const startedAt = performance.now();
  const tookMs: number[] = [];
  const drain = async (connection: RawConnection) => {
    for (let sentAt = startedAt; sentAt < startedAt + ms; sentAt = performance.now()) {
      const answer = await connection.exchange(method, bytes[tookMs.length % bytes.length] ?? '');
      if (answer.status !== status) throw new Error(answer.head);
      tookMs.push(performance.now() - sentAt);
    }
  };
  await Promise.all(open.map(drain));
  const seconds = (performance.now() - startedAt) / 1000;
  const { user, system } = process.cpuUsage(cpuBefore);
  for (const connection of open) connection.close();
  const sorted = tookMs.sort((a, b) => a - b);
  const quantile = (share: number) => sorted[Math.floor(sorted.length * share)] ?? Number.NaN;
  return {
    count: sorted.length,
    seconds,
    p50Ms: quantile(0.5),
    p99Ms: quantile(0.99),
    cpuMicros: (user + system) / sorted.length,
  };
}
