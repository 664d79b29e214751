import assert from 'node:assert/strict';
import { test } from 'node:test';
import { equalKey } from './inhibition.ts';
import { createLabelSet } from './label-set.ts';

const keyOf = (equal: readonly string[], labels: Record<string, string>) =>
  equalKey({ name: '', sourceMatchers: [], targetMatchers: [], equal }, createLabelSet(labels));

test('two alerts have the same key when all equal labels agree, an absent one counting as an empty one', () => {
  assert.equal(keyOf([], { a: '1' }), keyOf([], { b: '2' }));
  assert.equal(keyOf(['a'], { a: '1', b: 'x' }), keyOf(['a'], { a: '1', b: 'y' }));
  assert.notEqual(keyOf(['a'], { a: '1' }), keyOf(['a'], { a: '2' }));
  assert.equal(keyOf(['a'], {}), keyOf(['a'], { a: '' }));
  assert.equal(keyOf(['a', 'b'], { b: '1' }), keyOf(['a', 'b'], { b: '1', a: '' }));
  assert.notEqual(keyOf(['a', 'b'], { a: '1' }), keyOf(['a', 'b'], { b: '1' }));
});

test('no value can be mistaken for two', () => {
  assert.notEqual(keyOf(['a', 'b'], { a: 'x","y' }), keyOf(['a', 'b'], { a: 'x', b: 'y' }));
  assert.notEqual(keyOf(['a', 'b'], { a: 'x,y', b: 'z' }), keyOf(['a', 'b'], { a: 'x', b: 'y,z' }));
});
