import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ApiError } from '../api.ts';
import { performEach } from './bulk.ts';

test('each item ends on its own, and the results are in the order of the items', async () => {
  const error = new ApiError('not this one', 'refused', 400);
  const items = Array.from({ length: 20 }, (_, item) => item);
  const { done, failed } = await performEach(items, async (item) => {
    for (let turn = items.length; turn > item; turn--) await Promise.resolve();
    if (item % 7 === 3) throw error;
    return item * 10;
  });
  assert.deepEqual(
    failed,
    [3, 10, 17].map((item) => ({ item, error })),
  );
  assert.deepEqual(
    done,
    items.filter((item) => item % 7 !== 3).map((item) => ({ item, result: item * 10 })),
  );
});

test('a bug is not reported as a failure of the server', async () => {
  await assert.rejects(
    performEach([1], () => Promise.reject(new TypeError('bug'))),
    TypeError,
  );
});
