import { Readable } from 'node:stream';
import type { Terminal } from '../../kernel/terminal/terminal.ts';
import { FakeClock } from './clock.ts';

/** A terminal that records its output, with a fake clock, files in memory and the user alex. */
export class FakeTerminal implements Terminal {
  stdout = '';
  stderr = '';
  /** Standard input. */
  input: string | Uint8Array = '';
  colors = false;
  isSeen = false;
  isTyped = false;
  size: Terminal['size'];
  /** What was shown in a pager. */
  paged = '';
  env: Record<string, string | undefined> = {};
  readonly clock: FakeClock;
  /** Readable files, by path. */
  readonly files = new Map<string, string>();
  userName = 'alex';

  constructor(now: number | string = '2026-01-01T00:00:00Z') {
    this.clock = new FakeClock(now);
  }

  // Arrow functions, as they are passed on unbound.
  readonly page = async (text: string): Promise<void> => {
    this.paged += text;
  };
  readonly out = (text: string): void => {
    this.stdout += text;
  };
  readonly err = (text: string): void => {
    this.stderr += text;
  };
  readonly user = (): string => this.userName;
  readonly stdin = async (): Promise<string> => Buffer.from(this.input).toString();
  readonly stdinStream = (): Readable => Readable.from([Buffer.from(this.input)]);
  readonly readFile = (path: string): string => {
    const text = this.files.get(path);
    if (text !== undefined) return text;
    throw Object.assign(new Error(`ENOENT: no such file or directory, open '${path}'`), { code: 'ENOENT' });
  };
}
