import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readEnvFile } from './env-file.ts';

const LINES: Readonly<Record<string, readonly [string, string]>> = {
  'A=b': ['A', 'b'],
  ' export A = b ': ['A', 'b'],
  "A='b # c'": ['A', 'b # c'],
  'A="b" # c': ['A', 'b'],
  'A=b#c # d': ['A', 'b#c'],
  'A=': ['A', ''],
  'A= # c': ['A', ''],
  'A=$B\\n': ['A', '$B\\n'],
  'A=x=y': ['A', 'x=y'],
  'A={"info": "t"}': ['A', '{"info": "t"}'],
};
for (const [line, [name, value]] of Object.entries(LINES)) {
  test(`.env: ${line}`, () => {
    const { variables, badLines } = readEnvFile(`\ufeff# remark\r\n\r\n${line}\r\n`);
    assert.equal(variables[name], value);
    assert.deepEqual(badLines, []);
  });
}

test('.env: a line that is not an assignment is reported by its number', () => {
  assert.deepEqual(readEnvFile('A=1\nB\n1C=2\nD="x\nE="x"y\n').badLines, [2, 3, 4, 5]);
});

test('.env: a later line overrides an earlier one, and no name reaches a prototype', () => {
  const { variables } = readEnvFile('A=1\nA=2\n__proto__=x\n');
  assert.equal(variables.A, '2');
  assert.equal(variables.toString, undefined);
});
