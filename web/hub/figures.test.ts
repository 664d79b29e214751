import assert from 'node:assert/strict';
import { test } from 'node:test';
import { figuresOf } from './figures.ts';
import { english, german } from './text.ts';

test('alerts are counted by severity, whatever word stands for it', () => {
  const severities = { critical: 2, page: 1, warning: 3, info: 4, '': 5 };
  const figures = figuresOf({ kind: 'alerts', severities, suppressed: 6, failing: [], faults: [] });
  assert.deepEqual(
    figures.map(({ value, label, tone }) => [value, label, tone]),
    [
      [3, 'critical', 'critical'],
      [3, 'warning', 'warning'],
      [9, 'other', undefined],
      [6, 'suppressed', undefined],
    ],
  );
});

test('a zero has no colour, and a project without usage no cost', () => {
  const quiet = figuresOf({ kind: 'alerts', severities: {}, suppressed: 0, failing: [], faults: [] });
  assert.deepEqual(
    quiet.filter(({ tone }) => tone !== undefined),
    [],
  );
  assert.deepEqual(figuresOf({ kind: 'dashboard', month: null, hasLive: false, budgetCents: 7_000 }), []);
});

test("a month's cost stands beside its budget, and turns red with it", () => {
  const usage = (spentCents: number, budgetCents: number) =>
    figuresOf({ kind: 'dashboard', month: { spentCents, requests: 9 }, hasLive: false, budgetCents });
  assert.deepEqual(usage(4_000, 5_000), [
    { value: 4_000, unit: 'usd', label: 'month.of', budget: 5_000, tone: 'warning' },
    { value: 0.8, unit: 'percent', label: 'month.share', tone: 'warning' },
  ]);
  assert.equal(usage(5_000, 5_000)[0]?.tone, 'critical');
  assert.equal(usage(3_999, 5_000)[0]?.tone, undefined);
  assert.deepEqual(usage(4_000, 0), [{ value: 4_000, unit: 'usd', label: 'month' }]);
});

test('mentions are a figure for those who are signed in alone', () => {
  const labels = (mentions: number | null) =>
    figuresOf({ kind: 'rooms', rooms: 2, firing: 0, mentions }).map(({ label, tone }) => [label, tone]);
  const others = [
    ['rooms.firing', undefined],
    ['rooms.count', undefined],
  ];
  assert.deepEqual(labels(null), others);
  assert.deepEqual(labels(0), [['mentions', undefined], ...others]);
  assert.deepEqual(labels(1), [['mentions', 'info'], ...others]);
});

test('both languages have the same placeholders', () => {
  const placeholders = (text: string) => [...new Set(text.match(/\{\w+\}/g))].sort();
  for (const [key, text] of Object.entries(english))
    assert.deepEqual(placeholders(german[key as keyof typeof english]), placeholders(text), key);
});
