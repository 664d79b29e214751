import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Json } from './json.ts';
import { compareTimestamps, parseTimestamp, type Timestamp } from './timestamp.ts';

/** [value, what go-server-sdk-evaluation 3.0 reads: Unix seconds with nine digits after the point (counted upwards)]. */
const MOMENTS: readonly (readonly [Json, string | null])[] = [
  ['2020-01-01T00:00:00Z', '1577836800.000000000'],
  ['2020-01-01t00:00:00z', '1577836800.000000000'],
  ['2020-01-01T0:00:00Z', '1577836800.000000000'],
  ['2020-01-01T00:00:00.5Z', '1577836800.500000000'],
  ['2020-01-01T00:00:00.123456789Z', '1577836800.123456789'],
  ['2020-01-01T00:00:00.0001Z', '1577836800.000100000'],
  ['2020-06-09T18:53:52+08:00', '1591700032.000000000'],
  ['2020-06-09T18:53:52-08:30', '1591759432.000000000'],
  ['2020-06-09T18:53:52+99:59', '1591368892.000000000'],
  ['2021-02-31T00:00:00Z', '1614729600.000000000'],
  ['2020-12-31T23:59:60Z', '1609459200.000000000'],
  ['0000-01-01T00:00:00Z', '-62167219200.000000000'],
  ['0001-01-01T00:00:00Z', '-62135596800.000000000'],
  ['9999-12-31T23:59:59.999999999Z', '253402300799.999999999'],
  ['1969-12-31T23:59:59.999Z', '-1.999000000'],
  ['0099-03-01T00:00:00Z', '-59037897600.000000000'],
  ['2020-01-01T00:00:00Zgarbage', '1577836800.000000000'],
  ['2020-01-01T00:00:00+01:00é', '1577833200.000000000'],
  ['2020-01-01T00:00:00+01:00x', null],
  ['2020-01-01', null],
  ['2020-01-01T00:00:00', null],
  ['2020-01-01 00:00:00Z', null],
  ['2020-01-01T24:00:00Z', null],
  ['2020-13-01T00:00:00Z', null],
  ['2020-00-01T00:00:00Z', null],
  ['2020-01-32T00:00:00Z', null],
  ['2020-01-00T00:00:00Z', null],
  ['2020-01-01T00:60:00Z', null],
  ['2020-01-01T00:00:61Z', null],
  ['2020-01-01T00:00:00.Z', null],
  ['2020-01-01T00:00:00.1234567890Z', null],
  ['2020-01-01T00:00:00.', null],
  ['2020-01-01T00:00:00+0100', null],
  ['2020-01-01T00:00:00+1:00', null],
  ['2020-01-01T00:00:00+01:60', null],
  ['2020-01-01T000:00:00Z', null],
  ['20-01-01T00:00:00Z', null],
  ['', null],
  ['yesterday', null],
  [' 2020-01-01T00:00:00Z', null],
  [0, '0.000000000'],
  [1577836800000, '1577836800.000000000'],
  [1577836800000.9, '1577836800.000000000'],
  [-1.5, '-1.999000000'],
  [-0.5, '0.000000000'],
  [9223372036854, '9223372036.854000000'],
  [9223372036855, '-9223372037.145448384'],
  [-9223372036855, '9223372036.854551616'],
  [253402300799000, '-4852116233.066277376'],
  [100000000000000000, '200376420.520689664'],
  [1e300, '0.000000000'],
  [true, null],
  [null, null],
  [[], null],
  [{}, null],
];

/** As Go prints it: the nanoseconds count upwards from the second before. */
function print({ ms, nanos }: Timestamp): string {
  const seconds = Math.floor(ms / 1000);
  return `${seconds}.${String((ms - seconds * 1000) * 1e6 + nanos).padStart(9, '0')}`;
}

test('a timestamp is read as in Go, and a timestamp refused by Go is invalid', () => {
  for (const [value, expected] of MOMENTS) {
    const moment = parseTimestamp(value);
    assert.equal(moment ? print(moment) : null, expected, JSON.stringify(value));
  }
});

test('moments are in order to the nanosecond', () => {
  const texts = [
    '1969-12-31T23:59:59.999999999Z',
    '1970-01-01T00:00:00Z',
    '1970-01-01T00:00:00.000000001Z',
    '1970-01-01T00:00:00.001Z',
  ];
  const moments = texts.map((text) => parseTimestamp(text)).filter((moment) => moment !== undefined);
  for (const [i, a] of moments.entries()) {
    for (const [j, b] of moments.entries()) assert.equal(Math.sign(compareTimestamps(a, b)), Math.sign(i - j));
  }
  assert.equal(moments.length, texts.length);
});
