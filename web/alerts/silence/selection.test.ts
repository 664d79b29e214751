import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Selection } from './selection.ts';

const LISTED = ['a', 'b', 'c', 'd'];

test('a range goes from the last changed item to the pressed one, in either direction', () => {
  const selection = new Selection();
  selection.set('c', true, true, LISTED);
  assert.deepEqual([...selection.ids], ['c']);
  selection.set('a', true, true, LISTED);
  assert.deepEqual([...selection.ids].sort(), ['a', 'b', 'c']);
  selection.set('b', false, true, LISTED);
  assert.deepEqual([...selection.ids], ['c']);
});

test('a range from an item that has gone is the pressed item', () => {
  const selection = new Selection();
  selection.set('a', true, false, LISTED);
  selection.set('c', true, true, ['b', 'c', 'd']);
  selection.keep(new Set(['b', 'c', 'd']));
  assert.deepEqual([...selection.ids], ['c']);
});
