import assert from 'node:assert/strict';
import { test } from 'node:test';
import { layOutPage, wrapText } from './layout.ts';

test('charts lie in the picture as on the page, and every row is as wide as the widest', () => {
  const boxes = [
    { width: 900, height: 400, left: 0, top: 100 },
    { width: 300, height: 280, left: 620, top: 602 },
    { width: 290, height: 300, left: 0, top: 600 },
    { width: 310, height: 200, left: 0, top: 1000 },
  ];
  const { width, height, places } = layOutPage(boxes, 10);
  assert.deepEqual(places, [
    { x: 0, y: 0, width: 900, height: 400 },
    { x: 450, y: 410, width: 450, height: 300 },
    { x: 0, y: 410, width: 440, height: 300 },
    { x: 0, y: 720, width: 900, height: 200 },
  ]);
  assert.deepEqual([width, height], [900, 920]);
});

test('a row of many makes the picture wider instead of being cut', () => {
  const box = { width: 500, height: 100, left: 0, top: 0 };
  const { width, height, places } = layOutPage([box, { ...box, left: 500 }, { ...box, top: 120 }], 16);
  assert.deepEqual([width, height], [1016, 216]);
  assert.equal(places[2]?.width, 1016);
});

test('a subtitle breaks at spaces and loses no word', () => {
  const measure = (text: string) => text.length;
  assert.deepEqual(wrapText('CSV · all · 1 June – 12 June', 12, measure), ['CSV · all ·', '1 June – 12', 'June']);
  assert.deepEqual(wrapText('incomprehensibilities at last', 7, measure), ['incomprehensibilities', 'at last']);
  assert.deepEqual(wrapText('', 7, measure), []);
});
