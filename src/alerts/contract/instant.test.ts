import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Random } from '../../testing/random.ts';
import { formatInstant, readInstant } from './instant.ts';

test('an instant is read in every form that clients may write it in', () => {
  const cases: readonly (readonly [string, string])[] = [
    ['2026-03-04T05:06:07Z', '2026-03-04T05:06:07.000Z'],
    ['2026-03-04T05:06:07.8Z', '2026-03-04T05:06:07.800Z'],
    ['2026-03-04T05:06:07.089Z', '2026-03-04T05:06:07.089Z'],
    // Nanoseconds are cut off, not rounded.
    ['2026-03-04T05:06:07.999999999Z', '2026-03-04T05:06:07.999Z'],
    ['2026-03-04T05:06:07,5Z', '2026-03-04T05:06:07.500Z'],
    ['2026-03-04T05:06:07+02:00', '2026-03-04T03:06:07.000Z'],
    ['2026-03-04T05:06:07.123-0530', '2026-03-04T10:36:07.123Z'],
    ['2026-03-04T05:06:07-00:00', '2026-03-04T05:06:07.000Z'],
    ['2026-03-04T23:30:00-14:00', '2026-03-05T13:30:00.000Z'],
    ['2026-03-04T05:06:07', '2026-03-04T05:06:07.000Z'],
    ['2026-03-04T05:06:07.25', '2026-03-04T05:06:07.250Z'],
    ['2026-03-04T05:06Z', '2026-03-04T05:06:00.000Z'],
    ['2026-03-04T05:06', '2026-03-04T05:06:00.000Z'],
    ['2026-03-04 05:06:07', '2026-03-04T05:06:07.000Z'],
    ['2026-03-04', '2026-03-04T00:00:00.000Z'],
    ['2024-02-29', '2024-02-29T00:00:00.000Z'],
    ['0000-01-01T00:00:00Z', '0000-01-01T00:00:00.000Z'],
    ['0099-01-01T00:00:00Z', '0099-01-01T00:00:00.000Z'],
    ['9999-12-31T23:59:59.999Z', '9999-12-31T23:59:59.999Z'],
    ['1969-12-31T23:59:59.999Z', '1969-12-31T23:59:59.999Z'],
  ];
  for (const [text, expected] of cases) {
    const read = readInstant(text);
    assert.ok(read.ok && read.value !== undefined, text);
    assert.equal(formatInstant(read.value), expected, text);
  }
});

test("Go's zero time is an absent time, in every zone", () => {
  for (const text of ['0001-01-01T00:00:00Z', '0001-01-01T00:00:00.000Z', '0001-01-01', '0001-01-01T02:00:00+02:00']) {
    assert.deepEqual(readInstant(text), { ok: true, value: undefined }, text);
  }
});

test('the empty text is the epoch', () => {
  assert.deepEqual(readInstant(''), { ok: true, value: 0 });
});

test('an invalid instant is refused, dates that would roll over included', () => {
  const bad = [
    'yesterday',
    '1700000000',
    ' 2026-03-04',
    '2026-03-04 ',
    '2026-3-4',
    '20260304',
    '2026-03-04T',
    '2026-03-04T05',
    '2026-03-04T5:06:07Z',
    '2026-03-04t05:06:07Z',
    '2026-03-04T05:06:07z',
    '2026-03-04T05:06:07.Z',
    '2026-03-04T05:06:07 Z',
    '2026-03-04T05:06:07+2',
    '2026-03-04 05:06',
    '2026-03-04 05:06:07Z',
    '2026-03-04T05:06+02:00',
    '2026-00-04',
    '2026-13-04',
    '2026-01-00',
    '2026-01-32',
    '2026-02-29',
    '2026-02-30T00:00:00Z',
    '2026-04-31',
    '2026-03-04T24:00:00Z',
    '2026-03-04T05:60:00Z',
    '2026-03-04T05:06:60Z',
    '2026-03-04T05:06:07+99:00',
    '2026-03-04T05:06:07+00:99',
    '10000-01-01T00:00:00Z',
    '-0001-01-01T00:00:00Z',
    // Only in their own zone has the year four digits; clients could not read them in UTC.
    '9999-12-31T23:59:59-01:00',
    '0000-01-01T00:00:00+01:00',
    '2026-03-04T05:06:07Z\n',
    '٢٠٢٦-03-04',
  ];
  for (const text of bad) assert.deepEqual(readInstant(text), { ok: false }, JSON.stringify(text));
});

test('an instant is written in UTC with three digits, and read back as it was', () => {
  assert.equal(formatInstant(0), '1970-01-01T00:00:00.000Z');
  assert.equal(formatInstant(-1), '1969-12-31T23:59:59.999Z');
  const random = new Random(7);
  const known: number[] = [];
  for (let round = 0; round < 3_000; round++) {
    // Some at a distance at which they share a place in the cache.
    const at = random.chance(0.3)
      ? random.pick([0, ...known]) + 4096 * random.int(-3, 3)
      : random.int(-62_000_000_000_000, 253_402_300_700_000);
    known.push(at);
    assert.equal(formatInstant(at), new Date(at).toISOString());
    assert.deepEqual(readInstant(formatInstant(at)), { ok: true, value: at });
  }
});
