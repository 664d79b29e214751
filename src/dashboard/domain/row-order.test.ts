import assert from 'node:assert/strict';
import { test } from 'node:test';
import { lowerBound, sortRows, upperBound } from './row-order.ts';
import { randomOf } from './testdata/usage.ts';

test('property: rows are in the order of their keys, equal rows in their first order', () => {
  const random = randomOf(7);
  const keyOf: readonly (() => number)[] = [
    () => Math.floor(random() * 10) - 5,
    () => 1.7e12 + Math.floor(random() * 1e9),
    () => (random() - 0.5) * 1e-3,
    () => (random() < 0.5 ? -0 : 0),
    () => Math.floor((random() - 0.5) * 1e16),
  ];
  for (const key of keyOf) {
    const rows = Uint32Array.from({ length: 3000 }, (_, index) => index + 7);
    const keys = Float64Array.from(rows, key);
    const expected = [...rows].sort((a, b) => (keys[a - 7] as number) - (keys[b - 7] as number));
    assert.deepEqual([...sortRows(rows, keys)], expected);
  }
});

test('bounds are found in rows by time, also at their ends', () => {
  const at = Float64Array.of(30, 10, 20, 20);
  const rows = Uint32Array.of(1, 2, 3, 0);
  assert.deepEqual(
    [5, 10, 20, 21, 31].map((instant) => lowerBound(rows, at, instant)),
    [0, 0, 1, 3, 4],
  );
  assert.deepEqual(
    [5, 10, 20, 21, 31].map((instant) => upperBound(rows, at, instant)),
    [0, 1, 3, 3, 4],
  );
});
