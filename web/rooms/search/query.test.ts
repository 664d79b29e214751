import assert from 'node:assert/strict';
import { test } from 'node:test';
import { filterValue, hasFilter, toggleFilter, withLocalDays } from './query.ts';

test('a filter is added once, replaces others of its name, and is removed again', () => {
  assert.equal(toggleFilter('payouts', 'from:ben'), 'payouts from:ben ');
  assert.equal(toggleFilter('from:ana payouts', 'from:ben'), 'payouts from:ben ');
  assert.equal(toggleFilter('payouts from:ben ', 'from:ben'), 'payouts ');
  assert.equal(toggleFilter('"from:ben to ana"', 'from:ben'), '"from:ben to ana" from:ben ');
});

test('a query says which filters it has', () => {
  const query = 'a from:ben "in:ops" after:2026-01-31';
  assert.deepEqual([hasFilter(query, 'from:ben'), hasFilter(query, 'in:ops')], [true, false]);
  assert.deepEqual([filterValue(query, 'after:'), filterValue(query, 'before:')], ['2026-01-31', '']);
});

test('a day begins at midnight where the reader is', () => {
  const midnight = new Date(2026, 0, 31).toISOString();
  assert.equal(withLocalDays('x after:2026-01-31 y'), `x after:${midnight} y`);
  assert.equal(withLocalDays('before:2026-01-31'), `before:${midnight}`);
  for (const query of ['after:2026-01-31T09:00:00Z', 'xafter:2026-01-31', 'after:soon'])
    assert.equal(withLocalDays(query), query);
});
