import type { CancelTimer, Clock } from '../clock.ts';
import type { Log } from '../log.ts';
import { answerCalls, type Part, type Port } from '../threads/calls.ts';
import { startThread, type ThreadProgram } from '../threads/thread.ts';

/** The name under which it is started. */
export const BCRYPT_PART = 'password comparison';

/** The thread ends after this time without work, which frees its memory. */
const IDLE_MS = 60_000;

interface BcryptMethods {
  compare(password: string, hash: string): Promise<boolean>;
}

/** The thread has no events. */
const SILENT: Log = { debug() {}, info() {}, warn() {}, error() {}, debugging: false };

/** Compares passwords with bcrypt hashes in a thread that runs only while it is needed. */
export class BcryptThread {
  readonly #program: () => ThreadProgram;
  readonly #clock: Clock;
  #part: Part<BcryptMethods> | undefined;
  #cancelEnd: CancelTimer | undefined;

  constructor(program: () => ThreadProgram, clock: Clock) {
    this.#program = program;
    this.#clock = clock;
  }

  /** Rejects when the thread dies; the next call starts another one. */
  async compare(password: string, hash: string): Promise<boolean> {
    this.#cancelEnd?.();
    this.#part ??= this.#start();
    try {
      return await this.#part.methods.compare(password, hash);
    } finally {
      this.#cancelEnd?.();
      this.#cancelEnd = this.#clock.after(IDLE_MS, () => void this.close());
    }
  }

  async close(): Promise<void> {
    this.#cancelEnd?.();
    const part = this.#part;
    this.#part = undefined;
    await part?.end();
  }

  #start(): Part<BcryptMethods> {
    const part = startThread<BcryptMethods>({
      program: this.#program(),
      name: BCRYPT_PART,
      options: undefined,
      log: SILENT,
      revive: () => undefined,
    });
    void part.died.then(() => {
      if (this.#part === part) this.#part = undefined;
    });
    return part;
  }
}

/** Compares in this thread, in slices: for a program that is no single file, which a thread could run. */
export async function compareHere(password: string, hash: string): Promise<boolean> {
  const { compare } = await import('bcryptjs');
  return compare(password, hash);
}

/** Runs in the thread. */
export function serveBcrypt(port: Port): void {
  const methods: BcryptMethods = {
    async compare(password, hash) {
      const { compareSync } = await import('bcryptjs');
      return compareSync(password, hash);
    },
  };
  answerCalls(port, methods);
}
