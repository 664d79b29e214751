import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createData, csvOf, csvRow, inventRows, loadCsv, NOW, tableQuery, viewQuery } from '../testdata/usage.ts';
import type { UsageData } from '../usage-data.ts';

const AT = '2026-06-01T10:00:00.123Z';

function live(at: string, cents: number, tokens = 10, model = 'gpt-5') {
  return { timestamp: `${Date.parse(at)}`, model, chargedCents: cents, tokenUsage: { inputTokens: tokens } };
}

function rowsOf(data: UsageData, source: 'csv' | 'live' | 'merge') {
  return data.table(tableQuery({}, { source })).rows.map((row) => [row.source, row.user, row.costCents]);
}

test('rule A.1: each source shows its own events, merge both, and of equal events the CSV’s stays', () => {
  const data = createData();
  data.setLive('info', [live(AT, 8), live('2026-06-01T11:00:00.000Z', 2)], NOW);
  loadCsv(data, csvOf(csvRow(AT, 5), csvRow('2026-06-01T09:00:00.001Z', 1)));
  assert.deepEqual(rowsOf(data, 'live'), [
    ['api', 'info', 2],
    ['api', 'info', 8],
  ]);
  assert.deepEqual(rowsOf(data, 'csv'), [
    ['csv', 'info', 5],
    ['csv', 'info', 1],
  ]);
  assert.deepEqual(rowsOf(data, 'merge'), [
    ['api', 'info', 2],
    ['csv', 'info', 5],
    ['csv', 'info', 1],
  ]);
  const { counts } = data.view(viewQuery({ source: 'merge' }));
  assert.deepEqual([counts.loaded, counts.duplicatesRemoved, counts.bySource], [3, 1, { csv: 2, live: 1 }]);
});

test('rule A.1: the key is user, instant, model, total and output tokens; cost and kind are not in it', () => {
  const data = createData();
  loadCsv(data, csvOf(csvRow(AT, 5, 10, 'default')), { name: 'a.csv' });
  const twins = [csvRow(AT, 9, 10, 'Auto'), csvRow(AT, undefined, 10, 'AUTO')];
  loadCsv(data, csvOf(...twins), { name: 'b.csv' });
  assert.deepEqual(rowsOf(data, 'csv'), [['csv', 'info', 0]], 'the later entry replaces the earlier');
  const others = [csvRow(AT, 1, 11), csvRow('2026-06-01T10:00:00.124Z', 1), csvRow(AT, 1, 10, 'gpt-4')];
  loadCsv(data, csvOf(...others), { name: 'c.csv' });
  loadCsv(data, csvOf(csvRow(AT, 3, 10, 'auto')), { name: 'd.csv', user: 'slope' });
  assert.equal(data.view(viewQuery()).counts.loaded, 5);
  const output = `${AT},On-Demand,auto,No,0,9,0,1,10,0.01`;
  loadCsv(data, csvOf(output), { name: 'e.csv' });
  assert.equal(data.view(viewQuery()).counts.loaded, 6);
});

test('an export that knows whole seconds replaces one live event of that second that equals it otherwise', () => {
  const data = createData();
  data.setLive('info', [live('2026-06-01T10:00:00.300Z', 8), live('2026-06-01T10:00:00.900Z', 8)], NOW);
  loadCsv(data, csvOf(csvRow('2026-06-01T10:00:00Z', 5), csvRow('2026-06-01T09:00:00Z', 5)));
  assert.deepEqual(rowsOf(data, 'merge').length, 3);
  assert.equal(data.view(viewQuery()).counts.duplicatesRemoved, 1);
  // One with milliseconds elsewhere is no such export: its whole second is an accident.
  loadCsv(data, csvOf(csvRow('2026-06-01T08:00:00.001Z', 5), csvRow('2026-06-01T10:00:00.900Z', 5)), { name: 'b.csv' });
  assert.equal(data.view(viewQuery()).counts.duplicatesRemoved, 2);
});

test('property: dedupe is idempotent, for any overlaps of files', () => {
  const rows = inventRows(500, Date.parse('2026-05-01'), Date.parse('2026-06-01'));
  const data = createData();
  loadCsv(data, csvOf(...rows), { name: 'all.csv' });
  const once = data.view(viewQuery());
  assert.equal(once.counts.loaded, 500);
  loadCsv(data, csvOf(...rows.slice(100, 300)), { name: 'part.csv' });
  loadCsv(data, csvOf(...rows.slice(250), ...rows.slice(0, 50)), { name: 'other-part.csv' });
  const again = data.view(viewQuery());
  assert.deepEqual(again.kpis, once.kpis);
  assert.equal(again.counts.duplicatesRemoved, 500);
  const ids = data.files.map(({ fileId }) => fileId);
  data.removeFile(ids[0] ?? 0);
  assert.equal(data.view(viewQuery()).counts.loaded, 450);
  data.removeFile(ids[1] ?? 0);
  assert.equal(data.view(viewQuery()).counts.loaded, 300);
});

test('removing a file leaves the others unchanged, also if a larger one was loaded later', () => {
  const data = createData();
  data.setLive('slope', [live(AT, 70)], NOW);
  loadCsv(data, csvOf(csvRow(AT, 1)), { name: 'small.csv' });
  const many = inventRows(100, Date.parse('2026-05-01'), Date.parse('2026-06-01'));
  const large = loadCsv(data, csvOf(...many), { name: 'large.csv' });
  loadCsv(data, csvOf(csvRow('2026-06-02T00:00:00.001Z', 2)), { name: 'last.csv' });
  assert.equal(data.view(viewQuery()).counts.loaded, 103);
  data.removeFile(large.fileId ?? 0);
  assert.deepEqual(rowsOf(data, 'merge'), [
    ['csv', 'info', 2],
    ['api', 'slope', 70],
    ['csv', 'info', 1],
  ]);
  data.clear();
  assert.deepEqual(rowsOf(data, 'merge'), []);
});
