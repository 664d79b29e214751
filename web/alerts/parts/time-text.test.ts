import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  formatAge,
  formatDistance,
  formatInstant,
  formatInstantShort,
  formatSpan,
  fromFieldValue,
  parseSpan,
  toFieldValue,
} from './time-text.ts';

const second = 1000;
const minute = 60 * second;
const hour = 60 * minute;
const day = 24 * hour;

const spans: readonly [text: string, ms: number | undefined][] = [
  ['2h', 2 * hour],
  ['1h30m', 90 * minute],
  [' 1d 12h ', 36 * hour],
  ['1w', 7 * day],
  ['90 min', 90 * minute],
  ['1.5h', 90 * minute],
  ['45S', 45 * second],
  ['0m', 0],
  ['', undefined],
  ['2', undefined],
  ['h', undefined],
  ['-2h', undefined],
  ['2 hours', undefined],
  ['1.h', undefined],
];

for (const [text, ms] of spans) {
  test(`the duration ${JSON.stringify(text)} is ${ms === undefined ? 'none' : `${ms} ms`}`, () =>
    assert.equal(parseSpan(text), ms));
}

test('every whole number of seconds survives formatting', () => {
  for (let ms = 0; ms < 30 * day; ms += 7919 * second) assert.equal(parseSpan(formatSpan(ms)), ms);
});

const ages: readonly [ms: number, text: string][] = [
  [-5, '0s'],
  [999, '0s'],
  [42_900, '42s'],
  [minute, '1m'],
  [14 * minute + 59 * second, '14m'],
  [hour, '1h'],
  [2 * hour + 14 * minute + 3 * second, '2h 14m'],
  [day + 59 * minute, '1d'],
  [40 * day + 5 * hour + minute, '40d 5h'],
];

for (const [ms, text] of ages) test(`an age of ${ms} ms reads ${text}`, () => assert.equal(formatAge(ms), text));

test('an instant reads as a distance from now', () => {
  assert.equal(formatDistance(10_000, 10_400), 'now');
  assert.equal(formatDistance(10_000, 10_000 + 2 * hour), '2h ago');
  assert.equal(formatDistance(10_000 + 5 * minute, 10_000), 'in 5m');
});

test('an instant is written in local time, without its day when that is today', () => {
  const at = new Date(2026, 0, 3, 9, 4, 5).getTime();
  assert.equal(formatInstant(at), '2026-01-03 09:04:05');
  assert.equal(formatInstantShort(at, at + hour), '09:04:05');
  assert.equal(formatInstantShort(at, at + day), '2026-01-03 09:04');
});

test('a field returns the minute that it was given', () => {
  const at = new Date(2026, 11, 31, 23, 59, 58).getTime();
  assert.equal(toFieldValue(at), '2026-12-31T23:59');
  assert.equal(fromFieldValue(toFieldValue(at)), at - 58 * second);
  for (const value of ['', '2026-12-31', '2026-13-31T10:00', 'tomorrow'])
    assert.equal(fromFieldValue(value), undefined);
});
