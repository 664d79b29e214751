import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isCommandLine, unescapeCommand } from './line.ts';

const LINES: readonly (readonly [string, boolean])[] = [
  ['/silence 2h a=b', true],
  ['/HELP', true],
  ['/alerts\n', true],
  ['/silence? 2h a=b', true],
  ['/usr/bin/false failed', false],
  ['/ not a command', false],
  ['//silence 2h', false],
  ['words /silence', false],
  ['/1h', false],
];
for (const [body, expected] of LINES) {
  test(`${JSON.stringify(body)} is ${expected ? 'a' : 'no'} command`, () =>
    assert.equal(isCommandLine(body), expected));
}

test('two slashes escape a command; a path keeps its own', () => {
  assert.equal(unescapeCommand('//silence x'), '/silence x');
  assert.equal(unescapeCommand('//1'), '//1');
  assert.equal(unescapeCommand('/a'), '/a');
});
