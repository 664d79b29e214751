import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Page } from '../listing-pages/alert-pages.ts';
import type { AlertSlot } from '../store/slot.ts';
import { alertOf } from '../testing/parts.ts';
import { LabelIndex } from './label-index.ts';

function pageOf(...labels: readonly Record<string, string>[]): Page<AlertSlot> {
  const items = labels.map((own, id) => ({
    id,
    alert: alertOf(own),
    hasNewContent: false,
    isSettled: false,
    isAnnounced: false,
    isInDoubt: false,
  }));
  return { items, bytes: Buffer.alloc(0), version: 0, isStale: false, until: 0 };
}

test('the alerts of a page with a value are found in their order, under any name', () => {
  const page = pageOf({ n: '1', été: 'x' }, { n: '2' }, { m: '1', n: '3', été: 'x' }, { n: '1' });
  const other = pageOf({ n: '1' });
  const index = new LabelIndex();
  const ids = (name: string, value: string, on = page) =>
    index
      .finder(
        name,
        value,
      )(on)
      .map(({ id }) => id);
  const all = () => [ids('n', '1'), ids('n', '1', other), ids('été', 'x'), ids('m', '1'), ids('n', '4'), ids('o', '1')];
  const expected = [[0, 3], [0], [0, 2], [2], [], []];
  assert.deepEqual(all(), expected);
  // More names than are remembered.
  for (const name of ['a', 'b', 'c', 'd', 'e']) assert.deepEqual(ids(name, '1'), []);
  assert.deepEqual(all(), expected);
});
