// Runs the tests bundled by `build.mjs --test` in a few processes, or each of the named files in its own, with one shared
// Chromium.
import { readFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { join, resolve } from 'node:path';
import { run } from 'node:test';
import { isLongRound } from '../long-round.ts';
import { sharePostgres } from '../postgres.ts';
import { useMemoryDisk } from './memory-disk.ts';
import { launchSharedBrowser } from './shared-browser.ts';
import { TestReport } from './test-report.ts';

const FOLDER = resolve('.build/tests');
/** Concurrent test files: on a busy machine, and with idle processors, as tests of servers mostly wait. */
const MIN_CONCURRENCY = 3;
const MAX_CONCURRENCY = 6;
const CHECK_EVERY_MS = 250;
/** Share of the processors that must have been idle for one more file. */
const MIN_IDLE_SHARE = 0.2;
/** Timeout of a test file. */
const TIMEOUT_MS = 1_200_000;
/** Room for young objects, in MB: with V8's default the units spend a sixth of their time on collecting garbage. */
const V8_FLAGS = ['--max-semi-space-size=64'];

const named = process.argv.slice(2).map((source) => source.replace(/\.ts$/, '.mjs'));
const waiting = named.length > 0 ? named : (JSON.parse(readFileSync(join(FOLDER, 'suite.json'), 'utf8')) as string[]);
const report = new TestReport(FOLDER, process.stdout);

async function runFile(file: string): Promise<void> {
  report.begin(file);
  for await (const event of run({
    files: [join(FOLDER, file)],
    timeout: TIMEOUT_MS,
    execArgv: V8_FLAGS,
    only: isLongRound,
  }))
    report.take(file, event);
  report.end(file);
}

/** Milliseconds of all processors since the start of the machine. */
function processorTimes(): { readonly idleMs: number; readonly totalMs: number } {
  const times = cpus().map(({ times }) => times);
  const sum = (parts: readonly number[]) => parts.reduce((total, part) => total + part, 0);
  return { idleMs: sum(times.map(({ idle }) => idle)), totalMs: sum(times.flatMap((time) => Object.values(time))) };
}

/** Starts a file whenever fewer than {@link MIN_CONCURRENCY} run, or the processors were idle. */
function runWaiting(): Promise<void> {
  return new Promise((resolve, reject) => {
    let running = 0;
    let before = processorTimes();
    const startOne = () => {
      const file = waiting.shift();
      if (!file) return;
      running++;
      runFile(file).then(() => {
        running--;
        fill();
      }, reject);
    };
    const fill = () => {
      while (running < MIN_CONCURRENCY && waiting.length > 0) startOne();
      if (running > 0) return;
      clearInterval(timer);
      resolve();
    };
    const timer = setInterval(() => {
      const now = processorTimes();
      const idleShare = (now.idleMs - before.idleMs) / (now.totalMs - before.totalMs);
      before = now;
      if (idleShare >= MIN_IDLE_SHARE && running < MAX_CONCURRENCY) startOne();
    }, CHECK_EVERY_MS);
    fill();
  });
}

useMemoryDisk();
const [closeBrowser] = await Promise.all([launchSharedBrowser(), sharePostgres()]);
await runWaiting();
await closeBrowser();
process.exitCode = report.finish() ? 0 : 1;
