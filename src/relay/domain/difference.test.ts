import assert from 'node:assert/strict';
import { test } from 'node:test';
import { findDifferences } from './difference.ts';
import type { Json } from './json.ts';

const differences: readonly (readonly [before: Json, after: Json, expected: string])[] = [
  [{ on: true, x: 1 }, { on: false, x: 1 }, 'on: true → false'],
  [{ fallthrough: { variation: 0 } }, { fallthrough: { variation: 1 } }, 'fallthrough.variation: 0 → 1'],
  [{ a: 1 }, { b: 2 }, 'a: 1 → -; b: - → 2'],
  [{ a: null }, {}, 'a: null → -'],
  [{ a: [1, 2, 3] }, { a: [1, 3] }, 'a[1]: 2 → -'],
  [{ a: [1, 3] }, { a: [1, 2, 3] }, 'a[1]: - → 2'],
  [{ a: [1, 2] }, { a: [1, 5] }, 'a[1]: 2 → 5'],
  [{ a: [{ x: 1 }, { y: 2 }] }, { a: [{ x: 1 }, { y: 3 }] }, 'a[1].y: 2 → 3'],
  [{ a: [1] }, { a: { b: 1 } }, 'a: [1] → {"b":1}'],
  [{ a: [1, 1] }, { a: [1, 1, 1] }, 'a[2]: - → 1'],
  [{ a: { b: [{}] } }, { a: { b: [{}] } }, ''],
];
for (const [before, after, expected] of differences) {
  test(`${JSON.stringify(before)} and ${JSON.stringify(after)} differ in ${expected || 'nothing'}`, () => {
    const shown = (json: Json | undefined) => (json === undefined ? '-' : JSON.stringify(json));
    const found = findDifferences(before, after, 10);
    assert.equal(found.map((one) => `${one.path}: ${shown(one.before)} → ${shown(one.after)}`).join('; '), expected);
  });
}

test('a new or removed document is one difference, and no more than wanted are found', () => {
  assert.deepEqual(findDifferences(undefined, { a: 1 }, 10), [{ path: '', after: { a: 1 } }]);
  assert.deepEqual(findDifferences({ a: 1 }, undefined, 10), [{ path: '', before: { a: 1 } }]);
  assert.equal(findDifferences({ a: 1, b: 1, c: 1 }, {}, 2).length, 2);
});
