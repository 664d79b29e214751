import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Excerpt, emptyPlace } from './excerpt.ts';

const BYTES = Buffer.from('zero,one,two,three');
const PLACES = [
  [0, 4],
  [5, 8],
  [9, 12],
  [13, 18],
] as const;

function excerptOf(...elements: readonly number[]): Excerpt {
  const excerpt = new Excerpt();
  for (const element of elements) {
    const [start, end] = PLACES[element] as (typeof PLACES)[number];
    excerpt.add({ bytes: BYTES, start, end });
  }
  return excerpt;
}

test('texts are joined by commas, whether they stood side by side or not', () => {
  const cases: readonly (readonly [elements: readonly number[], joined: string])[] = [
    [[], ''],
    [[2], 'two'],
    [[1, 2], 'one,two'],
    [[0, 2, 3], 'zero,two,three'],
    [[3, 0], 'three,zero'],
    [[1, 1], 'one,one'],
  ];
  for (const [elements, joined] of cases) {
    assert.equal(String(excerptOf(...elements).join()), joined);
    assert.equal(excerptOf(...elements).isEmpty, joined === '');
  }
});

test('wholly taken bytes are not copied, and all others are', () => {
  assert.equal(excerptOf(0, 1, 2, 3).join(), BYTES);
  excerptOf(1, 2).join().fill('x');
  assert.equal(String(BYTES), 'zero,one,two,three');
});

test('texts may stand within others', () => {
  assert.equal(String(excerptOf(1, 3).joinWithin('\u00fc[', ']\u00fc')), '\u00fc[one,three]\u00fc');
});

test('empty places are left out', () => {
  const excerpt = new Excerpt();
  excerpt.add(emptyPlace());
  assert.equal(excerpt.isEmpty, true);
  excerpt.add({ bytes: BYTES, start: 0, end: 4 });
  excerpt.add(emptyPlace());
  excerpt.add({ bytes: BYTES, start: 5, end: 8 });
  assert.equal(String(excerpt.join()), 'zero,one');
});
