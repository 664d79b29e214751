import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Random } from '../testing/random.ts';
import { formatDuration, parseDuration, parseFlagDuration } from './duration.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

const prometheus: readonly (readonly [text: string, ms: number | undefined])[] = [
  ['0', 0],
  ['0s', 0],
  ['5m', 5 * MINUTE],
  ['1h30m', 90 * MINUTE],
  ['120h', 120 * HOUR],
  ['100ms', 100],
  ['1s5ms', 1005],
  ['2d', 2 * DAY],
  ['3w', 21 * DAY],
  ['1y', 365 * DAY],
  ['1y2w3d4h5m6s7ms', 365 * DAY + 14 * DAY + 3 * DAY + 4 * HOUR + 5 * MINUTE + 6007],
  ['007m', 7 * MINUTE],
  ['292y', 292 * 365 * DAY],
  // The longest is 2^63 ns.
  ['9223372036854ms', 9_223_372_036_854],
  ['9223372036855ms', undefined],
  ['293y', undefined],
  ['', undefined],
  ['1', undefined],
  ['00', undefined],
  ['m', undefined],
  ['-1m', undefined],
  ['1.5h', undefined],
  ['1 m', undefined],
  [' 1m', undefined],
  ['1m\n', undefined],
  ['1M', undefined],
  ['1d1d', undefined],
  ['30m1h', undefined],
  ['1ms1s', undefined],
  ['1us', undefined],
  ['1m30', undefined],
];

for (const [text, ms] of prometheus) {
  test(`Prometheus reads ${JSON.stringify(text)} as ${ms} ms`, () => assert.equal(parseDuration(text), ms));
}

const go: readonly (readonly [text: string, ms: number | undefined])[] = [
  ['0', 0],
  ['+0', 0],
  ['-0', 0],
  ['0s', 0],
  ['300ms', 300],
  ['1.5h', 90 * MINUTE],
  ['.5s', 500],
  ['1.s', 1000],
  ['-2m', -2 * MINUTE],
  ['+2m', 2 * MINUTE],
  ['30m1h', 90 * MINUTE],
  ['1m1m', 2 * MINUTE],
  ['250us', 0.25],
  ['250µs', 0.25],
  ['250\u03bcs', 0.25],
  ['1000000ns', 1],
  // Prometheus' own units stand alone.
  ['5d', 5 * DAY],
  ['1d12h', 36 * HOUR],
  ['-5d', undefined],
  ['1.5d', undefined],
  ['1d1.5h', undefined],
  ['2562047h47m16.854s', 9_223_372_036_854],
  ['2562047h47m16.856s', undefined],
  ['', undefined],
  ['-', undefined],
  ['1', undefined],
  ['.', undefined],
  ['.s', undefined],
  ['1..5s', undefined],
  ['1e3s', undefined],
  ['1h-30m', undefined],
  ['--1h', undefined],
  ['1 h', undefined],
  ['NaN', undefined],
];

for (const [text, ms] of go) {
  test(`a flag reads ${JSON.stringify(text)} as ${ms} ms`, () => {
    const read = parseFlagDuration(text);
    assert.equal(read === undefined ? undefined : read + 0, ms);
  });
}

const printed: readonly (readonly [ms: number, text: string])[] = [
  [0, '0s'],
  [1, '1ms'],
  [0.4, '0s'],
  [1.9, '1ms'],
  [999, '999ms'],
  [1000, '1s'],
  [61_000, '1m1s'],
  [90 * MINUTE, '1h30m'],
  [120 * HOUR, '5d'],
  [36 * HOUR, '1d12h'],
  [7 * DAY, '1w'],
  [90 * DAY, '90d'],
  [364 * DAY, '52w'],
  [365 * DAY, '1y'],
  [366 * DAY, '366d'],
  [730 * DAY, '2y'],
  [-90 * MINUTE, '-1h30m'],
  [-0.4, '0s'],
];

for (const [ms, text] of printed) test(`${ms} ms are printed as ${text}`, () => assert.equal(formatDuration(ms), text));

test('a printed duration is read as the same one', () => {
  const random = new Random(5);
  for (let round = 0; round < 2000; round++) {
    const ms = random.int(0, 10 ** random.int(1, 12));
    assert.equal(parseDuration(formatDuration(ms)), ms, formatDuration(ms));
  }
});
