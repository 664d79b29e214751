import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createData, NOW, tableQuery } from '../testdata/usage.ts';
import answer from '../testdata/usage-events.json' with { type: 'json' };
import { costOf, plainKind } from './live-event.ts';

test('live events: every field but the timestamp may be absent, numbers may be texts', () => {
  const data = createData();
  assert.deepEqual(data.setLive('slope', answer.usageEventsDisplay, NOW), { events: 6, skipped: 3 });
  const { rows } = data.table(tableQuery({}, { source: 'live' }));
  assert.deepEqual(
    rows.map((row) => [
      row.model,
      row.kind,
      row.maxMode,
      row.tokens.total,
      row.costCents,
      row.costDisplay,
      row.isIncluded,
      row.isChargeable,
    ]),
    [
      ['composer-2.5-fast', 'INCLUDED IN BUSINESS', true, 303480, 8, '-', false, true],
      ['auto', 'USAGE BASED', false, 18652, 20, '$0.20', false, true],
      ['unknown', 'Usage-based', false, 0, 29, '$0.285', false, true],
      ['gpt-5', 'ERRORED NOT CHARGED', false, 0, 411, '-', false, true],
      ['gpt-5', 'INCLUDED IN PRO', false, 7, 0, '$0.00', true, true],
      ['gpt-5', 'FREE CREDIT', false, 0, 0, '$0.00', true, false],
    ],
  );
  assert.ok(rows.every(({ source, user }) => source === 'api' && user === 'slope'));
  assert.deepEqual(rows[1]?.tokens, { input: 126, cacheWrite: 6112, cacheRead: 11964, output: 450, total: 18652 });
});

test('live cost: chargedCents, then totalCents, then usageBasedCosts; the first that is there', () => {
  const cases: readonly (readonly [fields: Record<string, unknown>, cents: number, list: number, display: string])[] = [
    [{ chargedCents: 8, tokenUsage: { totalCents: 18.168 }, usageBasedCosts: '$9.00' }, 8, 8, '$9.00'],
    [{ chargedCents: '12.5', usageBasedCosts: '-' }, 13, 12.5, '-'],
    [{ chargedCents: null, tokenUsage: { totalCents: 18.168 } }, 18, 18.168, '$0.18'],
    [{ chargedCents: Number.NaN, tokenUsage: {}, usageBasedCosts: '$1,234.56' }, 123456, 123456, '$1,234.56'],
    [{ chargedCents: 0, tokenUsage: { totalCents: 18 } }, 0, 0, '$0.00'],
    [{ usageBasedCosts: '-$0.25' }, -25, -25, '-$0.25'],
    [{ usageBasedCosts: 0.12 }, 12, 12, '$0.12'],
    [{ usageBasedCosts: '-' }, 0, 0, '-'],
    [{ usageBasedCosts: 'Included' }, 0, 0, 'Included'],
    [{ chargedCents: -0.4 }, 0, -0.4, '$0.00'],
    [{ chargedCents: 123.5 }, 124, 123.5, '$1.24'],
    [{}, 0, 0, '$0.00'],
  ];
  for (const [fields, cents, list, display] of cases) {
    assert.deepEqual(costOf(fields), { cents, list, display }, JSON.stringify(fields));
  }
});

test('kinds lose their prefix, texts of older answers stay', () => {
  assert.equal(plainKind('USAGE_EVENT_KIND_INCLUDED_IN_PRO_PLUS'), 'INCLUDED IN PRO PLUS');
  assert.equal(plainKind('Included in Business'), 'Included in Business');
  assert.equal(plainKind(''), 'unknown');
});

test('an invalid event is skipped without an exception', () => {
  const data = createData();
  const hostile = [undefined, 1, 'x', [], {}, { timestamp: {} }, { timestamp: '1e400' }, { timestamp: `${NOW + 2e8}` }];
  assert.deepEqual(data.setLive('info', hostile, NOW), { events: 0, skipped: 8 });
  const odd = { timestamp: `${NOW}`, model: 7, kind: {}, maxMode: 'yes', tokenUsage: [1], usageBasedCosts: {} };
  assert.deepEqual(data.setLive('info', [odd], NOW), { events: 1, skipped: 0 });
  const [row] = data.table(tableQuery()).rows;
  assert.deepEqual(row && [row.model, row.kind, row.maxMode, row.costCents], ['unknown', 'unknown', false, 0]);
  assert.deepEqual(data.setLive('nobody', [odd], NOW), { events: 0, skipped: 1 });
});

test('rule A.12: an incremental fetch counts overlapping events once, as the newer answer has them', () => {
  const data = createData();
  const at = (minutes: number, cents: number) => ({
    timestamp: NOW - minutes * 60_000,
    model: 'gpt-5',
    chargedCents: cents,
    tokenUsage: { inputTokens: 5 },
  });
  data.setLive('info', [at(10, 1), at(20, 2)], NOW);
  data.addLive('info', [at(5, 4), at(10, 7)], NOW);
  const view = data.view(tableQuery().view);
  assert.deepEqual([view.counts.loaded, view.counts.duplicatesRemoved, view.kpis.costCents], [3, 0, 13]);
  data.clearLive('slope');
  assert.equal(data.view(tableQuery().view).counts.loaded, 3);
  data.clearLive();
  assert.equal(data.view(tableQuery().view).counts.loaded, 0);
});
