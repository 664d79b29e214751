import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createLabelSet, printLabelSet } from './label-set.ts';
import { groupLabels, type Route, routeAllTo } from './route.ts';

const route = (groupBy: Route['groupBy']): Route => ({
  key: '{}',
  receiver: 'default',
  groupBy,
  groupWaitMs: 1,
  groupIntervalMs: 2,
  repeatIntervalMs: 3,
});

test('a group is named by those of its labels by which the route groups', () => {
  const labels = createLabelSet({ alertname: 'DiskFull', job: 'node', severity: 'page' });
  const cases: readonly (readonly [Route['groupBy'], string])[] = [
    ['all', '{alertname="DiskFull", job="node", severity="page"}'],
    [new Set(), '{}'],
    [new Set(['severity', 'alertname']), '{alertname="DiskFull", severity="page"}'],
    [new Set(['cluster']), '{}'],
    [new Set(['cluster', 'job']), '{job="node"}'],
  ];
  for (const [groupBy, expected] of cases) assert.equal(printLabelSet(groupLabels(route(groupBy), labels)), expected);
});

test('a root without children takes every alert, and its routes are one shared array', () => {
  const root = route('all');
  const table = routeAllTo(root);
  assert.deepEqual(table(createLabelSet({ a: 'b' })), [root]);
  assert.equal(table(createLabelSet({})), table(createLabelSet({ c: 'd' })));
});
