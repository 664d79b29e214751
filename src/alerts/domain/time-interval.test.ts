import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isInside, isLocation, type TimeInterval } from './time-interval.ts';

const HOUR = 60;
const range = (begin: number, end = begin) => ({ begin, end });

test('every field that is given must hold, and of a field one range is enough', () => {
  const cases: readonly (readonly [interval: TimeInterval, at: string, inside: boolean])[] = [
    [{}, '2026-01-01T00:00:00Z', true],
    [{ times: [{ startMinute: 9 * HOUR, endMinute: 17 * HOUR }] }, '2026-01-01T08:59:59.999Z', false],
    [{ times: [{ startMinute: 9 * HOUR, endMinute: 17 * HOUR }] }, '2026-01-01T09:00:00Z', true],
    [{ times: [{ startMinute: 9 * HOUR, endMinute: 17 * HOUR }] }, '2026-01-01T16:59:59.999Z', true],
    [{ times: [{ startMinute: 9 * HOUR, endMinute: 17 * HOUR }] }, '2026-01-01T17:00:00Z', false],
    [{ times: [{ startMinute: 0, endMinute: 24 * HOUR }] }, '2026-01-01T23:59:59Z', true],
    [{ times: [] }, '2026-01-01T00:00:00Z', false],
    [{ weekdays: [range(0)] }, '2026-01-04T00:00:00Z', true],
    [{ weekdays: [range(1, 6)] }, '2026-01-04T23:59:59Z', false],
    [{ weekdays: [range(1), range(0)] }, '2026-01-04T12:00:00Z', true],
    [{ months: [range(2, 3)] }, '2026-02-01T00:00:00Z', true],
    [{ months: [range(2, 3)] }, '2026-04-01T00:00:00Z', false],
    [{ years: [range(2025, 2026)] }, '2026-12-31T23:59:59Z', true],
    [{ years: [range(2025, 2026)] }, '2027-01-01T00:00:00Z', false],
    [{ weekdays: [range(4)], months: [range(2)] }, '2026-01-01T00:00:00Z', false],
  ];
  for (const [interval, at, inside] of cases) {
    assert.equal(isInside(interval, Date.parse(at)), inside, `${JSON.stringify(interval)} ${at}`);
  }
});

test('days are counted from the end of the month too, however long it is', () => {
  const cases: readonly (readonly [begin: number, end: number, at: string, inside: boolean])[] = [
    [-1, -1, '2024-02-29', true],
    [-1, -1, '2023-02-28', true],
    [-1, -1, '2024-02-28', false],
    [-3, -1, '2026-04-28', true],
    [-3, -1, '2026-04-27', false],
    [-31, -31, '2026-01-01', true],
    [-31, -1, '2026-02-01', true],
    [30, 31, '2026-02-28', false],
    [28, 31, '2026-02-28', true],
    [31, 31, '2026-04-30', false],
    [1, -1, '2026-04-30', true],
    [10, -20, '2026-02-10', false],
    [10, -20, '2026-03-12', true],
  ];
  for (const [begin, end, at, inside] of cases) {
    const interval = { daysOfMonth: [range(begin, end)] };
    assert.equal(isInside(interval, Date.parse(at)), inside, `${begin}:${end} ${at}`);
  }
});

test('clocks and calendars are those of the location, also when clocks change', () => {
  const nine = [{ startMinute: 9 * HOUR, endMinute: 10 * HOUR }];
  const two = [{ startMinute: 2 * HOUR, endMinute: 3 * HOUR }];
  const cases: readonly (readonly [interval: TimeInterval, at: string, inside: boolean])[] = [
    [{ times: nine, location: 'Europe/Berlin' }, '2026-01-15T08:30:00Z', true],
    [{ times: nine, location: 'Europe/Berlin' }, '2026-07-15T08:30:00Z', false],
    [{ times: nine, location: 'Europe/Berlin' }, '2026-07-15T07:30:00Z', true],
    // In the night of the spring the hour from two to three is skipped, in the night of the autumn it is repeated.
    [{ times: two, location: 'Europe/Berlin' }, '2026-03-29T00:59:59Z', false],
    [{ times: two, location: 'Europe/Berlin' }, '2026-03-29T01:00:00Z', false],
    [{ times: two, location: 'Europe/Berlin' }, '2026-10-25T00:30:00Z', true],
    [{ times: two, location: 'Europe/Berlin' }, '2026-10-25T01:30:00Z', true],
    [{ weekdays: [range(5)], location: 'Asia/Tokyo' }, '2026-01-01T15:00:00Z', true],
    [{ years: [range(2027)], location: 'Pacific/Auckland' }, '2026-12-31T11:00:00Z', true],
    // March has 31 days although it lacks an hour.
    [{ daysOfMonth: [range(-1)], location: 'Europe/Berlin' }, '2026-03-31T12:00:00Z', true],
    [{ daysOfMonth: [range(31)], location: 'Europe/Berlin' }, '2026-03-31T12:00:00Z', true],
    [{ times: nine, location: '' }, '2026-01-15T09:30:00Z', true],
  ];
  for (const [interval, at, inside] of cases) {
    assert.equal(isInside(interval, Date.parse(at)), inside, `${JSON.stringify(interval)} ${at}`);
  }
});

test('a clock that was read in one second is read again in the next, and in one before', () => {
  const interval = { times: [{ startMinute: 9 * HOUR, endMinute: 10 * HOUR }], location: 'Europe/Paris' };
  const ten = Date.parse('2026-01-15T09:00:00Z');
  for (const [at, inside] of [
    [ten - 1, true],
    [ten, false],
    [ten - 1, true],
    [ten - HOUR * 60_000, true],
    [ten - HOUR * 60_000 - 1, false],
  ] as const) {
    assert.equal(isInside(interval, at), inside, String(at - ten));
  }
});

test('Local is where the server runs', () => {
  const at = Date.parse('2026-01-15T09:30:00Z');
  const here = new Date(at);
  const minute = here.getHours() * HOUR + here.getMinutes();
  const isThen = (startMinute: number) =>
    isInside({ times: [{ startMinute, endMinute: startMinute + 1 }], location: 'Local' }, at);
  assert.deepEqual([isThen(minute), isThen(minute - 1)], [true, false]);
  assert.ok(
    isInside({ daysOfMonth: [range(here.getDate())], weekdays: [range(here.getDay())], location: 'Local' }, at),
  );
});

test('a location is a name of the time zone database, UTC, Local or nothing', () => {
  for (const name of ['', 'UTC', 'Local', 'Europe/Berlin', 'US/Pacific', 'EST5EDT', 'Etc/GMT+5']) {
    assert.equal(isLocation(name), true, name);
  }
  for (const name of ['Nowhere', 'Europe/Atlantis', '+01:00', '-0500', 'Europe/', ' UTC', '/etc/passwd']) {
    assert.equal(isLocation(name), false, name);
  }
});
