import assert from 'node:assert/strict';
import { test } from 'node:test';
import { RecentKeys } from './recent-keys.ts';

test('a key is kept for its lifetime, however often it is seen', () => {
  const keys = new RecentKeys(10, 1000);
  assert.deepEqual(
    [0, 500, 999, 1000, 1999, 2000].map((now) => keys.saw('a', now)),
    [false, true, true, false, true, false],
  );
});

test('beyond the limit the least recently seen key is removed', () => {
  const keys = new RecentKeys(2, 1000);
  keys.saw('a', 0);
  keys.saw('b', 1);
  keys.saw('a', 2);
  keys.saw('c', 3);
  assert.equal(keys.saw('a', 4), true);
  assert.equal(keys.saw('b', 5), false);
});

test('a very long key is not remembered', () => {
  const keys = new RecentKeys(2, 1000);
  for (const [length, isKnown] of [
    [256, true],
    [257, false],
  ] as const) {
    keys.saw('x'.repeat(length), 0);
    assert.equal(keys.saw('x'.repeat(length), 1), isKnown);
  }
});
