// Runs all tests that `build.mjs --tests` has bundled: the units in one process, and beside it the files that start
// servers or browsers, two at a time, each in a process of its own, all with one Chromium.

import { readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { run } from 'node:test';
import { launchSharedBrowser } from './shared-browser.ts';
import { TestReport } from './test-report.ts';

const FOLDER = join(process.cwd(), '.build', 'tests');
/** Beside the units; machines with more processors run more. */
const LANES = Math.max(2, availableParallelism() - 1);
/** Ends a process that hangs. */
const HANGS_AFTER_MS = 1_200_000;

interface Suite {
  /** Imports every file that starts no process. */
  readonly units: string;
  /** Every other file, those that take long first. */
  readonly others: readonly string[];
}

const { units, others } = JSON.parse(readFileSync(join(FOLDER, 'suite.json'), 'utf8')) as Suite;
const report = new TestReport(FOLDER, process.stdout);
const waiting = [...others];

async function runFile(file: string): Promise<void> {
  report.begin(file);
  const events = run({ files: [join(FOLDER, file)], timeout: HANGS_AFTER_MS });
  for await (const event of events) report.take(file, event);
  report.end(file);
}

async function runWaiting(): Promise<void> {
  for (let file = waiting.shift(); file; file = waiting.shift()) await runFile(file);
}

const closeBrowser = await launchSharedBrowser();
await Promise.all([runFile(units).then(runWaiting), ...Array.from({ length: LANES }, runWaiting)]);
await closeBrowser();
process.exitCode = report.finish() ? 0 : 1;
