import assert from 'node:assert/strict';
import { test } from 'node:test';
import { tokensOf } from './words.ts';

test('the words of an ASCII text are those that it has beside other letters', () => {
  const printable = String.fromCharCode(...Array.from({ length: 128 }, (_, code) => code));
  for (const text of ['', 'p99 is 41 ms', 'x_y-Z.0', "it's DONE: 14/14", printable, `a${printable}b${printable}`]) {
    const beside = tokensOf(`${text} é`);
    assert.deepEqual(tokensOf(text), beside.slice(0, -1));
    assert.equal(beside.at(-1)?.word, 'e');
  }
});
