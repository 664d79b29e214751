import assert from 'node:assert/strict';
import { test } from 'node:test';
import { clampCount, widenWindow, windowForCount } from './selection.ts';
import { createData, csvOf, csvRow, loadCsv, NOW, viewQuery } from './testdata/usage.ts';
import type { UsageData } from './usage-data.ts';
import type { Selection, ViewQuery } from './view.ts';

const iso = (at: number | undefined) => (at === undefined ? undefined : new Date(at).toISOString());

function ask(data: UsageData, selection: Selection, changes: Partial<ViewQuery> = {}) {
  const { interval, counts, kpis } = data.view(viewQuery({ selection, ...changes }));
  const { span, endsBy, notes } = interval;
  return { from: iso(span?.from), to: iso(span?.to), endsBy, notes, selected: counts.selected, days: kpis.days };
}

/** One event every hour of two days, with one cent each. */
function hourly(): UsageData {
  const data = createData();
  const rows = Array.from({ length: 48 }, (_, hour) =>
    csvRow(new Date(Date.UTC(2026, 5, 1, hour, 0, 0, 1)).toISOString(), 1),
  );
  loadCsv(data, csvOf(...rows));
  return data;
}

test('rule A.3: hours end with the newest event of a CSV, and now once live data are there; both ends included', () => {
  const data = hourly();
  assert.deepEqual(ask(data, { mode: 'hours', hours: 24 }), {
    from: '2026-06-01T23:00:00.001Z',
    to: '2026-06-02T23:00:00.001Z',
    endsBy: 'newest-event',
    notes: [],
    selected: 25,
    days: 1,
  });
  assert.equal(ask(data, { mode: 'hours', hours: 12 }).days, 1, 'a filter has at least one day');
  assert.equal(ask(data, { mode: 'hours', hours: 36 }).days, 1.5);
  data.setLive('info', [], NOW);
  assert.deepEqual(ask(data, { mode: 'hours', hours: 24 }).to, iso(NOW));
  assert.equal(ask(data, { mode: 'hours', hours: 24 }, { source: 'live' }).endsBy, 'now');
  assert.equal(ask(data, { mode: 'hours', hours: 24 }, { source: 'csv' }).endsBy, 'newest-event');
});

test('rule A.3: a custom range means whole minutes or whole days of the zone, and is put the right way round', () => {
  const data = hourly();
  const custom = (from: string, to: string, zone = 'UTC') => ask(data, { mode: 'custom', from, to }, { zone });
  const minutes = custom('2026-06-01T05:00', '2026-06-01T07:00');
  assert.deepEqual([minutes.from, minutes.to], ['2026-06-01T05:00:00.000Z', '2026-06-01T07:00:59.999Z']);
  assert.equal(minutes.selected, 3);
  assert.deepEqual(custom('2026-06-01T07:00', '2026-06-01T05:00'), { ...minutes, notes: ['swapped'] });
  const days = custom('2026-06-01', '2026-06-02', 'Europe/Berlin');
  assert.deepEqual([days.from, days.to, days.days], ['2026-05-31T22:00:00.000Z', '2026-06-02T21:59:59.999Z', 2]);
  assert.equal(days.selected, 46);
  assert.deepEqual(custom('', '2026-06-02').notes, ['invalid-custom']);
  assert.equal(custom('', '2026-06-02').selected, 0);
});

test('rule A.3: all events, from the first to the last', () => {
  const all = ask(hourly(), { mode: 'all' });
  assert.deepEqual([all.from, all.to, all.selected], ['2026-06-01T00:00:00.001Z', '2026-06-02T23:00:00.001Z', 48]);
  assert.equal(all.days, 47 / 24);
});

test('rule A.3 and limits: the latest N requests, N from 10 to 1000', () => {
  const data = hourly();
  assert.deepEqual(ask(data, { mode: 'count', count: 12 }), {
    from: '2026-06-02T12:00:00.001Z',
    to: '2026-06-02T23:00:00.001Z',
    endsBy: 'rank',
    notes: [],
    selected: 12,
    days: 1,
  });
  assert.deepEqual(
    [ask(data, { mode: 'count', count: 3 }).selected, ask(data, { mode: 'count', count: 3 }).notes],
    [10, ['clamped']],
  );
  assert.equal(ask(data, { mode: 'count', count: 'all' }).selected, 48);
  assert.deepEqual([9, 10, 49.6, 1000, 1001, Number.NaN].map(clampCount), [10, 10, 50, 1000, 1000, 10]);
});

test('rule A.3: a range by rank, 1 is the newest, both ends included', () => {
  const data = hourly();
  const ranks = (from: number, to: number) => ask(data, { mode: 'rank', from, to });
  assert.deepEqual([ranks(2, 4).from, ranks(2, 4).to], ['2026-06-02T20:00:00.001Z', '2026-06-02T22:00:00.001Z']);
  assert.deepEqual(ranks(4, 2), { ...ranks(2, 4), notes: ['swapped'] });
  assert.deepEqual([ranks(40, 100).selected, ranks(40, 100).notes], [9, ['clamped']]);
  assert.deepEqual([ranks(49, 60).selected, ranks(49, 60).notes], [0, ['beyond-loaded']]);
  assert.deepEqual([ranks(0, 2).selected, ranks(0, 2).notes], [2, ['clamped']]);
});

test('ranks of events of one instant follow the lists', () => {
  const data = createData();
  const at = '2026-06-01T10:00:00.001Z';
  const rows = ['a', 'b', 'c', 'd'].map((model) => csvRow(at, 1, 10, model));
  loadCsv(data, csvOf(csvRow('2026-06-01T11:00:00.001Z', 1, 10, 'newest'), ...rows));
  const modelsOf = (from: number, to: number) =>
    data.view(viewQuery({ selection: { mode: 'rank', from, to } })).models.map(({ model }) => model);
  assert.deepEqual(modelsOf(1, 2), ['a', 'newest']);
  assert.deepEqual(modelsOf(3, 4), ['b', 'c']);
  assert.deepEqual(modelsOf(5, 5), ['d']);
});

test('rule A.2: the user filter applies before the selection', () => {
  const data = hourly();
  loadCsv(data, csvOf(csvRow('2026-05-01T10:00:00.001Z', 5)), { name: 'slope.csv', user: 'slope' });
  const ofSlope = ask(data, { mode: 'hours', hours: 24 }, { user: 'slope' });
  assert.deepEqual([ofSlope.selected, ofSlope.to], [1, '2026-05-01T10:00:00.001Z']);
  assert.equal(ask(data, { mode: 'count', count: 10 }, { user: 'slope' }).selected, 1);
  assert.equal(ask(data, { mode: 'all' }, { user: 'all' }).selected, 49);
  assert.equal(ask(data, { mode: 'all' }, { user: 'nobody' }).selected, 0);
});

test('rule A.3: how far back live fetching reaches follows the count, and widens at most three times', () => {
  const days = [10, 25, 50, 51, 100, 250, 500, 1000, 1001].map((count) => (windowForCount(count) ?? 0) / 24);
  assert.deepEqual(days, [2, 5, 7, 14, 14, 30, 90, 180, 365]);
  assert.equal(windowForCount('all'), undefined);
  assert.deepEqual(
    [widenWindow(48, 0), widenWindow(192, 2), widenWindow(384, 3), widenWindow(365 * 24, 0)],
    [96, 384, undefined, undefined],
  );
});
