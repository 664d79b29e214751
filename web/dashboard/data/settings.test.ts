import assert from 'node:assert/strict';
import { test } from 'node:test';
import { KEYS, Settings } from './settings.ts';

const TODAY = '2026-03-01';

function storageWith(values: Readonly<Record<string, string>> = {}) {
  const stored = new Map(Object.entries(values));
  return {
    stored,
    getItem: (key: string) => stored.get(key) ?? null,
    setItem: (key: string, value: string) => {
      stored.set(key, value);
    },
  };
}

test('A.2: an empty storage means the defaults of the table of keys', () => {
  const settings = new Settings(storageWith());
  const state = settings.readState(TODAY);
  assert.equal(settings.budget, 70);
  assert.equal(state.granularity, 'hour');
  assert.equal(state.mode, 'time');
  assert.equal(state.count.count, 50);
  assert.deepEqual(state.time, {
    mode: 'hours',
    hours: 24,
    customFrom: '2026-02-27T00:00',
    customTo: '2026-03-01T23:59',
  });
  assert.deepEqual(settings.hiddenSeries('overview'), new Set());
  const display = { showMarkers: true, showLabels: true, projectFilter: 'all', showTablePopover: true };
  assert.deepEqual(settings.markerDisplay, display);
});

test('A.2: the keys are the keys of the table, objects as JSON, the rest as plain text', () => {
  const storage = storageWith();
  const settings = new Settings(storage);
  const state = settings.readState(TODAY);
  settings.budget = 12.5;
  settings.hideSeries('overview', new Set(['cost']));
  settings.markerDisplay = { ...settings.markerDisplay, showLabels: false };
  settings.writeState({ ...state, mode: 'count', granularity: 'week', basis: 'list', topModels: 10 });
  const read = Object.fromEntries(storage.stored);
  assert.equal(read['usage-analytics-monthly-budget-usd'], '12.5');
  assert.equal(read['usage-analytics-granularity'], 'week');
  assert.equal(read['usage-analytics-selection-mode'], 'count');
  assert.equal(read['usage-analytics-count'], '50');
  assert.equal(read['usage-analytics-time-range'], '{"mode":"hours","hours":24}');
  const custom = '{"customFrom":"2026-02-27T00:00","customTo":"2026-03-01T23:59"}';
  assert.equal(read['usage-analytics-custom-range'], custom);
  assert.equal(read['usage-analytics-chart-visibility'], '{"overview":{"cost":false}}');
  assert.match(read['usage-marker-chart-display'] ?? '', /"showLabels":false/);
  assert.equal(read['usage-analytics-cost-basis'], 'list');
  assert.equal(read['usage-analytics-top-models'], '10');
  assert.equal(new Settings(storage).readState(TODAY).topModels, 10);
  const odd = new Settings(storageWith({ 'usage-analytics-top-models': '7' }));
  assert.equal(odd.readState(TODAY).topModels, 5);
});

test('law: a written setting is read back', () => {
  const storage = storageWith();
  const first = new Settings(storage);
  const state = {
    ...first.readState(TODAY),
    granularity: 'month',
    time: { mode: 'custom', hours: 6, customFrom: '2026-01-01T10:00', customTo: '2026-01-02T11:30' },
    zone: 'Asia/Tokyo',
  } as const;
  first.writeState(state);
  assert.deepEqual(new Settings(storage).readState('2030-01-01'), state);
});

test('spoilt values are read as absent', () => {
  const spoilt = Object.fromEntries(Object.values(KEYS).map((key) => [key, '{"mode":7,']));
  const settings = new Settings(storageWith(spoilt));
  assert.deepEqual(settings.readState(TODAY), new Settings(storageWith()).readState(TODAY));
  assert.equal(settings.budget, 70);
});

test('A.7: showing every series again forgets the chart', () => {
  const storage = storageWith();
  const settings = new Settings(storage);
  settings.hideSeries('overview', new Set(['cost', 'total']));
  settings.hideSeries('byHour', new Set(['requests']));
  settings.hideSeries('overview', new Set());
  assert.equal(storage.stored.get(KEYS.visibility), '{"byHour":{"requests":false}}');
  assert.deepEqual(settings.hiddenSeries('byHour'), new Set(['requests']));
});

test('A.8: a budget of 0 and an empty budget mean no budget', () => {
  assert.equal(new Settings(storageWith({ [KEYS.budget]: '0' })).budget, 0);
  assert.equal(new Settings(storageWith({ [KEYS.budget]: '' })).budget, 0);
});

test('without storage a choice holds as long as the page', () => {
  const refuse = () => {
    throw new Error('forbidden');
  };
  const settings = new Settings({ getItem: refuse, setItem: refuse });
  settings.budget = 12;
  assert.equal(settings.budget, 12);
});
