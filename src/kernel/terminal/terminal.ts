import { fstatSync, readFileSync } from 'node:fs';
import { userInfo } from 'node:os';
import type { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import type { Clock } from '../clock.ts';
import { systemClock } from '../clock.ts';
import { writeRemarks } from './remarks.ts';

/** The terminal and process of a command; tests pass another. */
export interface Terminal {
  /** Writes data to standard output as it is; the caller ends lines. */
  out(text: string): void;
  /** Writes remarks to standard error as they are. */
  err(text: string): void;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Whether colours are wanted on standard output: a terminal, and NO_COLOR not set. */
  readonly colors: boolean;
  /** Whether standard output is a terminal, which obeys control characters. */
  readonly isSeen?: boolean;
  /** Of the terminal on standard output. Undefined: it is no terminal, and gets texts at their full length. */
  readonly size?: { readonly columns: number; readonly rows: number } | undefined;
  /** Shows a long text in a pager. */
  page?(text: string): Promise<void>;
  /** Whether standard error is a terminal. */
  readonly isLogSeen?: boolean;
  /** How long a command waits for a server of this machine that does not listen yet, in milliseconds; 0 by default. */
  readonly startWaitMs?: number;
  readonly clock: Clock;
  /** The name of the user who runs the command. */
  user(): string;
  /** Whether nothing comes from standard input without a prompt: it is a terminal, or /dev/null. */
  readonly isTyped?: boolean;
  /** Everything on standard input. */
  stdin(): Promise<string>;
  /** The same as bytes, for input that may be too large for memory. */
  stdinStream(): Readable;
  readFile(path: string): string;
}

/** Whether it is a terminal or /dev/null; also if it is closed. */
function isDevice(fd: number): boolean {
  try {
    return fstatSync(fd).isCharacterDevice();
  } catch {
    return true;
  }
}

let writeError: ((text: string) => void) | undefined;

export const systemTerminal: Terminal = {
  out: (chunk) => void process.stdout.write(chunk),
  err(chunk) {
    writeError ??= writeRemarks(process.stderr);
    writeError(chunk);
  },
  env: process.env,
  colors: process.stdout.isTTY === true && !process.env.NO_COLOR,
  isSeen: process.stdout.isTTY === true,
  get size() {
    const { isTTY, columns, rows } = process.stdout;
    return isTTY && columns > 0 && rows > 0 ? { columns, rows } : undefined;
  },
  async page(text) {
    const { page } = await import('./pager.ts');
    await page(text, systemTerminal);
  },
  isLogSeen: process.stderr.isTTY === true,
  startWaitMs: 2_000,
  clock: systemClock,
  user: () => process.env.USER || userInfo().username,
  get isTyped() {
    return isDevice(0);
  },
  stdin: () => text(process.stdin),
  stdinStream: () => process.stdin,
  readFile: (path) => readFileSync(path, 'utf8'),
};
