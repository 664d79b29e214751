import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { MarkerView } from '../../../src/dashboard/domain/view.ts';
import { boxEdges, layoutLabels, MAX_BOXES, placeBoxes, shortLabel } from './marker-boxes.ts';

const NOTHING = { requests: 0, tokens: 0, cost: 0 };

function marker(id: string, first: number, last: number, project = 'web', task = ''): MarkerView {
  const stored = { id, user: 'info', start: '', end: null, project, task, note: '', createdAt: '', updatedAt: '' };
  return {
    marker: stored,
    category: undefined,
    from: first,
    to: last + 1,
    isOpen: false,
    place: { first, last },
    raw: NOTHING,
    assigned: NOTHING,
    overlaps: 0,
  };
}

const space = { left: 0, right: 1000, rows: 3, gap: 4, moreWidth: 30 };

test('rule A.11: a marker outside of the visible buckets has no box', () => {
  const { place: _, ...nowhere } = marker('m-0', 0, 0);
  const markers = [marker('m-1', 0, 4), marker('m-2', 5, 9), marker('m-3', 10, 20), { ...nowhere, place: undefined }];
  assert.deepEqual(
    placeBoxes(markers, { min: 5, max: 9 }).map(({ ids, first, last }) => [...ids, first, last]),
    [['m-2', 5, 9]],
  );
  assert.equal(placeBoxes(markers, { min: 4, max: 10 }).length, 3);
});

test('rule A.11: a box reaches half a column beyond its first and last bucket', () => {
  assert.deepEqual(boxEdges({ first: 3, last: 5 }, 20), { min: 2.5, max: 5.5 });
});

test('a box is never narrower than six pixels', () => {
  const { min, max } = boxEdges({ first: 10, last: 10 }, 2);
  assert.equal((max - min) * 2, 6);
  assert.equal((min + max) / 2, 10);
});

test('labels name project and task, cut at 24 letters, and mark open markers', () => {
  const [box] = placeBoxes([{ ...marker('m-1', 0, 1, 'web', 'Feature: x'), isOpen: true }], { min: 0, max: 9 });
  assert.equal(box?.label, 'web · Feature: x *');
  assert.equal(shortLabel('abcdefghijklmnopqrstuvwxyz').length, 24);
  assert.equal(shortLabel('abcdefghijklmnopqrstuvwx'), 'abcdefghijklmnopqrstuvwx');
  assert.equal([...shortLabel('😀'.repeat(30))].length, 24);
});

test('beyond sixty boxes touching boxes of a project become one, without labels', () => {
  const many = Array.from({ length: MAX_BOXES + 1 }, (_, nth) =>
    marker(`m-${nth}`, nth, nth, nth < 30 ? 'web' : 'docs'),
  );
  const boxes = placeBoxes(many, { min: 0, max: 100 });
  assert.deepEqual(
    boxes.map(({ project, first, last, label }) => [project, first, last, label]),
    [
      ['web', 0, 29, ''],
      ['docs', 30, 60, ''],
    ],
  );
  assert.equal(boxes.flatMap(({ ids }) => ids).length, MAX_BOXES + 1, 'no marker is lost');
  assert.equal(placeBoxes(many.slice(1), { min: 0, max: 100 }).length, MAX_BOXES, 'sixty are not too many');
});

test('boxes of a project that do not touch stay apart', () => {
  const many = Array.from({ length: 70 }, (_, nth) => marker(`m-${nth}`, nth * 3, nth * 3));
  assert.equal(placeBoxes(many, { min: 0, max: 300 }).length, 70);
});

test('labels that would touch go into the next row', () => {
  const placed = layoutLabels(
    [
      { left: 0, width: 100 },
      { left: 50, width: 100 },
      { left: 104, width: 100 },
    ],
    space,
  );
  assert.deepEqual(
    placed.map(({ row, left }) => [row, left]),
    [
      [0, 0],
      [1, 50],
      [0, 104],
    ],
  );
});

test('a label at the right edge moves left until it is inside', () => {
  assert.equal(layoutLabels([{ left: 980, width: 100 }], space)[0]?.left, 900);
});

test('labels without room in three rows collapse into a chip that counts them', () => {
  const wishes = Array.from({ length: 7 }, () => ({ left: 10, width: 100 }));
  const placed = layoutLabels(wishes, space);
  assert.deepEqual(
    placed.map(({ row, more, stands }) => [row, more, stands.length]),
    [
      [0, 0, 1],
      [1, 0, 1],
      [2, 0, 1],
      [0, 4, 4],
    ],
  );
});

test('for any number of labels: none overlaps another, none leaves the plot, none is lost', () => {
  let seed = 5;
  const random = () => {
    seed = (seed * 48271) % 2147483647;
    return seed / 2147483647;
  };
  for (let round = 0; round < 300; round++) {
    const right = 120 + random() * 900;
    const wishes = Array.from({ length: Math.floor(random() * 40) }, () => ({
      left: random() * right,
      width: 30 + random() * 160,
    })).sort((a, b) => a.left - b.left);
    const placed = layoutLabels(wishes, { ...space, right });
    for (const label of placed) {
      assert.ok(label.left >= 0 && label.left + label.width <= right + 0.51, `round ${round}: outside`);
      for (const other of placed) {
        if (other === label || other.row !== label.row) continue;
        assert.ok(
          other.left + other.width <= label.left + 0.001 || label.left + label.width <= other.left + 0.001,
          `round ${round}: overlap`,
        );
      }
    }
    const stands = placed.flatMap((label) => label.stands).sort((a, b) => a - b);
    assert.deepEqual(
      stands,
      wishes.map((_, index) => index),
      `round ${round}: lost`,
    );
  }
});
