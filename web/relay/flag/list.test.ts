import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { FlagRow } from '../../../src/relay/contract/page.ts';
import { type Filter, filterFlags } from './list.ts';

const NOW = Date.UTC(2026, 4, 1);
const HOUR_MS = 3_600_000;

const row = (key: string, fields: Partial<FlagRow> = {}): FlagRow => ({
  key,
  on: true,
  default: [{ variation: 0, value: '"blue"', percent: 100 }],
  rules: 0,
  targets: 0,
  version: 1,
  changedAt: null,
  evaluations: 0,
  requestedAt: null,
  ...fields,
});

const ROWS = [
  row('new-checkout', { on: false, requestedAt: NOW - HOUR_MS }),
  row('button-color', { changedAt: NOW }),
  row('old-banner', { requestedAt: NOW - 25 * HOUR_MS }),
];

const cases: readonly (readonly [search: string, filter: Filter, keys: string])[] = [
  ['', 'all', 'new-checkout button-color old-banner'],
  ['CHECK', 'all', 'new-checkout'],
  ['blue on', 'all', 'button-color'],
  ['', 'on', 'button-color old-banner'],
  ['', 'off', 'new-checkout'],
  ['', 'changed', 'button-color'],
  ['', 'idle', 'button-color old-banner'],
  ['nothing', 'all', ''],
];
for (const [search, filter, keys] of cases)
  test(`flags found by ${JSON.stringify(search)} of ${filter}: ${keys || 'none'}`, () => {
    const found = filterFlags(ROWS, search, filter, NOW);
    assert.equal(found.map(({ key }) => key).join(' '), keys);
  });
