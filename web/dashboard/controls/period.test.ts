import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { TimeRange } from '../data/state.ts';
import { instantOf } from '../text/format.ts';
import { shiftPeriod } from './period.ts';

const MINUTE_MS = 60_000;
const custom = (customFrom: string, customTo: string): TimeRange => ({
  mode: 'custom',
  hours: 24,
  customFrom,
  customTo,
});
const at = (text: string) => Date.parse(text);
const typed = ({ mode, customFrom, customTo }: TimeRange) => [mode, customFrom, customTo];
const NO_SPAN = { from: 0, to: 0 };

test('a custom period moves by its own length, to the minute before or after it', () => {
  const day = custom('2026-06-12', '2026-06-12');
  assert.deepEqual(typed(shiftPeriod(day, NO_SPAN, 'UTC', -1)), ['custom', '2026-06-11T00:00', '2026-06-11T23:59']);
  const hours = custom('2026-06-12T22:30', '2026-06-13T01:29');
  assert.deepEqual(typed(shiftPeriod(hours, NO_SPAN, 'UTC', 1)), ['custom', '2026-06-13T01:30', '2026-06-13T04:29']);
  assert.deepEqual(typed(shiftPeriod(custom('2026-06-13T01:29', '2026-06-12T22:30'), NO_SPAN, 'UTC', 1)), [
    'custom',
    '2026-06-13T01:30',
    '2026-06-13T04:29',
  ]);
});

test('a day of 23 or 25 hours has whole days beside it', () => {
  for (const [zone, before, change] of [
    ['Europe/Berlin', '2026-03-28', '2026-03-29'],
    ['Europe/Berlin', '2026-10-24', '2026-10-25'],
    ['Australia/Lord_Howe', '2026-10-03', '2026-10-04'],
  ] as const) {
    const back = shiftPeriod(custom(change, change), NO_SPAN, zone, -1);
    assert.deepEqual(typed(back), ['custom', `${before}T00:00`, `${before}T23:59`]);
    assert.deepEqual(typed(shiftPeriod(back, NO_SPAN, zone, 1)), ['custom', `${change}T00:00`, `${change}T23:59`]);
  }
});

test('a period of hours and its neighbours have no instant in common', () => {
  for (const zone of ['UTC', 'Europe/Berlin', 'America/St_Johns'])
    for (const to of ['2026-06-12T12:00:00.000Z', '2026-06-12T12:00:37.123Z', '2026-06-12T12:00:59.999Z']) {
      const hours: TimeRange = { mode: 'hours', hours: 2, customFrom: '', customTo: '' };
      const span = { from: at(to) - 120 * MINUTE_MS, to: at(to) };
      const before = shiftPeriod(hours, span, zone, -1);
      const end = (instantOf(zone, before.customTo) ?? 0) + MINUTE_MS - 1;
      assert.ok(end < span.from && end >= span.from - MINUTE_MS, `${to} in ${zone}: ${before.customTo}`);
      const after = shiftPeriod(hours, span, zone, 1);
      const start = instantOf(zone, after.customFrom) ?? 0;
      assert.ok(start > span.to && start <= span.to + MINUTE_MS, `${to} in ${zone}: ${after.customFrom}`);
      for (const { customFrom, customTo } of [before, after]) {
        const minutes = (instantOf(zone, customTo) ?? 0) - (instantOf(zone, customFrom) ?? 0);
        assert.equal(minutes, 119 * MINUTE_MS);
      }
    }
});

test('"all events", and an invalid typed time, count as their resolved period', () => {
  const span = { from: at('2026-06-12T10:00:30Z'), to: at('2026-06-12T10:05:10Z') };
  const all: TimeRange = { mode: 'all', hours: 24, customFrom: '', customTo: '' };
  assert.deepEqual(typed(shiftPeriod(all, span, 'UTC', -1)), ['custom', '2026-06-12T09:55', '2026-06-12T09:59']);
  assert.deepEqual(typed(shiftPeriod(custom('', '2026-06-12T10:05'), span, 'UTC', -1)), [
    'custom',
    '2026-06-12T09:54',
    '2026-06-12T09:59',
  ]);
  const single = { from: span.from, to: span.from };
  assert.deepEqual(typed(shiftPeriod(all, single, 'UTC', -1)), ['custom', '2026-06-12T09:59', '2026-06-12T09:59']);
});
