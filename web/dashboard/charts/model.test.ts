import assert from 'node:assert/strict';
import { test } from 'node:test';
import { familyColour, GROUP_COLOURS, groupColours } from './colours.ts';
import { moveCursor } from './figure/cursor-move.ts';
import { hiddenNow, hiddenToStore, inLines, legendOf, shorten, toggleHidden, withoutHidden } from './model.ts';
import { CHARTS } from './models/chart-list.ts';
import { markerByCategory, markerByProject } from './models/marker-charts.ts';
import { cumulative, overview as overviewChart } from './models/time-charts.ts';
import { tokenTypes } from './models/token-charts.ts';
import { sampleContext, sampleView } from './testdata/sample.ts';
import { chartCsv } from './text/chart-csv.ts';
import { chartFormat } from './text/format.ts';
import { summarizeParts, trendText } from './text/summary.ts';
import { chartTexts } from './text/texts.ts';
import { stackShare, tipOrder, tipPlace } from './tooltip/layout.ts';

const context = sampleContext();
const overview = overviewChart.model(sampleView(), context);
const row = (name: string, tokens: number, kind: 'named' | 'unmarked' | 'nameless' = 'named') =>
  ({ name, kind, requests: 1, tokens, cost: tokens / 10 }) as const;

test('rule A.7: there are thirteen charts, each with a title in both languages and a model of any view', () => {
  const keys = CHARTS.map(({ key }) => key);
  assert.equal(new Set(keys).size, keys.length);
  const wanted =
    'overview cumulative topCost topTokens modelFamily tokenTypes inputOutput cacheEfficiency byHour byWeekday maxMode markerByProject markerByCategory';
  assert.deepEqual(
    keys.filter((key) => wanted.split(' ').includes(key)),
    wanted.split(' '),
  );
  for (const chart of CHARTS) {
    const model = chart.model(sampleView(), context);
    assert.equal(model.key, chart.key);
    assert.notEqual(chart.title.de, '');
    assert.notEqual(model.title, '');
    assert.notEqual(model.summary, '');
    for (let index = 0; index < model.length; index++)
      assert.equal(model.details(index).length, model.details(0).length);
  }
});

test('both languages have the same words, with the same values in them', () => {
  const slots = (text: string) => (text.match(/\{\w+\}/g) ?? []).sort();
  for (const [key, text] of Object.entries(chartTexts.en)) {
    const german = chartTexts.de[key as keyof typeof chartTexts.de];
    assert.deepEqual(slots(german), slots(text), key);
  }
  assert.deepEqual(Object.keys(chartTexts.de), Object.keys(chartTexts.en));
});

test('rule A.7: hidden series leave the chart, the legend keeps them', () => {
  const hidden = new Set(['cacheRead', 'unknown']);
  assert.deepEqual(
    withoutHidden(overview, hidden).series.map(({ key }) => key),
    ['input', 'cacheWrite', 'output', 'total', 'cost'],
  );
  assert.equal(legendOf(overview).length, 6);
  assert.equal(withoutHidden(overview, new Set()), overview);
});

test('hidden parts leave the chart, and names and values move together', () => {
  const types = { input: 1, cacheWrite: 2, cacheRead: 3, output: 4, total: 10 };
  const model = withoutHidden(tokenTypes.model(sampleView({ tokenTypes: types }), context), new Set(['cacheWrite']));
  assert.equal(model.length, 3);
  assert.deepEqual([0, 1, 2].map(model.name), ['Input', 'Cache read', 'Output']);
  assert.deepEqual(Array.from(model.series[0]?.values ?? []), [1, 3, 4]);
  assert.deepEqual(
    model.parts?.map(({ key }) => key),
    ['input', 'cacheRead', 'output'],
  );
  assert.equal(model.details(1)[0]?.value, '30%', 'a share is of everything');
});

test('events without a marker are hidden until they are shown, and that is remembered', () => {
  const view = sampleView({ markerByProject: [row('web', 300), row('', 100, 'nameless'), row('', 600, 'unmarked')] });
  const model = markerByProject.model(view, context);
  const first = hiddenNow(model, []);
  const shown = withoutHidden(model, first);
  assert.deepEqual([0, 1].map(shown.name), ['web', 'Without project']);
  assert.equal(shown.details(0)[0]?.value, '75%', 'shares are of marked events');
  const quiet = model.quietKey ?? '';
  const stored = hiddenToStore(model, toggleHidden(first, quiet, [], false));
  assert.equal(withoutHidden(model, hiddenNow(model, stored)).length, 3);
  assert.deepEqual([...hiddenToStore(model, hiddenNow(model, []))], [], 'unchanged switches are not stored');
});

test('recommended categories have English names on the English page, and files keep the German ones', () => {
  const view = sampleView({ markerByCategory: [row('Analyse', 2), row('Review', 1), row('', 1, 'nameless')] });
  const model = markerByCategory.model(view, context);
  assert.deepEqual([0, 1, 2].map(model.name), ['Analysis', 'Review', 'Without category']);
  assert.equal(model.parts?.[0]?.key, 'Analyse');
});

test('cache reads, and the total that consists mostly of them, have a row of their own', () => {
  const inRow = overview.series.filter(({ axis }) => axis === 'row').map(({ key }) => key);
  assert.deepEqual(inRow, ['cacheRead', 'total']);
});

test('a label too long for its column has a line per word', () => {
  assert.deepEqual(inLines('Cache read', 200), 'Cache read');
  assert.deepEqual(inLines('Cache read', 50), ['Cache', 'read']);
  assert.deepEqual(inLines('Composer', 20), 'Composer');
});

test('categories are slices up to six, bars beyond', () => {
  const of = (count: number) =>
    markerByCategory.model(
      sampleView({ markerByCategory: Array.from({ length: count }, (_, nth) => row(`c${nth}`, nth + 1)) }),
      context,
    ).shape;
  assert.deepEqual([of(6), of(7)], ['ring', 'rows']);
});

test('a click on the legend hides and shows; with a modifier it shows alone, and then all again', () => {
  const all = ['a', 'b', 'c'];
  const sorted = (set: ReadonlySet<string>) => [...set].sort();
  assert.deepEqual(sorted(toggleHidden(new Set(), 'a', all, false)), ['a']);
  assert.deepEqual(sorted(toggleHidden(new Set(['a']), 'a', all, false)), []);
  const solo = toggleHidden(new Set(['a', 'gone']), 'a', all, true);
  assert.deepEqual(sorted(solo), ['b', 'c', 'gone'], 'keys of absent series are kept');
  assert.deepEqual(sorted(toggleHidden(solo, 'a', all, true)), ['gone']);
});

test('the budget line is drawn while the view is the current month', () => {
  const view = sampleView();
  const month = { ...view, interval: { ...view.interval, isCurrentMonth: true } };
  const withBudget = sampleContext({ budgetCents: 7000 });
  assert.equal(cumulative.model(month, withBudget).level?.value, 7000);
  assert.equal(cumulative.model(view, withBudget).level, undefined);
  assert.equal(cumulative.model(month, context).level, undefined);
});

test('cost series, axes and tooltips name their basis', () => {
  const list = overviewChart.model(sampleView(), sampleContext({ costBasis: 'list' }));
  assert.equal(list.axes.second, 'Cost, list value');
  assert.equal(list.series.find(({ key }) => key === 'cost')?.label, 'Cost, list value');
});

test('a tooltip lists by value, the total after its parts, money last', () => {
  assert.deepEqual(
    tipOrder(overview.series, 2).map(({ key }) => key),
    ['cacheRead', 'input', 'output', 'cacheWrite', 'total', 'cost'],
  );
  const [input] = overview.series;
  assert.equal(input && stackShare(overview.series, input, 2)?.toFixed(4), (300 / 3330).toFixed(4));
  const cost = overview.series.at(-1);
  assert.equal(cost && stackShare(overview.series, cost, 2), undefined);
});

test('a tooltip stays inside of its chart and turns over at the right edge', () => {
  const room = { width: 400, height: 200 };
  const size = { width: 150, height: 120 };
  assert.deepEqual(tipPlace({ x: 100, y: 20 }, size, room), { x: 112, y: 32 });
  assert.deepEqual(tipPlace({ x: 350, y: 190 }, size, room), { x: 188, y: 80 });
  assert.deepEqual(tipPlace({ x: 100, y: 20 }, { width: 390, height: 300 }, room), { x: 0, y: 0 });
});

test('the keyboard cursor stays in sight', () => {
  const window = { min: 3, max: 5 };
  assert.deepEqual(
    ['ArrowRight', 'ArrowLeft', 'Home', 'End'].map((key) => moveCursor(key, undefined, window)),
    [3, 5, 3, 5],
  );
  assert.deepEqual([moveCursor('ArrowRight', 5, window), moveCursor('ArrowLeft', 9, window)], [5, 4]);
  assert.equal(moveCursor('a', 4, window), undefined);
});

test('the summary has range, totals, peak and trend', () => {
  assert.match(overview.summary, /Total tokens: 4,196 in total, highest 3,400 at Mon,? 8 Jun, 02:00/);
  assert.match(overview.summary, /Rising: the second half holds 91\.8% of it\./);
  assert.equal(trendText([5, 5, 5, 5], context), 'Steady.');
  assert.match(trendText([9, 9, 1, 1], context), /^Falling/);
  assert.equal(trendText([1, 2], context), '', 'two columns are no trend');
  assert.equal(trendText([1, 1, 7, 1, 1], context), 'Steady.', 'the middle belongs to neither half');
});

test('a summary of parts names the largest and counts the rest', () => {
  const parts = Array.from({ length: 9 }, (_, nth) => ({ name: `m${nth}`, value: nth + 1 }));
  const text = summarizeParts('bar', parts, 'tokens', context);
  assert.match(text, /^Bar chart\. m8 9 \(20%\), m7 8/);
  assert.match(text, /3 more\.$/);
  assert.match(summarizeParts('doughnut', [{ name: 'a', value: 0 }], 'usd', context), /No requests/);
});

test('a chart as CSV: instants, whole tokens, dollars, and no formula that a spreadsheet would run', () => {
  const [head, first] = chartCsv(overview).split('\r\n');
  assert.equal(
    head,
    'Start (UTC),End (UTC),Input,Cache write,Cache read,Output,Total tokens,"Cost, as reported (USD)"',
  );
  assert.equal(first, '2026-06-08T00:00:00.000Z,2026-06-08T01:00:00.000Z,10,1,100,5,116,0.1');
  const evil = markerByProject.model(sampleView({ markerByProject: [row('=cmd|"x"', 5)] }), context);
  assert.equal(chartCsv(evil).split('\r\n')[1], '"\'=cmd|""x""",5');
});

test('up to eight projects never share a colour, and a new one changes few', () => {
  const names = ['web', 'relay', 'billing', 'docs', 'infra', 'mobile', 'search', 'auth'];
  assert.equal(new Set(groupColours(names).values()).size, GROUP_COLOURS);
  assert.deepEqual(groupColours([...names].reverse()), groupColours(names), 'order does not matter');
  assert.equal(groupColours([...names, 'ninth']).size, 9);
  assert.equal(groupColours(['web']).get('web'), groupColours(['web', 'zzz']).get('web'));
});

test('a family has its own colour, others share one', () => {
  assert.equal(familyColour('Claude Opus'), '--family-claude-opus');
  assert.equal(familyColour('Other families'), '--family-other');
  assert.equal(familyColour('constructor'), '--family-other');
});

test('long model names lose their middle', () => {
  assert.equal(shorten('gpt-5-codex', 22), 'gpt-5-codex');
  const short = shorten('claude-4.5-sonnet-thinking-high', 22);
  assert.equal(short.length, 22);
  assert.match(short, /^claude-.*high$/);
});

test('numbers: tokens compact with a capital M, dollars with two decimals and four below a cent', () => {
  const format = chartFormat('en-GB');
  assert.equal(format.compact(6_141_230), '6.14M');
  assert.equal(format.count(6_141_230), '6,141,230');
  assert.deepEqual([format.usd(1234), format.usd(0.5), format.usd(0)], ['$12.34', '$0.0050', '$0.00']);
  assert.deepEqual([format.usdAxis(200, 100), format.usdAxis(200, 50)], ['$2', '$2.00']);
  assert.equal(format.weekday(0, 'long'), 'Monday');
  assert.match(chartFormat('de-DE').compact(6_141_230), /^6,14\sMio\.$/);
});
