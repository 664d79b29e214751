import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { CommandError, ExitCode, messageOf, systemCodeOf } from './errors.ts';

test('the exit codes are stable, as scripts rely on them', () => {
  assert.deepEqual(ExitCode, { done: 0, failed: 1, usage: 2, unreachable: 3, denied: 4, conflict: 5 });
});

test('a command error carries its line, its code and its cause', () => {
  const cause = new Error('below');
  const error = new CommandError('cannot go on', ExitCode.conflict, { cause });
  assert.ok(error instanceof Error);
  assert.deepEqual(
    [error.name, error.message, error.exitCode, error.cause],
    ['CommandError', 'cannot go on', 5, cause],
  );
  assert.equal(new CommandError('x').exitCode, 1);
});

test('any thrown value has a text', () => {
  assert.deepEqual([new TypeError('bad'), 'text', 5, undefined, null, { toString: () => 'own' }].map(messageOf), [
    'bad',
    'text',
    '5',
    'undefined',
    'null',
    'own',
  ]);
});

test('a system error has a code, and no other value has', () => {
  const thrown = (action: () => unknown): unknown => {
    try {
      return action();
    } catch (error) {
      return error;
    }
  };
  assert.equal(systemCodeOf(thrown(() => readFileSync('/there/is/none'))), 'ENOENT');
  for (const other of [
    new Error('x'),
    Object.assign(new Error('x'), { code: 5 }),
    { code: 'ENOENT' },
    'ENOENT',
    undefined,
  ])
    assert.equal(systemCodeOf(other), undefined);
});
