import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Clock } from '../../../kernel/clock.ts';
import { CommandError } from '../../../kernel/errors.ts';
import type { Terminal } from '../../../kernel/terminal/terminal.ts';
import { examine } from '../admin/doctor.ts';
import { RoomsClient } from '../client.ts';
import { pause } from '../pause.ts';
import type { Target } from './target.ts';

const READY = /^rooms: listening on (http:\/\/\S+) /m;
const START_TIMEOUT_MS = 60_000;
const STOP_TIMEOUT_MS = 20_000;
const REQUEST_TIMEOUT_MS = 10_000;

interface Running {
  readonly child: ChildProcess;
  readonly client: RoomsClient;
}

/** A server of its own, this same program on a temporary directory, that is killed with SIGKILL again and again. */
export class KilledServer implements Target {
  kills = 0;
  readonly #terminal: Terminal;
  readonly #clock: Clock;
  readonly #everyMs: number;
  readonly #folder = mkdtempSync(join(tmpdir(), 'opsdeck-bench-'));
  readonly #calm = new AbortController();
  #running: Promise<Running>;
  #killing: Promise<void> = Promise.resolve();
  readonly #killLast = () => this.#child?.kill('SIGKILL');
  #child: ChildProcess | undefined;
  #closing: Promise<readonly string[]> | undefined;

  /** `everyMs`: of its kills, counted from when it is ready. */
  constructor(terminal: Terminal, everyMs: number) {
    this.#terminal = terminal;
    this.#everyMs = everyMs;
    this.#clock = terminal.clock;
    // Whatever ends this process ends the server as well.
    process.once('exit', this.#killLast);
    this.#running = this.#start();
    this.#running.catch(() => {});
  }

  async client(): Promise<RoomsClient> {
    return (await this.#running).client;
  }

  torment(): void {
    this.#killing = this.#kill();
    this.#killing.catch(() => {});
  }

  async #kill(): Promise<void> {
    for (;;) {
      const { child, client } = await this.#running;
      await pause(this.#clock, this.#everyMs, this.#calm.signal);
      if (this.#calm.signal.aborted) return;
      const ended = once(child, 'exit');
      child.kill('SIGKILL');
      this.kills++;
      this.#running = ended.then(() => this.#start());
      this.#running.catch(() => {});
      await this.#running;
      await client.close();
    }
  }

  async calm(): Promise<void> {
    this.#calm.abort();
    await this.#killing;
  }

  close(): Promise<readonly string[]> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<readonly string[]> {
    this.#calm.abort();
    try {
      await this.#killing;
      const { child, client } = await this.#running;
      await client.close();
      await this.#stop(child);
      const findings = await examine(join(this.#folder, 'data'), this.#clock);
      return findings.flatMap(({ name, problems }) => problems.map((problem) => `${name}: ${problem}`));
    } finally {
      this.#killLast();
      process.removeListener('exit', this.#killLast);
      rmSync(this.#folder, { recursive: true, force: true, maxRetries: 3 });
    }
  }

  async #stop(child: ChildProcess): Promise<void> {
    if (child.exitCode !== null || child.signalCode !== null) return;
    const ended = once(child, 'exit');
    const cancel = this.#clock.after(STOP_TIMEOUT_MS, () => child.kill('SIGKILL'));
    child.kill('SIGTERM');
    await ended;
    cancel();
  }

  async #start(): Promise<Running> {
    const program = process.argv[1] ?? '';
    const args = ['rooms', 'serve', '--port', '0', '--data-dir', join(this.#folder, 'data')];
    const { env } = this.#terminal;
    const own = Object.entries(env).filter(([name]) => !name.startsWith('OPSDECK_'));
    const child = spawn(process.execPath, [program, ...args, '--log-level', 'error'], {
      cwd: this.#folder,
      env: Object.fromEntries(own),
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    this.#child = child;
    const url = await this.#ready(child);
    const connection = { url, token: undefined, user: undefined, timeoutMs: REQUEST_TIMEOUT_MS, variables: {} };
    return { child, client: new RoomsClient(connection, this.#clock) };
  }

  #ready(child: ChildProcess): Promise<string> {
    return new Promise((resolve, reject) => {
      let out = '';
      let err = '';
      const fail = (why: string) => {
        cancel();
        child.kill('SIGKILL');
        reject(
          new CommandError(`the server that is to be killed ${why}: ${err.trim().slice(-1000) || 'it said nothing'}`),
        );
      };
      const cancel = this.#clock.after(START_TIMEOUT_MS, () => fail('does not start in time'));
      child.once('error', (error) => fail(`does not start (${error.message})`));
      child.once('exit', (code, signal) => fail(`ended with ${code ?? signal} before it was ready`));
      child.stderr?.setEncoding('utf8').on('data', (text: string) => {
        err += text;
      });
      child.stdout?.setEncoding('utf8').on('data', (text: string) => {
        out += text;
        const url = READY.exec(out)?.[1];
        if (url === undefined) return;
        cancel();
        child.removeAllListeners('exit');
        resolve(url);
      });
    });
  }
}
