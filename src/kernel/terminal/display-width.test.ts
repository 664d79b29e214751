import assert from 'node:assert/strict';
import { test } from 'node:test';
import { cut, displayWidth, fold } from './display-width.ts';

const widths: [text: string, columns: number][] = [
  ['', 0],
  ['abc', 3],
  ['é', 1],
  ['e\u0301', 1],
  ['日本', 4],
  ['🔥', 2],
];
for (const [text, columns] of widths) {
  test(`${JSON.stringify(text)} takes ${columns} columns`, () => assert.equal(displayWidth(text), columns));
}

const cuts: [text: string, width: number, short: string][] = [
  ['abcdef', 4, 'abc…'],
  ['ab cdef', 4, 'ab…'],
  ['日本語', 4, '日…'],
  ['e\u0301e\u0301e\u0301', 2, 'e\u0301…'],
  ['🔥🔥', 1, '…'],
  ['abc', 0, ''],
];
for (const [text, width, short] of cuts) {
  test(`${text} is cut to ${short} for ${width} columns`, () => assert.equal(cut(text, width), short));
}

const folds: [text: string, width: number, lines: string[]][] = [
  ['one two three', 8, ['one two', 'three']],
  ['one two three', 7, ['one two', 'three']],
  ['abcdefghij', 4, ['abcd', 'efgh', 'ij']],
  ['日本語', 4, ['日本', '語']],
  ['', 4, ['']],
];
for (const [text, width, lines] of folds) {
  test(`${JSON.stringify(text)} is folded at ${width} columns`, () => assert.deepEqual(fold(text, width), lines));
}
