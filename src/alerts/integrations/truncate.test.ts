import assert from 'node:assert/strict';
import { test } from 'node:test';
import { truncateBytes, truncateRunes } from './truncate.ts';

const runes: [text: string, most: number, cut: string][] = [
  ['', 5, ''],
  ['abcde', 5, 'abcde'],
  ['abcdef', 5, 'abcd…'],
  ['abcdef', 3, 'abc'],
  ['abcdef', 1, 'a'],
  ['abcdef', 0, ''],
  ['👍👍👍👍👍', 5, '👍👍👍👍👍'],
  ['👍👍👍👍👍👍', 5, '👍👍👍👍…'],
  ['üüüüüü', 4, 'üüü…'],
];
for (const [text, most, cut] of runes) {
  test(`${JSON.stringify(text)} in ${most} characters is ${JSON.stringify(cut)}`, () => {
    assert.equal(truncateRunes(text, most), cut);
  });
}

const bytes: [text: string, most: number, cut: string][] = [
  ['', 5, ''],
  ['abcde', 5, 'abcde'],
  ['abcdef', 5, 'ab…'],
  ['abcdef', 4, 'a…'],
  ['abcdef', 3, '…'],
  ['abcdef', 2, '..'],
  ['abcdef', 0, ''],
  ['üüü', 6, 'üüü'],
  ['üüüü', 6, 'ü…'],
  ['üüüü', 7, 'üü…'],
  ['👍👍👍', 8, '👍…'],
  ['👍👍👍', 6, '…'],
];
for (const [text, most, cut] of bytes) {
  test(`${JSON.stringify(text)} in ${most} bytes is ${JSON.stringify(cut)}`, () => {
    assert.equal(truncateBytes(text, most), cut);
    assert.ok(Buffer.byteLength(cut) <= most);
  });
}
