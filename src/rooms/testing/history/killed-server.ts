import { join } from 'node:path';
import { systemClock } from '../../../kernel/clock.ts';
import { type Cleanup, temporaryFolder } from '../../../testing/processes.ts';
import { examine } from '../../terminal/admin/doctor.ts';
import { RoomsClient } from '../../terminal/client.ts';
import { pause } from '../../terminal/pause.ts';
import { type RoomsProcess, startRoomsProcess } from '../process.ts';
import type { Target } from './target.ts';

const REQUEST_TIMEOUT_MS = 10_000;

interface Running {
  readonly server: RoomsProcess;
  readonly client: RoomsClient;
}

/** The built server on a temporary directory, killed with SIGKILL again and again. */
export class KilledServer implements Target {
  kills = 0;
  readonly #cleanup: Cleanup;
  readonly #everyMs: number;
  readonly #folder: string;
  readonly #stopped = new AbortController();
  #running: Promise<Running>;
  #killing: Promise<void> = Promise.resolve();

  /** `everyMs`: from when it is ready to its next kill. */
  constructor(cleanup: Cleanup, everyMs: number) {
    this.#cleanup = cleanup;
    this.#everyMs = everyMs;
    this.#folder = temporaryFolder(cleanup);
    this.#running = this.#start();
    this.#running.catch(() => {});
  }

  async client(): Promise<RoomsClient> {
    return (await this.#running).client;
  }

  startKilling(): void {
    this.#killing = this.#kill();
    this.#killing.catch(() => {});
  }

  async stopKilling(): Promise<void> {
    this.#stopped.abort();
    await this.#killing;
  }

  async close(): Promise<readonly string[]> {
    await this.stopKilling();
    const { server, client } = await this.#running;
    await client.close();
    await server.end('SIGTERM');
    const findings = await examine(join(this.#folder, 'data'), { clock: systemClock, env: {} });
    return findings.flatMap(({ name, problems }) => problems.map((problem) => `${name}: ${problem}`));
  }

  async #kill(): Promise<void> {
    for (;;) {
      const { server, client } = await this.#running;
      await pause(systemClock, this.#everyMs, this.#stopped.signal);
      if (this.#stopped.signal.aborted) return;
      this.kills++;
      this.#running = server.end('SIGKILL').then(() => this.#start());
      this.#running.catch(() => {});
      await this.#running;
      await client.close();
    }
  }

  async #start(): Promise<Running> {
    const args = ['--log-level', 'error'];
    const server = await startRoomsProcess(this.#cleanup, { folder: this.#folder, args });
    const connection = { url: server.url, token: undefined, user: undefined, timeoutMs: REQUEST_TIMEOUT_MS };
    return { server, client: new RoomsClient({ ...connection, variables: {} }, systemClock) };
  }
}
