import assert from 'node:assert/strict';
import { test } from 'node:test';
import { marker } from '../testdata/usage.ts';
import { categoriesOf, parseCategory } from './category.ts';

test('marker rule 3: the category is the prefix of the task that ends at a separator', () => {
  const cases: readonly (readonly [task: string, category: string | undefined])[] = [
    ['Bugfix: login', 'Bugfix'],
    ['bugfix: login', 'Bugfix'],
    ['Feature - search', 'Feature'],
    ['Refactoring – parser', 'Refactoring'],
    ['Analyse—cost', 'Analyse'],
    ['Dokumentation:', 'Dokumentation'],
    ['SUCHE: where', 'Suche'],
    ['Analysis: cost', 'Analyse'],
    ['documentation-api', 'Dokumentation'],
    ['Search: where', 'Suche'],
    ['Bugfix-login', 'Bugfix'],
    ['Re-index', undefined],
    ['Re-index: all', 'Re-index'],
    ['Review -all', 'Review'],
    ['Review- all', 'Review'],
    ['https://example.com', undefined],
    ['see https://example.com: broken', 'see https://example.com'],
    ['no prefix', undefined],
    ['', undefined],
    [': nothing before', undefined],
    [`${'x'.repeat(40)}: long`, 'x'.repeat(40)],
    [`${'x'.repeat(41)}: too long`, undefined],
    ['Ops: deploy - again', 'Ops'],
  ];
  for (const [task, category] of cases) assert.equal(parseCategory(task), category, task);
});

test('marker rule 3: a category in use counts before a hyphen, and is spelled as its newest marker spells it', () => {
  const at = '2026-06-01T00:00:00.000Z';
  const task = (id: string, text: string, updatedAt: string) => marker(id, at, null, { task: text, updatedAt });
  const markers = [
    task('a', 'review: one', '2026-01-01T00:00:00Z'),
    task('b', 'Review-two', '2026-01-03T00:00:00Z'),
    task('c', 'REVIEW: three', '2026-01-02T00:00:00Z'),
    task('d', 'pre-release', '2026-01-02T00:00:00Z'),
  ];
  assert.deepEqual([...categoriesOf(markers).values()], ['Review', 'Review', 'Review', undefined]);
});
