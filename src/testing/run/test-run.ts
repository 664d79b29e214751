// Runs the tests bundled by `build.mjs --tests`, or the named files: the units in a few processes, and each file that
// starts servers or browsers in its own, with one shared Chromium.
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { run } from 'node:test';
import { sharePostgres } from '../postgres.ts';
import { useMemoryDisk } from './memory-disk.ts';
import { launchSharedBrowser } from './shared-browser.ts';
import { TestReport } from './test-report.ts';

const FOLDER = resolve('.build/tests');
/** Concurrent processes: one works, two mostly wait. */
const CONCURRENCY = 3;
/** Timeout of a test file. */
const TIMEOUT_MS = 1_200_000;
/** Room for young objects, in MB: with V8's default the units spend a sixth of their time on collecting garbage. */
const V8_FLAGS = ['--max-semi-space-size=64'];

const named = process.argv.slice(2).map((source) => source.replace(/\.ts$/, '.mjs'));
const waiting = named.length > 0 ? named : (JSON.parse(readFileSync(join(FOLDER, 'suite.json'), 'utf8')) as string[]);
const report = new TestReport(FOLDER, process.stdout);

async function runWaiting(): Promise<void> {
  for (let file = waiting.shift(); file; file = waiting.shift()) {
    report.begin(file);
    for await (const event of run({ files: [join(FOLDER, file)], timeout: TIMEOUT_MS, execArgv: V8_FLAGS }))
      report.take(file, event);
    report.end(file);
  }
}

useMemoryDisk();
const [closeBrowser] = await Promise.all([launchSharedBrowser(), sharePostgres()]);
await Promise.all(Array.from({ length: CONCURRENCY }, runWaiting));
await closeBrowser();
process.exitCode = report.finish() ? 0 : 1;
