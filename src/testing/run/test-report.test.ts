import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { TestEvent } from 'node:test/reporters';
import { TestReport } from './test-report.ts';

const FILE = 'src/a.test.mjs';

/** Reports events of one file; returns the text and whether all tests have passed. */
function reportOf(events: readonly object[]): { readonly text: string; readonly isGreen: boolean } {
  let text = '';
  const report = new TestReport('/tests', { write: (part) => (text += part) });
  report.begin(FILE);
  for (const event of events) report.take(FILE, event as TestEvent);
  report.end(FILE);
  return { isGreen: report.finish(), text };
}

const place = { file: `/tests/${FILE}`, line: 1, column: 1 };
const started = (nesting: number, name: string) => ({ type: 'test:start', data: { ...place, nesting, name } });
const ended = (type: 'test:pass' | 'test:fail', nesting: number, name: string, more: object = {}, error?: unknown) => ({
  type,
  data: { ...place, nesting, name, testNumber: 1, details: { duration_ms: 1500, error }, ...more },
});
const failureOf = (failureType: string, cause: unknown) =>
  Object.assign(new Error('failed', { cause }), { failureType });
const summary = (success: boolean) => ({ type: 'test:summary', data: { success, file: undefined } });

test('a green file is one line, and the run is green', () => {
  const { text, isGreen } = reportOf([started(0, 'one'), ended('test:pass', 0, 'one'), summary(true)]);
  assert.equal(isGreen, true);
  assert.match(text, /^✔ +\d+\.\d s +1 tests {2}src\/a\.test\.mjs\n/);
  assert.match(text, /1\.5 s src\/a\.test\.ts: one\n/);
  assert.match(text, /\n1 tests, 0 failed, in/);
});

test('a failed subtest is reported with its full name and error, once at its file and once at the end', () => {
  const { text, isGreen } = reportOf([
    started(0, 'outer'),
    started(1, 'inner'),
    ended('test:fail', 1, 'inner', {}, failureOf('testCodeFailure', new Error('what went wrong'))),
    ended('test:fail', 0, 'outer', {}, failureOf('subtestsFailed', '1 subtest failed')),
    summary(false),
  ]);
  assert.equal(isGreen, false);
  assert.equal(text.split('✖ src/a.test.ts: outer › inner (1.5 s)').length, 3);
  assert.match(text.slice(text.indexOf('failed:')), /outer › inner[\s\S]*what went wrong/);
  assert.doesNotMatch(text, /1 subtest failed/);
});

test('a file with a failed process is red, whatever the results of its tests', () => {
  for (const events of [[ended('test:pass', 0, 'one'), summary(false)], []]) {
    const { text, isGreen } = reportOf(events);
    assert.equal(isGreen, false);
    assert.match(text, /✖ src\/a\.test\.mjs: its process failed/);
  }
});

test('other output of a process is kept, and skipped tests have a reason', () => {
  const { text, isGreen } = reportOf([
    { type: 'test:stderr', data: { ...place, message: 'output of the process\n' } },
    ended('test:pass', 0, 'real', { skip: 'amtool is not installed' }),
    summary(true),
  ]);
  assert.equal(isGreen, true);
  assert.match(text, /output of the process\n/);
  assert.match(text, /skipped: amtool is not installed\n/);
});

test('a process that fails outside of its tests is reported with its end', () => {
  const error = Object.assign(failureOf('testCodeFailure', 'test failed'), { exitCode: 7, signal: null });
  const { text, isGreen } = reportOf([
    ended('test:pass', 0, 'one'),
    ended('test:fail', 0, FILE, {}, error),
    summary(false),
  ]);
  assert.equal(isGreen, false);
  assert.match(text, /'test failed'\n +its process ended with code 7\n/);
});
