import assert from 'node:assert/strict';
import { test } from 'node:test';
import { figuresOf } from './figures.ts';
import { english, german } from './text.ts';

test('alerts are counted by severity, whatever word stands for it', () => {
  const severities = { critical: 2, page: 1, warning: 3, info: 4, '': 5 };
  const figures = figuresOf({ kind: 'alerts', severities, suppressed: 6, failing: [] });
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
  const quiet = figuresOf({ kind: 'alerts', severities: {}, suppressed: 0, failing: [] });
  assert.deepEqual(
    quiet.filter(({ tone }) => tone !== undefined),
    [],
  );
  assert.deepEqual(figuresOf({ kind: 'dashboard', month: null }), []);
});

test('both languages have the same placeholders', () => {
  const placeholders = (text: string) => [...new Set(text.match(/\{\w+\}/g))].sort();
  for (const [key, text] of Object.entries(english))
    assert.deepEqual(placeholders(german[key as keyof typeof english]), placeholders(text), key);
});
