import { relative } from 'node:path';
import type { TestEvent } from 'node:test/reporters';
import { inspect } from 'node:util';

type Ended = Extract<TestEvent, { readonly type: 'test:pass' | 'test:fail' }>;

/** As node:test reports it; the last two are those of a test file's process. */
interface TestError extends Error {
  readonly failureType?: string;
  readonly exitCode?: number | null;
  readonly signal?: NodeJS.Signals | null;
}

interface TimedTest {
  readonly name: string;
  readonly seconds: number;
}

/** State of a running test file. */
interface FileRun {
  readonly startedAt: number;
  /** Names of the current tests, outermost first. */
  readonly path: string[];
  /** Other output of its process. */
  readonly output: string[];
  readonly failures: string[];
  tests: number;
  isGreen: boolean;
}

const SLOWEST_TESTS = 20;
/** Minimum duration in the list of the slowest. */
const SLOW_SECONDS = 1;

const secondsSince = (startedAt: number): number => (performance.now() - startedAt) / 1000;
const inSeconds = (seconds: number): string => `${seconds.toFixed(1)} s`.padStart(8);

/** Prints a line and the failures of each file, and at the end the slowest, skipped and failed tests. */
export class TestReport {
  readonly #folder: string;
  readonly #out: { write(text: string): unknown };
  readonly #startedAt = performance.now();
  readonly #runs = new Map<string, FileRun>();
  readonly #timed: TimedTest[] = [];
  readonly #skipped = new Set<string>();
  readonly #failures: string[] = [];
  #tests = 0;

  /** `folder`: that of the test files. */
  constructor(folder: string, out: { write(text: string): unknown }) {
    this.#folder = folder;
    this.#out = out;
  }

  begin(file: string): void {
    const startedAt = performance.now();
    this.#runs.set(file, { startedAt, path: [], output: [], failures: [], tests: 0, isGreen: false });
  }

  /** Handles the events of node:test for a file, in order. */
  take(file: string, event: TestEvent): void {
    const fileRun = this.#runs.get(file);
    if (!fileRun) throw new Error(`${file} has not begun`);
    const { type, data } = event;
    if (type === 'test:start') fileRun.path[data.nesting] = data.name;
    else if (type === 'test:pass' || type === 'test:fail') this.#settle(file, fileRun, event);
    else if (type === 'test:stdout' || type === 'test:stderr') fileRun.output.push(data.message);
    else if (type === 'test:summary' && data.file === undefined) fileRun.isGreen = data.success;
  }

  #settle(file: string, fileRun: FileRun, { type, data }: Ended): void {
    const name = [...fileRun.path.slice(0, data.nesting), data.name].join(' › ');
    // A part of the units reports the file of each test. If a helper calls `test`, the file is a chunk of the bundle.
    const place = relative(this.#folder, data.file ?? file);
    const source = (place.endsWith('.test.mjs') ? place : file).replace(/\.mjs$/, '.ts');
    fileRun.tests++;
    if (data.nesting === 0) this.#timed.push({ name: `${source}: ${name}`, seconds: data.details.duration_ms / 1000 });
    if (data.skip) this.#skipped.add(typeof data.skip === 'string' ? data.skip : name);
    if (type !== 'test:fail' || data.todo !== undefined) return;
    const { error } = data.details as { readonly error: TestError };
    if (error.failureType === 'subtestsFailed') return;
    const seconds = (data.details.duration_ms / 1000).toFixed(1);
    const { exitCode, signal } = error;
    // Of a process, not of a test: how it ended is all that is known.
    const end = signal || exitCode ? `\nits process ended with ${signal ?? `code ${exitCode}`}` : '';
    fileRun.failures.push(`✖ ${source}: ${name} (${seconds} s)\n${indent(inspect(error.cause ?? error) + end)}\n`);
  }

  end(file: string): void {
    const fileRun = this.#runs.get(file);
    if (!fileRun) throw new Error(`${file} has not begun`);
    const { failures, output, tests, startedAt } = fileRun;
    if (!fileRun.isGreen && failures.length === 0) failures.push(`✖ ${file}: its process failed\n`);
    this.#tests += tests;
    this.#failures.push(...failures);
    const mark = failures.length === 0 ? '✔' : '✖';
    this.#out.write(`${mark} ${inSeconds(secondsSince(startedAt))} ${String(tests).padStart(5)} tests  ${file}\n`);
    this.#out.write(`${output.join('')}${failures.join('')}`);
  }

  /** Prints the end of the report; returns whether all tests have passed. */
  finish(): boolean {
    const slowest = this.#timed
      .filter(({ seconds }) => seconds >= SLOW_SECONDS)
      .sort((a, b) => b.seconds - a.seconds)
      .slice(0, SLOWEST_TESTS);
    const lines = [
      `\nthe slowest of ${this.#timed.length} top-level tests:`,
      ...slowest.map(({ name, seconds }) => `  ${inSeconds(seconds)} ${name}`),
      ...[...this.#skipped].map((reason) => `skipped: ${reason}`),
      ...(this.#failures.length === 0 ? [] : ['\nfailed:', ...this.#failures]),
      `\n${this.#tests} tests, ${this.#failures.length} failed, in${inSeconds(secondsSince(this.#startedAt))}`,
    ];
    this.#out.write(`${lines.join('\n')}\n`);
    return this.#failures.length === 0;
  }
}

const indent = (text: string): string => text.replace(/^/gm, '    ');
