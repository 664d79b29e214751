import { randomInt } from 'node:crypto';
import { systemClock } from '../../../kernel/clock.ts';
import type { RunningPostgres } from '../../../testing/postgres.ts';
import type { Cleanup } from '../../../testing/processes.ts';
import { RoomsClient } from '../../terminal/client.ts';
import { pause } from '../../terminal/pause.ts';
import { type RoomsProcess, startRoomsProcess } from '../process.ts';
import type { Target } from './target.ts';

const REQUEST_TIMEOUT_MS = 10_000;

export interface NodesPlan {
  /** Of the database. */
  readonly url: string;
  readonly size: number;
  /** Between two kills of a node; the next one is chosen at random. */
  readonly everyMs: number;
  /** Killed and started again, once in a number of kills of nodes. */
  readonly postgres?: { readonly server: RunningPostgres; readonly everyKills: number };
}

interface Node {
  readonly server: RoomsProcess;
  readonly client: RoomsClient;
}

/** Several built servers over one PostgreSQL, killed with SIGKILL at random. Every request goes to any of them. */
export class KilledNodes implements Target {
  kills = 0;
  readonly #cleanup: Cleanup;
  readonly #plan: NodesPlan;
  readonly #stopped = new AbortController();
  readonly #nodes: Promise<Node>[];
  #killing: Promise<void> = Promise.resolve();

  constructor(cleanup: Cleanup, plan: NodesPlan) {
    this.#cleanup = cleanup;
    this.#plan = plan;
    this.#nodes = Array.from({ length: plan.size }, () => this.#start());
    for (const node of this.#nodes) node.catch(() => {});
  }

  async client(): Promise<RoomsClient> {
    return (await (this.#nodes[randomInt(this.#nodes.length)] as Promise<Node>)).client;
  }

  startKilling(): void {
    this.#killing = this.#kill();
    this.#killing.catch(() => {});
  }

  async stopKilling(): Promise<void> {
    this.#stopped.abort();
    await this.#killing;
  }

  /** The problems are holes that a node has found in the log. */
  async close(): Promise<readonly string[]> {
    await this.stopKilling();
    const problems: string[] = [];
    for (const { server, client } of await Promise.all(this.#nodes)) {
      const { text } = await client.send('GET', '/metrics');
      const found = /^opsdeck_rooms_log_violations_total (\d+)$/m.exec(text)?.[1];
      if (found !== '0') problems.push(`${server.url} counts ${found} holes in the log`);
      await client.close();
      await server.end('SIGTERM');
    }
    return problems;
  }

  async #kill(): Promise<void> {
    const { everyMs, postgres } = this.#plan;
    for (;;) {
      await pause(systemClock, everyMs, this.#stopped.signal);
      if (this.#stopped.signal.aborted) return;
      this.kills++;
      if (postgres && this.kills % postgres.everyKills === 0) {
        await postgres.server.kill();
        await postgres.server.start();
      } else await this.#replace(randomInt(this.#nodes.length));
    }
  }

  async #replace(index: number): Promise<void> {
    const { server, client } = await (this.#nodes[index] as Promise<Node>);
    const next = server.end('SIGKILL').then(() => this.#start());
    next.catch(() => {});
    this.#nodes[index] = next;
    await next;
    await client.close();
  }

  async #start(): Promise<Node> {
    const args = ['--log-level', 'error', '--storage-url', this.#plan.url];
    const server = await startRoomsProcess(this.#cleanup, { args });
    const connection = { url: server.url, token: undefined, user: undefined, timeoutMs: REQUEST_TIMEOUT_MS };
    return { server, client: new RoomsClient({ ...connection, variables: {} }, systemClock) };
  }
}
