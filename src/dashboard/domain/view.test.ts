import assert from 'node:assert/strict';
import { test } from 'node:test';
import { judgeBudget } from './budget.ts';
import { createData, csvOf, csvRow, inventRows, loadCsv, marker, NOW, viewQuery } from './testdata/usage.ts';
import type { UsageData } from './usage-data.ts';
import type { Granularity, View, ViewQuery } from './view.ts';

const ZONES = ['Europe/Berlin', 'America/St_Johns', 'Australia/Lord_Howe', 'UTC'];
const GRANULARITIES: readonly Granularity[] = ['event', 'quarter', 'hour', 'day', 'week', 'month'];

function load(...rows: readonly string[]): UsageData {
  const data = createData();
  loadCsv(data, csvOf(...rows));
  return data;
}

const sum = (values: Iterable<number>) => [...values].reduce((a, b) => a + b, 0);

/** Every total of a view that must be the same, for any buckets. */
function totalsOf({ buckets, byHour, byWeekday, daily, models, families, maxMode, markerByProject }: View) {
  const groups = [byHour, byWeekday].map(({ requests, tokens, cost }) => [sum(requests), sum(tokens), sum(cost)]);
  const rows = [daily, models, families, [maxMode.yes, maxMode.no], markerByProject].map((list) => [
    sum(list.map(({ requests }) => requests)),
    sum(list.map(({ tokens }) => tokens)),
    sum(list.map(({ cost }) => cost)),
  ]);
  return [[sum(buckets.requests), sum(buckets.total), sum(buckets.cost)], ...groups, ...rows];
}

test('property: totals are equal for every granularity, zone and column cap', () => {
  const data = load(...inventRows(3000, Date.parse('2026-02-20T00:00:00Z'), Date.parse('2026-11-01T00:00:00Z')));
  data.setMarkers([
    marker('a', '2026-03-01T00:00:00Z', null),
    marker('b', '2026-06-01T00:00:00Z', '2026-06-20T00:00:00Z', { project: 'other' }),
  ]);
  const { kpis } = data.view(viewQuery());
  const expected = [kpis.requests, kpis.tokens.total, kpis.costCents];
  for (const zone of ZONES) {
    for (const granularity of GRANULARITIES) {
      for (const columnCap of [7, 100_000]) {
        const view = data.view(viewQuery({ zone, granularity, columnCap }));
        for (const totals of totalsOf(view)) assert.deepEqual(totals, expected, `${zone} ${granularity} ${columnCap}`);
        assert.ok(view.buckets.length <= columnCap);
        assert.equal(view.buckets.cumulativeCost.at(-1), kpis.costCents);
      }
    }
  }
});

test('property: every event lies in the bucket that its instant lies in', () => {
  const instants = inventRows(400, Date.parse('2026-10-20T00:00:00Z'), Date.parse('2026-10-28T00:00:00Z'), 4);
  const at = instants.map((row) => Date.parse(row.slice(1, 25)));
  for (const zone of ZONES) {
    for (const granularity of ['quarter', 'hour', 'day'] as const) {
      const { buckets } = load(...instants).view(viewQuery({ zone, granularity, columnCap: 100_000 }));
      for (let bucket = 0; bucket < buckets.length; bucket++) {
        const [start, end] = [buckets.starts[bucket] as number, buckets.ends[bucket] as number];
        assert.equal(buckets.requests[bucket], at.filter((instant) => instant >= start && instant < end).length);
      }
    }
  }
});

test('rule A.5: total cost, average per day and forecast', () => {
  const data = load(
    csvRow('2026-06-01T00:00:00.001Z', 150),
    csvRow('2026-06-03T00:00:00.001Z', 51),
    csvRow('2026-06-02T00:00:00.001Z', undefined),
  );
  const { kpis } = data.view(viewQuery());
  assert.deepEqual([kpis.costCents, kpis.days, kpis.averagePerDayCents, kpis.forecastCents], [201, 2, 100.5, 3015]);
  assert.deepEqual([kpis.requests, kpis.included, kpis.centsPerRequest, kpis.exactCents], [3, 1, 67, undefined]);
  const { kpis: none } = createData().view(viewQuery());
  assert.deepEqual(
    [none.costCents, none.averagePerDayCents, none.centsPerRequest, none.cacheHit],
    [0, 0, undefined, undefined],
  );
});

test('rule A.5: the window of equal length before is compared with, if it holds events', () => {
  const day = (date: number, cents: number) => csvRow(`2026-06-0${date}T12:00:00.001Z`, cents, 100);
  const data = load(day(1, 10), day(2, 20), day(3, 40), day(4, 80));
  const custom = (from: string, to: string) =>
    data.view(viewQuery({ selection: { mode: 'custom', from, to }, compare: true, granularity: 'day' }));
  const view = custom('2026-06-03', '2026-06-04');
  assert.deepEqual([view.kpis.costCents, view.kpis.previous?.costCents, view.kpis.previous?.requests], [120, 30, 2]);
  assert.equal(view.kpis.previous?.averagePerDayCents, 15);
  assert.deepEqual([...(view.buckets.previousCumulative ?? [])], [10, 30]);
  assert.equal(custom('2026-06-01', '2026-06-02').kpis.previous, undefined);
  const edge = load(
    csvRow('2026-06-01T00:00:00.000Z', 1),
    csvRow('2026-06-02T00:00:00.000Z', 2),
    csvRow('2026-06-03T00:00:00.000Z', 4),
  );
  const { kpis } = edge.view(viewQuery({ selection: { mode: 'hours', hours: 24 } }));
  assert.deepEqual([kpis.costCents, kpis.previous?.costCents], [6, 1], 'what both windows touch counts in one');
  assert.equal(data.view(viewQuery()).kpis.previous, undefined);
});

test('rule A.8: the budget counts the month to date of all users, for any selection', () => {
  const data = load(
    csvRow('2026-10-31T23:30:00.001Z', 1000),
    csvRow('2026-11-01T10:00:00.001Z', 25),
    csvRow('2026-09-01T00:00:00.001Z', 1),
  );
  loadCsv(data, csvOf(csvRow('2026-11-01T09:00:00.001Z', 300)), { name: 'slope.csv', user: 'slope' });
  const query = { user: 'info', selection: { mode: 'count', count: 10 } } as const;
  const { budget } = data.view(viewQuery(query));
  assert.deepEqual([budget.spentCents, budget.isPartial, budget.dayOfMonth, budget.daysInMonth], [325, false, 1, 30]);
  assert.equal(budget.elapsed, 0.5 / 30);
  assert.equal(Math.round(budget.paceCents), 19_500);
  assert.equal(data.view(viewQuery({ ...query, zone: 'Europe/Berlin' })).budget.spentCents, 1325);
  const late = load(csvRow('2026-11-01T10:00:00.001Z', 25)).view(viewQuery()).budget;
  assert.equal(data.view(viewQuery({ ...query, now: Date.parse('2030-01-10T00:00:00Z') })).budget.requests, 0);
  assert.deepEqual([late.isPartial, late.partialSince], [true, Date.parse('2026-11-01T10:00:00.001Z')]);
});

test('rule A.8: the budget is ok below 80 percent, a warning from there on, and over from 100', () => {
  const level = (spent: number, budget: number) => judgeBudget(spent, budget);
  assert.deepEqual(level(5599, 7000), { level: 'ok', share: 5599 / 7000 });
  assert.deepEqual(level(5600, 7000).level, 'warn');
  assert.deepEqual(level(14_000, 7000), { level: 'over', share: 2 });
  assert.deepEqual(level(100, 0), { level: 'none', share: undefined });
});

test('rule A.4: in count mode buckets are events, in time mode quiet hours are shown as zero', () => {
  const data = load(csvRow('2026-06-01T10:10:00.001Z', 1), csvRow('2026-06-01T13:10:00.001Z', 2));
  const hours = data.view(viewQuery()).buckets;
  assert.deepEqual([hours.granularity, [...hours.requests], [...hours.cost]], ['hour', [1, 0, 0, 1], [1, 0, 0, 2]]);
  const events = data.view(viewQuery({ selection: { mode: 'count', count: 10 }, granularity: 'day' })).buckets;
  assert.deepEqual([events.granularity, [...events.requests], [...events.cumulativeCost]], ['event', [1, 1], [1, 3]]);
  assert.deepEqual(
    [...(events.eventModels ?? [])].map((id) => events.modelNames[id]),
    ['gpt-5', 'gpt-5'],
  );
});

test('a window without events keeps its axes', () => {
  const data = load(csvRow('2026-06-01T10:10:00.001Z', 1));
  const selection = { mode: 'custom', from: '2026-07-01', to: '2026-07-03' } as const;
  const { buckets, top, models } = data.view(viewQuery({ selection, granularity: 'day' }));
  assert.deepEqual([buckets.length, sum(buckets.requests), top, models], [3, 0, [], []]);
  assert.equal(createData().view(viewQuery()).buckets.length, 0);
});

test('zooming shows the visible range at full resolution, its running cost from the start of the selection', () => {
  const data = load(...inventRows(600, Date.parse('2026-05-01T00:00:00Z'), Date.parse('2026-06-01T00:00:00Z')));
  const whole = data.view(viewQuery({ columnCap: 100 }));
  assert.equal(whole.buckets.merged, 8);
  const fine = data.view(viewQuery({ columnCap: 10_000 })).buckets;
  const from = fine.starts[100] as number;
  const to = (fine.ends[120] as number) - 1;
  const zoomed = data.view(viewQuery({ columnCap: 100, visible: { from, to } }));
  assert.deepEqual([zoomed.buckets.merged, zoomed.buckets.length], [1, 21]);
  assert.deepEqual([...zoomed.buckets.cost], [...fine.cost.slice(100, 121)]);
  assert.deepEqual([...zoomed.buckets.cumulativeCost], [...fine.cumulativeCost.slice(100, 121)]);
  assert.deepEqual(zoomed.buckets.full, whole.buckets.full);
  assert.deepEqual(zoomed.kpis, whole.kpis);
});

test('rule A.7: hours and weekdays are in the zone', () => {
  const data = load(
    csvRow('2026-06-01T22:30:00.001Z', 5, 70),
    csvRow('2026-06-08T22:45:00.001Z', 1, 30),
    csvRow('2026-06-03T09:00:00.001Z', 2, 9),
  );
  const { byHour, byWeekday } = data.view(viewQuery({ zone: 'Europe/Berlin' }));
  assert.deepEqual([byHour.requests[0], byHour.tokens[0], byHour.cost[0], byHour.days[0]], [2, 100, 6, 2]);
  assert.deepEqual(
    [...byWeekday.requests],
    [0, 2, 1, 0, 0, 0, 0],
    'Monday first; both late Mondays are Tuesdays there',
  );
  assert.deepEqual([...byWeekday.days], [0, 2, 1, 0, 0, 0, 0]);
});

test('rule A.6: the daily table has a row per day and user, newest first, with the top model', () => {
  const data = load(
    csvRow('2026-06-01T10:00:00.001Z', 1, 10, 'b'),
    csvRow('2026-06-01T11:00:00.001Z', 9, 10, 'a'),
    csvRow('2026-06-01T12:00:00.001Z', 1, 10, 'B'),
    csvRow('2026-06-02T10:00:00.001Z', 1, 10, 'cheap'),
    csvRow('2026-06-02T11:00:00.001Z', 2, 10, 'dear'),
  );
  loadCsv(data, csvOf(csvRow('2026-06-01T10:00:00.001Z', 4)), { name: 'slope.csv', user: 'slope' });
  assert.deepEqual(data.view(viewQuery()).daily, [
    { dayKey: '2026-06-02', user: 'info', requests: 2, tokens: 20, cost: 3, topModel: 'dear' },
    { dayKey: '2026-06-01', user: 'info', requests: 3, tokens: 30, cost: 11, topModel: 'b' },
    { dayKey: '2026-06-01', user: 'slope', requests: 1, tokens: 10, cost: 4, topModel: 'gpt-5' },
  ]);
});

test('rule A.6: most expensive are fifteen events by cost, tokens and time; none when nothing costs', () => {
  const rows = Array.from({ length: 40 }, (_, minute) =>
    csvRow(`2026-06-01T10:${`${minute}`.padStart(2, '0')}:00.001Z`, minute % 8, (minute % 3) + 1),
  );
  const { top } = load(...rows).view(viewQuery());
  const order = top.map(({ costCents, tokens, at }) => [costCents, tokens.total, at]);
  const expected = [...order].sort((a, b) => (b.findIndex((value, i) => value !== a[i]) >= 0 ? compareDown(a, b) : 0));
  assert.equal(top.length, 15);
  assert.deepEqual(order, expected);
  assert.deepEqual(
    top.slice(0, 5).map(({ costCents }) => costCents),
    [7, 7, 7, 7, 7],
  );
  assert.deepEqual(load(csvRow('2026-06-01T10:00:00.001Z', undefined)).view(viewQuery()).top, []);
  const included = load('2026-06-01T10:00:00.001Z,Included,gpt-5,No,0,1,0,0,1,0.50').view(
    viewQuery({ rankBy: 'list' }),
  );
  assert.deepEqual(
    included.top.map(({ listCents, costCents }) => [listCents, costCents]),
    [[50, 0]],
  );
});

function compareDown(a: readonly number[], b: readonly number[]): number {
  const at = a.findIndex((value, index) => value !== b[index]);
  return at < 0 ? 0 : (b[at] as number) - (a[at] as number);
}

test('rule A.7: top models by cost and by tokens, families, token types and cache efficiency', () => {
  const row = (model: string, parts: string, cost: string) =>
    `2026-06-01T10:00:00.001Z,On-Demand,${model},Yes,${parts},${cost}`;
  const data = load(
    row('claude-4.5-sonnet', '10,20,70,5,105', '1.00'),
    row('claude-4-sonnet', '0,0,0,5,5', '0.50'),
    row('gpt-5', '0,100,0,900,1000', '0.50'),
  );
  const view = data.view(viewQuery({ topN: 2 }));
  assert.deepEqual(
    view.topCost.map(({ model }) => model),
    ['claude-4.5-sonnet', 'gpt-5'],
  );
  assert.deepEqual(
    view.topTokens.map(({ model }) => model),
    ['gpt-5', 'claude-4.5-sonnet'],
  );
  assert.deepEqual(
    view.families.map(({ family, cost, members }) => [family, cost, members]),
    [
      ['Claude Sonnet', 150, ['claude-4.5-sonnet', 'claude-4-sonnet']],
      ['GPT', 50, ['gpt-5']],
    ],
  );
  assert.deepEqual(view.tokenTypes, { input: 120, cacheWrite: 10, cacheRead: 70, output: 910, total: 1110 });
  assert.equal(view.kpis.cacheHit, 70 / 200);
  assert.deepEqual(view.maxMode, {
    yes: { requests: 3, tokens: 1110, cost: 200 },
    no: { requests: 0, tokens: 0, cost: 0 },
  });
});

test('families beyond eight are one row', () => {
  const models = ['opus', 'sonnet', 'haiku', 'codex', 'gpt', 'o3', 'gemini', 'grok', 'kimi', 'llama'];
  const rows = models.map((model, index) => csvRow('2026-06-01T10:00:00.001Z', 100 - index, 10, model));
  const { families } = load(...rows).view(viewQuery());
  assert.equal(families.length, 9);
  assert.deepEqual(families.at(-1), {
    family: 'Other families',
    members: ['kimi', 'llama'],
    requests: 2,
    tokens: 20,
    cost: 183,
  });
});

test('the cost basis: as reported, billed only, or list value', () => {
  const row = (minute: number, kind: string, cost: string) =>
    `2026-06-01T10:0${minute}:00.001Z,${kind},gpt-5,No,0,1,0,0,1,${cost}`;
  const data = load(row(1, 'Included', '0.50'), row(2, 'On-Demand', '0.201'), row(3, 'User API Key', '0.30'));
  const cost = (costBasis: ViewQuery['costBasis']) => data.view(viewQuery({ costBasis })).kpis.costCents;
  assert.deepEqual([cost('reported'), cost('billed'), Math.round(cost('list') * 1000)], [50, 20, 100_100]);
  assert.ok(Math.abs((data.view(viewQuery()).kpis.exactCents ?? 0) - 50.1) < 1e-9, 'fractions that whole cents hide');
  assert.equal(data.view(viewQuery({ costBasis: 'billed' })).budget.spentCents, 0);
});

test('skipped rows and the span of events are reported', () => {
  const data = load(csvRow('2026-06-01T10:00:00.001Z', 1), 'x,,,,,,,,,', csvRow('2026-06-02T10:00:00.001Z', 1));
  data.setLive('info', [{}], NOW);
  const { counts, interval } = data.view(viewQuery());
  assert.deepEqual([counts.skipped, counts.selected, counts.included, counts.ofUser], [2, 2, 0, 2]);
  assert.deepEqual(
    [counts.oldestAt, counts.newestAt],
    [Date.parse('2026-06-01T10:00:00.001Z'), Date.parse('2026-06-02T10:00:00.001Z')],
  );
  assert.equal(interval.isCurrentMonth, false);
  const month = data.view(viewQuery({ selection: { mode: 'custom', from: '2026-11-01', to: '2026-11-30' } }));
  assert.equal(month.interval.isCurrentMonth, true);
});
