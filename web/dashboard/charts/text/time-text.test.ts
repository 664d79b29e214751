import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Buckets, Granularity } from '../../../../src/dashboard/domain/view.ts';
import { sampleContext } from '../testdata/sample.ts';
import { chartFormat } from './format.ts';
import { bucketName, localStart, mergedNote, pickTicks, tickText, underOnce } from './time-text.ts';

const HOUR = 3_600_000;
const BERLIN = 'Europe/Berlin';
const format = chartFormat('en-GB');
const translate = sampleContext().translate;

/** Buckets of equal length from `from` on, with Berlin's summer offset by default. */
function buckets(
  granularity: Granularity,
  from: string,
  stepMs: number,
  count: number,
  more: Partial<Buckets> = {},
): Buckets {
  const start = Date.parse(from);
  const starts = Float64Array.from({ length: count }, (_, index) => start + index * stepMs);
  const zeros = new Float64Array(count);
  return {
    granularity,
    merged: 1,
    length: count,
    starts,
    ends: starts.map((at) => at + stepMs),
    offsets: new Int16Array(count).fill(120),
    repeated: new Uint8Array(count),
    input: zeros,
    cacheWrite: zeros,
    cacheRead: zeros,
    output: zeros,
    total: zeros,
    cost: zeros,
    requests: new Uint32Array(count),
    cumulativeCost: zeros,
    previousCumulative: undefined,
    eventModels: undefined,
    modelNames: [],
    full: undefined,
    ...more,
  };
}

const localHours = (of: Buckets, picked: readonly number[]) =>
  picked.map((index) => new Date(localStart(of, index)).toISOString().slice(5, 13));

test('ticks are at round local hours, as many as fit', () => {
  const day = buckets('hour', '2026-06-07T22:00:00Z', HOUR, 24);
  assert.deepEqual(localHours(day, pickTicks(day, 0, 23, 8)), [
    '06-08T00',
    '06-08T03',
    '06-08T06',
    '06-08T09',
    '06-08T12',
    '06-08T15',
    '06-08T18',
    '06-08T21',
  ]);
  assert.deepEqual(localHours(day, pickTicks(day, 0, 23, 5)), ['06-08T00', '06-08T06', '06-08T12', '06-08T18']);
});

test('a week has its ticks at midnight', () => {
  const week = buckets('hour', '2026-06-07T22:00:00Z', HOUR, 168);
  assert.deepEqual(
    localHours(week, pickTicks(week, 0, 167, 7)),
    [8, 9, 10, 11, 12, 13, 14].map((day) => `06-${String(day).padStart(2, '0')}T00`),
  );
});

test('with little room, a week has every second or third day rather than a single Monday', () => {
  const week = buckets('hour', '2026-06-07T22:00:00Z', HOUR, 168);
  const picked = localHours(week, pickTicks(week, 0, 167, 3));
  assert.ok(picked.length >= 2 && picked.length <= 3, picked.join());
  assert.ok(picked.every((text) => text.endsWith('T00')));
});

test('ticks of a zoomed window lie within it', () => {
  const week = buckets('hour', '2026-06-07T22:00:00Z', HOUR, 168);
  const picked = pickTicks(week, 30, 53, 6);
  assert.ok(picked.length > 2 && picked.length <= 6);
  assert.ok(picked.every((index) => index >= 30 && index <= 53));
});

test('for any number of columns and any width: at least one tick, at most the given number', () => {
  for (const count of [1, 2, 3, 7, 50, 400, 2000])
    for (const most of [0, 1, 2, 5, 20]) {
      for (const granularity of ['event', 'hour', 'day', 'month'] as const) {
        const step = granularity === 'month' ? 30.4 * 24 * HOUR : granularity === 'day' ? 24 * HOUR : HOUR;
        const picked = pickTicks(buckets(granularity, '2025-01-01T00:00:00Z', step, count), 0, count - 1, most);
        assert.ok(
          picked.length >= 1 && picked.length <= Math.max(2, most),
          `${granularity} ${count} ${most}: ${picked.length}`,
        );
      }
    }
});

test('the hour that occurs twice is named with its offset', () => {
  const autumn = buckets('hour', '2026-10-25T00:00:00Z', HOUR, 2, {
    offsets: Int16Array.of(120, 60),
    repeated: Uint8Array.of(1, 1),
  });
  assert.match(bucketName(autumn, 0, format, BERLIN), /02:00 (CEST|GMT\+2)/);
  assert.match(bucketName(autumn, 1, format, BERLIN), /02:00 (CET|GMT\+1)/);
  assert.match(tickText(autumn, 0, format, BERLIN)[0] ?? '', /02:00 (CEST|GMT\+2)/);
});

test('weeks and months are named by their days', () => {
  const week = buckets('week', '2026-06-07T22:00:00Z', 7 * 24 * HOUR, 1);
  assert.match(bucketName(week, 0, format, BERLIN), /8.*14 Jun/);
  const month = buckets('month', '2026-05-31T22:00:00Z', 30 * 24 * HOUR, 1);
  assert.equal(bucketName(month, 0, format, BERLIN), 'June 2026');
});

test('the day below a time is shown once', () => {
  assert.deepEqual(underOnce(['06:00', '8 Jun'], undefined), ['06:00', '8 Jun']);
  assert.deepEqual(underOnce(['09:00', '8 Jun'], ['06:00', '8 Jun']), ['09:00', '']);
  assert.deepEqual(underOnce(['00:00', '9 Jun'], ['21:00', '8 Jun']), ['00:00', '9 Jun']);
  assert.equal(underOnce('Mon', 'Sun'), 'Mon');
});

test('merged columns name their span', () => {
  const context = sampleContext();
  const note = (granularity: Granularity, merged: number) =>
    mergedNote(buckets(granularity, '2026-06-01T00:00:00Z', HOUR, 2, { merged }), context);
  assert.equal(note('hour', 1), undefined);
  assert.equal(note('hour', 4), translate('chart.merged', { span: '4 h' }));
  assert.equal(note('quarter', 2), translate('chart.merged', { span: '30 min' }));
  assert.equal(note('quarter', 10), translate('chart.merged', { span: '2.5 h' }));
  assert.equal(note('hour', 72), translate('chart.merged', { span: '3 days' }));
  assert.equal(note('day', 2), translate('chart.merged', { span: '2 days' }));
  assert.equal(note('event', 3), translate('chart.mergedEvents', { count: 3 }));
});
