import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ChartModel, Series } from '../model.ts';
import { overview } from '../models/time-charts.ts';
import { sampleContext, sampleView } from '../testdata/sample.ts';
import { extentOf, isDense, ROUND_UP_TO, stackBars } from './columns.ts';

const THEME = { forcedColours: false };

const series = (key: string, form: Series['form'], values: readonly number[]): Series => ({
  key,
  form,
  values,
  label: key,
  color: `--${key}`,
  unit: 'tokens',
  axis: 'first',
  stacked: form === 'bar',
});

const modelOf = (all: readonly Series[]): ChartModel => ({
  ...overview.model(sampleView(), sampleContext()),
  length: all[0]?.values.length ?? 0,
  series: all,
});

const STACK = [series('low', 'bar', [1, 2, 3, 4]), series('high', 'bar', [10, 20, 0, 5])];

test('an axis reaches as far as the stacked bars of the window, and the lines beside them', () => {
  assert.deepEqual(extentOf(modelOf(STACK), 'first', { min: 0, max: 3 }), { least: 0, most: 22 });
  assert.deepEqual(extentOf(modelOf(STACK), 'first', { min: 2, max: 9 }), { least: 0, most: 9 });
  const lines = [...STACK, series('line', 'line', [0, 0, 30, -7])];
  assert.deepEqual(extentOf(modelOf(lines), 'first', { min: 0, max: 3 }), { least: -7, most: 30 });
  assert.deepEqual(extentOf(modelOf(lines), 'second', { min: 0, max: 3 }), { least: 0, most: 0 });
});

test('only many columns over time are drawn without Chart.js, and none in a system palette', () => {
  const many = { ...modelOf(STACK), length: ROUND_UP_TO + 1 };
  assert.equal(isDense(many, THEME), true);
  assert.equal(isDense({ ...many, length: ROUND_UP_TO }, THEME), false);
  assert.equal(isDense(many, { forcedColours: true }), false);
  const { time: _, ...timeless } = many;
  assert.equal(isDense(timeless, THEME), false);
});

test('bars are stacked in their columns, and only those of the window are drawn', () => {
  const drawn: unknown[] = [];
  const sums = new Float64Array(2);
  for (const { key, values } of STACK)
    stackBars(values, { min: 1, max: 2 }, sums, (index, from, to) => drawn.push([key, index, from, to]));
  assert.deepEqual(drawn, [
    ['low', 1, 0, 2],
    ['low', 2, 0, 3],
    ['high', 1, 2, 22],
  ]);
});
