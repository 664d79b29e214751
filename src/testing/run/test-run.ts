// Runs the tests that `build.mjs --tests` has bundled, or of them the files that are named: all units in one process, and
// beside it those that start servers or browsers, each in a process of its own, all with one Chromium.
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { run } from 'node:test';
import { launchSharedBrowser } from './shared-browser.ts';
import { TestReport } from './test-report.ts';

const FOLDER = resolve('.build/tests');
/** Processes at a time: one works, two mostly wait. */
const LANES = 3;
/** Ends a process that hangs. */
const HANGS_AFTER_MS = 1_200_000;

const named = process.argv.slice(2).map((source) => source.replace(/\.ts$/, '.mjs'));
const waiting = named.length > 0 ? named : (JSON.parse(readFileSync(join(FOLDER, 'suite.json'), 'utf8')) as string[]);
const report = new TestReport(FOLDER, process.stdout);

async function runWaiting(): Promise<void> {
  for (let file = waiting.shift(); file; file = waiting.shift()) {
    report.begin(file);
    for await (const event of run({ files: [join(FOLDER, file)], timeout: HANGS_AFTER_MS })) report.take(file, event);
    report.end(file);
  }
}

const closeBrowser = await launchSharedBrowser();
await Promise.all(Array.from({ length: LANES }, runWaiting));
await closeBrowser();
process.exitCode = report.finish() ? 0 : 1;
