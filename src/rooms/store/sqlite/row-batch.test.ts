import assert from 'node:assert/strict';
import { test } from 'node:test';
import { RowBatch, tableRows } from './row-batch.ts';

const rowsOf = (values: readonly unknown[]) => Array.from({ length: values.length / 2 }, (_, at) => values[at * 2]);

test('rows go in by few statements, all of them, in their order', () => {
  const batch = new RowBatch(tableRows('pair', '(?, ?)'));
  for (let at = 0; at < 73; at++) batch.add(at, `${at}`);
  assert.equal(batch.length, 73);
  const statements = batch.take();
  assert.deepEqual(
    statements.map(({ values }) => values.length / 2),
    [32, 32, 4, 4, 1],
  );
  for (const { sql, values } of statements) assert.equal(sql.split('?').length - 1, values.length);
  assert.deepEqual(
    statements.flatMap(({ values }) => rowsOf(values)),
    Array.from({ length: 73 }, (_, at) => at),
  );
});

test('taken rows are not inserted again', () => {
  const batch = new RowBatch(tableRows('pair', '(?, ?)'));
  batch.add(1, 'one');
  assert.deepEqual(batch.take(), [{ sql: 'INSERT INTO pair VALUES (?, ?)', values: [1, 'one'] }]);
  assert.deepEqual(batch.take(), []);
});
