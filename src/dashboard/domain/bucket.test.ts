import assert from 'node:assert/strict';
import { test } from 'node:test';
import { bucketEdges, findRepeated, mergeEdges, suggestGranularity, type TimeGranularity } from './bucket.ts';
import { randomOf } from './testdata/usage.ts';
import type { Granularity } from './view.ts';
import { zoneOf } from './zone.ts';

const ZONES = ['Europe/Berlin', 'America/St_Johns', 'Australia/Lord_Howe', 'UTC'];
const GRANULARITIES: readonly TimeGranularity[] = ['quarter', 'hour', 'day', 'week', 'month'];

function startsOf(zone: string, granularity: TimeGranularity, from: string, to: string): readonly string[] {
  const edges = bucketEdges(zoneOf(zone), granularity, Date.parse(from), Date.parse(to));
  return Array.from(edges, (edge) => new Date(edge).toISOString().slice(5, 16));
}

test('property: buckets partition the range, in every zone and granularity, over every change of clocks', () => {
  const random = randomOf(3);
  const year = [Date.parse('2025-12-20T00:00:00Z'), Date.parse('2027-01-10T00:00:00Z')] as const;
  for (const zone of ZONES) {
    for (const granularity of GRANULARITIES) {
      for (let round = 0; round < 12; round++) {
        const [a, b] = [random(), random()].map((share) => Math.floor(year[0] + share * (year[1] - year[0])));
        const [from, to] = [Math.min(a ?? 0, b ?? 0), Math.max(a ?? 0, b ?? 0)];
        const edges = bucketEdges(zoneOf(zone), granularity, from, to);
        const what = `${zone} ${granularity} ${new Date(from).toISOString()} ${new Date(to).toISOString()}`;
        assert.ok((edges[0] as number) <= from && (edges[1] as number) > from, `first bucket: ${what}`);
        assert.ok((edges.at(-1) as number) > to && (edges.at(-2) as number) <= to, `last bucket: ${what}`);
        for (let at = 1; at < edges.length; at++) {
          assert.ok((edges[at] as number) > (edges[at - 1] as number), `no bucket is empty of time: ${what}`);
        }
      }
    }
  }
});

test('property: a bucket has the same edges in every range', () => {
  for (const zone of ZONES) {
    for (const granularity of GRANULARITIES) {
      const all = bucketEdges(
        zoneOf(zone),
        granularity,
        Date.parse('2026-03-01T00:00:00Z'),
        Date.parse('2026-11-10T00:00:00Z'),
      );
      const known = new Set(all);
      const random = randomOf(5);
      for (let round = 0; round < 40; round++) {
        const at = (all[0] as number) + random() * ((all.at(-1) as number) - (all[0] as number) - 1);
        const [start, end] = bucketEdges(zoneOf(zone), granularity, at, at);
        assert.ok(
          known.has(start as number) && known.has(end as number),
          `${zone} ${granularity} ${new Date(at).toISOString()}`,
        );
      }
    }
  }
});

test('rule A.4: hours are hours of the wall clock; in spring one is absent, in autumn one occurs twice', () => {
  assert.deepEqual(startsOf('Europe/Berlin', 'hour', '2026-03-29T00:30:00Z', '2026-03-29T01:30:00Z'), [
    '03-29T00:00',
    '03-29T01:00',
    '03-29T02:00',
  ]);
  const edges = bucketEdges(
    zoneOf('Europe/Berlin'),
    'hour',
    Date.parse('2026-10-24T23:10:00Z'),
    Date.parse('2026-10-25T02:10:00Z'),
  );
  assert.deepEqual([...findRepeated(zoneOf('Europe/Berlin'), edges.slice(0, -1))], [0, 1, 1, 0]);
});

test('rule A.4: hours follow half-hour offsets of a zone, and are cut at a change of clocks', () => {
  assert.deepEqual(startsOf('America/St_Johns', 'hour', '2026-07-01T00:00:00Z', '2026-07-01T01:00:00Z'), [
    '06-30T23:30',
    '07-01T00:30',
    '07-01T01:30',
  ]);
  // On Lord Howe the clocks go back from 2:00 to 1:30 at 15:00 UTC, and on from 2:00 to 2:30 at 15:30 UTC.
  assert.deepEqual(startsOf('Australia/Lord_Howe', 'hour', '2026-04-04T14:10:00Z', '2026-04-04T15:40:00Z'), [
    '04-04T14:00',
    '04-04T15:00',
    '04-04T15:30',
    '04-04T16:30',
  ]);
  assert.deepEqual(startsOf('Australia/Lord_Howe', 'hour', '2026-10-03T15:00:00Z', '2026-10-03T16:10:00Z'), [
    '10-03T14:30',
    '10-03T15:30',
    '10-03T16:00',
    '10-03T17:00',
  ]);
});

test('rule A.4: days, weeks and months follow the zone’s calendar; weeks begin on Monday', () => {
  assert.deepEqual(startsOf('Europe/Berlin', 'day', '2026-03-28T12:00:00Z', '2026-03-30T12:00:00Z'), [
    '03-27T23:00',
    '03-28T23:00',
    '03-29T22:00',
    '03-30T22:00',
  ]);
  assert.deepEqual(startsOf('UTC', 'week', '2026-06-07T23:59:00Z', '2026-06-08T00:00:00Z'), [
    '06-01T00:00',
    '06-08T00:00',
    '06-15T00:00',
  ]);
  assert.deepEqual(startsOf('Europe/Berlin', 'month', '2026-02-28T23:30:00Z', '2026-03-31T22:30:00Z'), [
    '02-28T23:00',
    '03-31T22:00',
    '04-30T22:00',
  ]);
  assert.deepEqual(startsOf('UTC', 'quarter', '2026-06-07T23:59:00Z', '2026-06-08T00:00:00Z'), [
    '06-07T23:45',
    '06-08T00:00',
    '06-08T00:15',
  ]);
});

test('more buckets than columns are merged, never more than the cap', () => {
  const edges = Float64Array.from({ length: 11 }, (_, index) => index);
  assert.deepEqual(mergeEdges(edges, 10), { edges, merged: 1 });
  assert.deepEqual(mergeEdges(edges, 4), { edges: Float64Array.of(0, 3, 6, 9, 10), merged: 3 });
  assert.deepEqual(mergeEdges(edges, 0), { edges: Float64Array.of(0, 10), merged: 10 });
});

test('a granularity that shows nothing, or thousands of columns, has a better suggestion', () => {
  const hour = 3_600_000;
  const cases: readonly (readonly [
    granularity: Granularity,
    hours: number,
    events: number,
    better: string | undefined,
  ])[] = [
    ['month', 1, 50, 'quarter'],
    ['day', 24, 50, 'hour'],
    ['hour', 24, 50, undefined],
    ['quarter', 24 * 365, 50, 'week'],
    ['hour', 24 * 90, 50, 'day'],
    ['event', 24, 5000, 'hour'],
    ['event', 24, 50, undefined],
    ['week', 24 * 30, 50, undefined],
    ['month', 1, 0, undefined],
  ];
  for (const [granularity, hours, events, better] of cases) {
    assert.equal(
      suggestGranularity(granularity, { from: 0, to: hours * hour }, events),
      better,
      `${granularity} ${hours}`,
    );
  }
  assert.equal(suggestGranularity('month', undefined, 3), undefined);
});
