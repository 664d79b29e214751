import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DAY_MS, dayKeyOf, isZone, localDayAt, monthAt, readLocalTime, startOfDay, zoneOf } from './zone.ts';

const at = Date.parse;

test('offsets are correct on either side of every change of clocks', () => {
  const cases: readonly (readonly [zone: string, at: string, minutes: number])[] = [
    ['UTC', '2026-07-01T00:00:00Z', 0],
    ['Europe/Berlin', '2026-03-29T00:59:59.999Z', 60],
    ['Europe/Berlin', '2026-03-29T01:00:00Z', 120],
    ['Europe/Berlin', '2026-10-25T00:59:59.999Z', 120],
    ['Europe/Berlin', '2026-10-25T01:00:00Z', 60],
    ['America/St_Johns', '2026-01-15T00:00:00Z', -210],
    ['America/St_Johns', '2026-07-15T00:00:00Z', -150],
    ['Australia/Lord_Howe', '2026-04-04T14:59:59Z', 660],
    ['Australia/Lord_Howe', '2026-04-04T15:00:00Z', 630],
    ['Asia/Kathmandu', '2026-01-01T00:00:00Z', 345],
  ];
  for (const [zone, text, minutes] of cases) {
    assert.equal(zoneOf(zone).offsetAt(at(text)) / 60_000, minutes, `${zone} ${text}`);
  }
});

test('a table that was made for one year still answers another', () => {
  const zone = zoneOf('Europe/Paris');
  assert.equal(zone.offsetAt(at('2026-07-01T00:00:00Z')), 7_200_000);
  assert.equal(zone.offsetAt(at('2023-01-10T00:00:00Z')), 3_600_000);
  assert.equal(zone.offsetAt(at('2028-07-10T00:00:00Z')), 7_200_000);
  assert.equal(zone.offsetAt(at('2026-07-01T00:00:00Z')), 7_200_000);
});

test('a local time is its first instant, or the next one shown where clocks skip it', () => {
  const berlin = zoneOf('Europe/Berlin');
  const iso = (local: string) => new Date(berlin.instantOf(at(local))).toISOString();
  assert.equal(iso('2026-03-29T02:30:00Z'), '2026-03-29T01:00:00.000Z');
  assert.equal(iso('2026-10-25T02:30:00Z'), '2026-10-25T00:30:00.000Z');
  assert.equal(iso('2026-10-25T03:00:00Z'), '2026-10-25T02:00:00.000Z');
  // In Santiago the clocks leap at midnight: the day begins at one.
  const santiago = zoneOf('America/Santiago');
  const day = at('2026-09-06T00:00:00Z') / DAY_MS;
  assert.equal(new Date(startOfDay(santiago, day)).toISOString(), '2026-09-06T04:00:00.000Z');
});

test('the dayKey is the local date', () => {
  assert.equal(dayKeyOf(localDayAt(zoneOf('Europe/Berlin'), at('2026-06-01T22:30:00Z'))), '2026-06-02');
  assert.equal(dayKeyOf(localDayAt(zoneOf('America/St_Johns'), at('2026-06-01T01:00:00Z'))), '2026-05-31');
});

test('days last 23 and 25 hours when clocks change, and half hours more or less on Lord Howe', () => {
  const hours = (zone: string, date: string) => {
    const day = at(date) / DAY_MS;
    return (startOfDay(zoneOf(zone), day + 1) - startOfDay(zoneOf(zone), day)) / 3_600_000;
  };
  assert.equal(hours('Europe/Berlin', '2026-03-29'), 23);
  assert.equal(hours('Europe/Berlin', '2026-10-25'), 25);
  assert.equal(hours('Australia/Lord_Howe', '2026-04-05'), 24.5);
  assert.equal(hours('Australia/Lord_Howe', '2026-10-04'), 23.5);
});

test('rule A.8: the month begins and ends at local midnight', () => {
  const month = monthAt(zoneOf('Europe/Berlin'), at('2026-03-31T22:30:00Z'));
  assert.equal(new Date(month.start).toISOString(), '2026-03-31T22:00:00.000Z');
  assert.equal(new Date(month.end).toISOString(), '2026-04-30T22:00:00.000Z');
  assert.deepEqual([month.dayOfMonth, month.days], [1, 30]);
});

test('typed times mean whole minutes or whole local days; an invalid time is refused', () => {
  const berlin = zoneOf('Europe/Berlin');
  const iso = (text: string) => {
    const time = readLocalTime(berlin, text);
    return time && [new Date(time.first).toISOString(), new Date(time.last).toISOString()];
  };
  assert.deepEqual(iso('2026-06-12T14:03'), ['2026-06-12T12:03:00.000Z', '2026-06-12T12:03:59.999Z']);
  assert.deepEqual(iso('2026-03-29'), ['2026-03-28T23:00:00.000Z', '2026-03-29T21:59:59.999Z']);
  for (const text of ['', '2026-02-30', '2026-13-01', '12.06.2026', '2026-06-12T25:00', '2026-06-12T10:61', '0']) {
    assert.equal(readLocalTime(berlin, text), undefined, text);
  }
});

test('an unknown zone is recognised, and read as UTC', () => {
  assert.equal(isZone('Europe/Nowhere'), false);
  assert.equal(isZone('Europe/Berlin'), true);
  assert.equal(zoneOf('Europe/Nowhere').offsetAt(0), 0);
});
