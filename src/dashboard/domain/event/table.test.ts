import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { TableQuery } from '../table-page.ts';
import { createData, csvOf, csvRow, inventRows, loadCsv, marker, tableQuery, viewQuery } from '../testdata/usage.ts';

const day = (time: string) => `2026-06-01T${time}:00.000Z`;

function fill() {
  const data = createData();
  loadCsv(
    data,
    csvOf(
      csvRow(day('10:00'), 49, 30, 'gpt-5', 'Yes'),
      csvRow(day('11:00'), 50, 20, 'gpt-5'),
      csvRow(day('12:00'), 51, 10, 'auto', 'Yes'),
      csvRow(day('13:00'), undefined, 40, 'auto'),
    ),
  );
  data.setMarkers([
    marker('a', day('10:30'), day('11:30'), { project: 'web' }),
    marker('b', day('12:30'), day('13:30'), { project: 'api' }),
  ]);
  const hours = (changes: Partial<TableQuery>) =>
    data.table(tableQuery(changes)).rows.map(({ at }) => new Date(at).getUTCHours());
  return { data, hours };
}

test('rule A.6 and limits: individual requests are sorted newest first, fifty a page', () => {
  const data = createData();
  loadCsv(data, csvOf(...inventRows(120, Date.parse('2026-05-01'), Date.parse('2026-06-01'))));
  const page = (number: number) => data.table(tableQuery({ page: number }));
  assert.deepEqual([page(1).rows.length, page(3).rows.length, page(1).pages, page(1).total], [50, 20, 3, 120]);
  const all = [1, 2, 3].flatMap((number) => page(number).rows.map(({ at }) => at));
  assert.deepEqual(
    all,
    [...all].sort((a, b) => b - a),
  );
  assert.deepEqual([page(9).page, page(0).page, page(Number.NaN).page], [3, 1, 1]);
  const empty = createData().table(tableQuery());
  assert.deepEqual([empty.page, empty.pages, empty.total, empty.rows], [1, 1, 0, []]);
});

test('pages, filters and orders follow each other, the markers and the data', () => {
  const { hours, data } = fill();
  const byCost = { sort: { by: 'cost', descending: true } } as const;
  assert.deepEqual(hours(byCost), [12, 11, 10, 13]);
  assert.deepEqual(hours({ ...byCost, maxMode: 'yes' }), [12, 10]);
  assert.deepEqual(hours({ ...byCost, page: 2 }), [12, 11, 10, 13]);
  assert.deepEqual(hours({ sort: { by: 'cost', descending: false } }), [13, 10, 11, 12]);
  assert.deepEqual(hours({ project: { name: 'web' } }), [11]);
  data.setMarkers([marker('c', day('12:30'), day('13:30'), { project: 'web' })]);
  assert.deepEqual(hours({ project: { name: 'web' } }), [13]);
  loadCsv(data, csvOf(csvRow(day('12:45'), 99, 5, 'auto', 'Yes')), { name: 'more.csv' });
  assert.deepEqual(hours({ project: { name: 'web' } }), [13, 12]);
  assert.deepEqual(hours({ ...byCost, maxMode: 'yes' }), [12, 12, 10]);
  assert.deepEqual(hours({ ...byCost, view: viewQuery({ selection: { mode: 'count', count: 10 } }) }).length, 5);
});

test('rule A.6: the minimum cost keeps events with at least that many cents', () => {
  const { hours } = fill();
  assert.deepEqual(hours({ minCents: 50 }), [12, 11]);
  assert.deepEqual(hours({ minCents: 0 }), [13, 12, 11, 10]);
});

test('rule A.6: project, max mode, model and kind filters hold together', () => {
  const { hours, data } = fill();
  assert.deepEqual(hours({ maxMode: 'yes' }), [12, 10]);
  assert.deepEqual(hours({ maxMode: 'no' }), [13, 11]);
  assert.deepEqual(hours({ project: { name: 'web' } }), [11]);
  assert.deepEqual(hours({ project: 'unmarked' }), [12, 10]);
  assert.deepEqual(hours({ project: { name: 'nowhere' } }), []);
  assert.deepEqual(hours({ model: 'auto', kind: 'Included' }), [13]);
  assert.deepEqual(hours({ model: 'auto', maxMode: 'yes', minCents: 52 }), []);
  const { models, kinds, projects } = data.table(tableQuery({ minCents: 1000 }));
  assert.deepEqual(
    [models, kinds, projects],
    [
      ['auto', 'gpt-5'],
      ['Included', 'On-Demand'],
      ['api', 'web'],
    ],
  );
});

test('a row names its marker’s project and task, and included events keep their text', () => {
  const { data } = fill();
  const rows = data
    .table(tableQuery())
    .rows.map(({ markerId, project, costDisplay, isIncluded }) => [markerId, project, costDisplay, isIncluded]);
  assert.deepEqual(rows, [
    ['b', 'api', 'Included', true],
    [undefined, undefined, '0.51', false],
    ['a', 'web', '0.50', false],
    [undefined, undefined, '0.49', false],
  ]);
});

test('rows are sorted by any column; equal rows stay newest first', () => {
  const { hours } = fill();
  const sorted = (by: TableQuery['sort']['by'], descending: boolean) => hours({ sort: { by, descending } });
  assert.deepEqual(sorted('time', false), [10, 11, 12, 13]);
  assert.deepEqual(sorted('cost', true), [12, 11, 10, 13]);
  assert.deepEqual(sorted('cost', false), [13, 10, 11, 12]);
  assert.deepEqual(sorted('tokens', true), [13, 10, 11, 12]);
  assert.deepEqual(sorted('model', false), [13, 12, 11, 10]);
  assert.deepEqual(sorted('model', true), [11, 10, 13, 12]);
  assert.deepEqual(sorted('project', false), [13, 11, 12, 10]);
  assert.deepEqual(sorted('user', false), [13, 12, 11, 10]);
});
