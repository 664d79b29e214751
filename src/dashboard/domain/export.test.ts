import assert from 'node:assert/strict';
import { test } from 'node:test';
import { csvCell } from './export.ts';
import { createData, csvOf, csvRow, inventRows, loadCsv, marker, NOW, viewQuery } from './testdata/usage.ts';

test('cells with a formula are made harmless, and quoted if needed', () => {
  const cases: readonly (readonly [text: string, cell: string])[] = [
    ['=1+1', "'=1+1"],
    ['+1', "'+1"],
    ['@sum', "'@sum"],
    ['-cmd|x', "'-cmd|x"],
    ['-1+2', "'-1+2"],
    ['\t=1', '"\'\t=1"'],
    ['-', '-'],
    ['-$0.25', '-$0.25'],
    ['a,b', '"a,b"'],
    ['say "x"', '"say ""x"""'],
    ['two\nlines', '"two\nlines"'],
    [' space', '" space"'],
    ['plain', 'plain'],
    ['', ''],
  ];
  for (const [text, cell] of cases) assert.equal(csvCell(text), cell, text);
});

test('property: an exported CSV, read again, gives the same numbers', () => {
  const data = createData();
  loadCsv(data, csvOf(...inventRows(300, Date.parse('2026-05-01'), Date.parse('2026-06-01'))));
  loadCsv(data, csvOf(...inventRows(50, Date.parse('2026-05-01'), Date.parse('2026-06-01'), 9)), {
    name: 'b.csv',
    user: 'slope',
  });
  const copy = createData();
  assert.equal(loadCsv(copy, data.exportCsv(viewQuery()).join('')).skipped, 0);
  const [own, copied] = [data.view(viewQuery()), copy.view(viewQuery())];
  assert.deepEqual([copied.kpis, copied.daily, copied.models], [own.kpis, own.daily, own.models]);
});

test('an exported CSV has the columns of the sources, the project and the task, and only the selection', () => {
  const data = createData();
  loadCsv(data, csvOf(csvRow('2026-06-01T10:00:00.001Z', 5), csvRow('2026-06-02T10:00:00.001Z', undefined)));
  data.setMarkers([marker('a', '2026-06-02T00:00:00Z', null, { project: '=web', task: 'Feature: a, b' })]);
  const selection = { mode: 'hours', hours: 1 } as const;
  assert.equal(
    data.exportCsv(viewQuery({ selection })).join(''),
    'Date,User,Kind,Model,Max Mode,Input (w/ Cache Write),Input (w/o Cache Write),Cache Read,Output Tokens,Total Tokens,Cost,Project,Task\r\n' +
      '2026-06-02T10:00:00.001Z,info,Included,gpt-5,No,0,10,0,0,10,Included,\'=web,"Feature: a, b"\r\n',
  );
});

test('an exported JSON holds when, what for, the events and the markers', () => {
  const data = createData();
  loadCsv(data, csvOf(csvRow('2026-06-01T10:00:00.001Z', 5), csvRow('2026-06-02T10:00:00.001Z', 6)));
  const markers = [marker('a', '2026-06-02T00:00:00Z', null)];
  data.setMarkers(markers);
  const document = JSON.parse(data.exportJson(viewQuery()).join(''));
  assert.equal(document.exportedAt, new Date(NOW).toISOString());
  assert.deepEqual([document.filter.source, document.filter.selection], ['merge', { mode: 'all' }]);
  assert.deepEqual(document.markers, markers);
  assert.deepEqual(
    document.events.map((event: Record<string, unknown>) => [
      event.timestamp,
      event.userLabel,
      event.costCents,
      event.project,
    ]),
    [
      ['2026-06-01T10:00:00.001Z', 'info', 5, null],
      ['2026-06-02T10:00:00.001Z', 'info', 6, 'deck'],
    ],
  );
  assert.deepEqual(JSON.parse(createData().exportJson(viewQuery()).join('')).events, []);
});
