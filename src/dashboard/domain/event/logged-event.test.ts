import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createData, csvOf, csvRow, loadCsv, marker, NOW, tableQuery, viewQuery } from '../testdata/usage.ts';

const AT = '2026-06-01T10:00:00.123Z';

/** One of an assistant's log; `cents` undefined: its model has no price. */
function logged(at: string, project: string, cents?: number, tokens = 10) {
  const usage = { inputTokens: tokens };
  const cost = cents === undefined ? {} : { chargedCents: cents };
  return { timestamp: `${Date.parse(at)}`, model: 'm', project, isEstimated: true, tokenUsage: usage, ...cost };
}

test('estimates keep fractions of a cent; without a price there is no cost, and nothing is included', () => {
  const data = createData();
  data.setLive('info', [logged(AT, '', 0.4), logged(AT, '', 0.4), logged(AT, '')], NOW);
  const { kpis, counts } = data.view(viewQuery());
  assert.equal(kpis.costCents, 0.8);
  assert.deepEqual([counts.selected, counts.estimated, counts.included], [3, 3, 0]);
  assert.equal(data.view(viewQuery({ costBasis: 'list' })).kpis.costCents, 0.8);
  assert.equal(data.view(viewQuery({ costBasis: 'billed' })).kpis.costCents, 0, 'nobody was billed for them');
  const shown = data.table(tableQuery()).rows.map(({ costDisplay, isChargeable }) => [costDisplay, isChargeable]);
  assert.deepEqual(shown, [
    ['$0.0040', true],
    ['$0.0040', true],
    ['–', false],
  ]);
});

test('requests of logs never equal each other, but an export of one replaces it', () => {
  const data = createData();
  data.setLive('info', [logged(AT, 'web', 5), logged(AT, 'web', 5)], NOW);
  assert.equal(data.view(viewQuery()).counts.loaded, 2);
  loadCsv(data, csvOf(csvRow(AT, 5, 10, 'm')));
  assert.deepEqual(data.view(viewQuery()).counts.bySource, { csv: 1, live: 1 });
});

test('what is written anew from an instant on replaces what was there', () => {
  const data = createData();
  const [early, later] = ['2026-06-01T09:00:00.000Z', '2026-06-01T11:00:00.000Z'];
  data.setLive('info', [logged(later, 'web', 5), logged(early, 'web', 1)], NOW);
  data.setLive('slope', [logged(later, 'web', 30)], NOW);
  data.addLive('info', [logged(later, 'shop', 7)], NOW, Date.parse(later));
  assert.equal(data.view(viewQuery()).kpis.costCents, 38);
  assert.equal(data.liveCount('info'), 2);
  assert.deepEqual(data.view(viewQuery({ user: 'info' })).projects, ['shop', 'web']);
});

test('a project is that of the marker, else of the log: as a filter, in the groups and in the table', () => {
  const data = createData();
  const hours = ['08', '09', '10', '11'].map((hour) => `2026-06-01T${hour}:00:00.000Z`);
  const [a = '', b = '', c = '', d = ''] = hours;
  data.setLive('info', [logged(a, 'web', 1), logged(b, 'shop', 2), logged(c, 'web', 4), logged(d, '', 8)], NOW);
  data.setMarkers([marker('m', c, d, { project: 'deck' })]);
  const groups = data.view(viewQuery()).markerByProject.map(({ name, kind, cost }) => [name, kind, cost]);
  assert.deepEqual(groups, [
    ['deck', 'named', 4],
    ['shop', 'named', 2],
    ['web', 'named', 1],
    ['', 'unmarked', 8],
  ]);
  const categories = data.view(viewQuery()).markerByCategory.map(({ kind, cost }) => [kind, cost]);
  assert.deepEqual(categories, [
    ['nameless', 4],
    ['unmarked', 11],
  ]);
  for (const [project, cost] of [
    ['web', 1],
    ['deck', 4],
    ['nothing', 0],
  ] as const) {
    const view = data.view(viewQuery({ project }));
    assert.deepEqual([view.kpis.costCents, view.counts.ofUser], [cost, cost === 0 ? 0 : 1]);
    assert.equal(data.table(tableQuery({}, { project })).total, cost === 0 ? 0 : 1);
    assert.equal(data.table(tableQuery({ project: { name: project } })).total, cost === 0 ? 0 : 1);
  }
  assert.deepEqual(data.view(viewQuery({ project: 'web' })).projects, ['shop', 'web'], 'all can still be chosen');
  const page = data.table(tableQuery({ sort: { by: 'project', descending: false } }));
  assert.deepEqual(
    page.rows.map(({ project }) => project),
    ['deck', 'shop', 'web', undefined],
  );
  assert.deepEqual(page.projects, ['deck', 'shop', 'web']);
});

test('without logs there are no projects to filter by', () => {
  const data = createData();
  loadCsv(data, csvOf(csvRow(AT, 5)));
  const { projects, counts } = data.view(viewQuery());
  assert.deepEqual([projects, counts.estimated], [[], 0]);
});
