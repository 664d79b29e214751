import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Alert, AlertGroup, LabelSet } from '../../../src/alerts/contract/wire.ts';
import { ALL_ALERTS } from '../route.ts';
import { listAlerts as listMerged, proposeFilters, sharedLabels, worstGroup } from './list.ts';
import { mergeAlerts } from './model.ts';

interface State {
  readonly silencedBy?: readonly string[];
  readonly inhibitedBy?: readonly string[];
  readonly mutedBy?: readonly string[];
}

function alert(labels: LabelSet, state: State = {}, startsAt = '2026-01-01T00:00:00.000Z'): Alert {
  const { silencedBy = [], inhibitedBy = [], mutedBy = [] } = state;
  const suppressed = silencedBy.length + inhibitedBy.length + mutedBy.length > 0;
  return {
    labels,
    annotations: {},
    fingerprint: JSON.stringify(labels),
    startsAt,
    endsAt: startsAt,
    updatedAt: startsAt,
    receivers: [],
    status: { state: suppressed ? 'suppressed' : 'active', silencedBy, inhibitedBy, mutedBy },
  };
}

const group = (name: string, alerts: readonly Alert[], receiver = 'default'): AlertGroup => ({
  labels: { alertname: name },
  receiver: { name: receiver },
  routeLabels: {},
  alerts,
});

const listAlerts = (groups: readonly AlertGroup[], ...rest: Tail<Parameters<typeof listMerged>>) =>
  listMerged(mergeAlerts(groups), ...rest);
type Tail<List extends readonly unknown[]> = List extends readonly [unknown, ...infer Rest] ? Rest : never;

const names = (groups: readonly { readonly labels: LabelSet }[]) => groups.map(({ labels }) => labels.alertname);

const mixed: readonly AlertGroup[] = [
  group('A', [alert({ alertname: 'A', severity: 'info' }, {}, '2026-01-03T00:00:00Z')]),
  group('B', [alert({ alertname: 'B' }, { silencedBy: ['s'] }, '2026-01-02T00:00:00Z')]),
  group('C', [
    alert({ alertname: 'C', n: '1', severity: 'warning' }),
    alert({ alertname: 'C', n: '2', severity: 'critical' }, { inhibitedBy: ['i'] }),
    alert({ alertname: 'C', n: '3', severity: 'critical' }),
  ]),
  group('D', [alert({ alertname: 'D' }, { silencedBy: ['s'], inhibitedBy: ['i'] })]),
  group('E', [alert({ alertname: 'E' }, { mutedBy: ['nights'] })]),
];

const selections: readonly [flags: Partial<typeof ALL_ALERTS>, shown: number, groups: readonly string[]][] = [
  [{}, 3, ['A', 'C']],
  [{ silenced: true }, 4, ['A', 'B', 'C']],
  [{ inhibited: true }, 4, ['A', 'C']],
  [{ silenced: true, inhibited: true }, 6, ['A', 'B', 'C', 'D']],
  [{ muted: true }, 4, ['A', 'C', 'E']],
  [{ active: false }, 0, []],
  [{ active: false, silenced: true }, 1, ['B']],
];

for (const [flags, shown, groups] of selections) {
  test(`${JSON.stringify(flags)} shows ${shown} alerts`, () => {
    const list = listAlerts(mixed, { ...ALL_ALERTS, ...flags }, 'labels');
    assert.equal(list.shown, shown);
    assert.deepEqual(names(list.groups), groups);
    assert.equal(list.total, 7);
    assert.deepEqual(list.states, { active: 3, silenced: 2, inhibited: 2, muted: 1 });
  });
}

test('a group lists all its receivers instead of repeating its alerts for each', () => {
  const [one, other] = [alert({ alertname: 'A', n: '1' }), alert({ alertname: 'A', n: '2' })];
  const list = listAlerts([group('A', [one, other], 'db-team'), group('A', [one], 'pager')], ALL_ALERTS, 'labels');
  assert.equal(list.shown, 2);
  assert.deepEqual(
    list.groups.map(({ receivers, alerts }) => [receivers, alerts.length]),
    [[['db-team', 'pager'], 2]],
  );
});

test('an alert that its receivers group differently stands in the largest of its groups', () => {
  const [one, other] = [alert({ alertname: 'A', n: '1' }), alert({ alertname: 'A', n: '2' })];
  const single = { ...group('A', [one], 'pager'), labels: { alertname: 'A', n: '1' } };
  const list = listAlerts([single, group('A', [one, other], 'db-team')], ALL_ALERTS, 'labels');
  assert.deepEqual(
    list.groups.map(({ labels, receivers, alerts }) => [labels, receivers, alerts.length]),
    [[{ alertname: 'A' }, ['pager', 'db-team'], 2]],
  );
});

test('82 alerts of which 23 are muted for one of two receivers count as 82 active ones', () => {
  const some = (first: number, count: number, state: State = {}) =>
    Array.from({ length: count }, (_, n) => alert({ alertname: 'A', n: String(first + n) }, state));
  const night = { mutedBy: ['nights'] };
  const groups = [group('A', [...some(0, 23, night), ...some(23, 59)], 'db-team'), group('A', some(0, 82), 'pager')];
  const list = listAlerts(groups, ALL_ALERTS, 'severity');
  assert.equal(list.shown, 82);
  assert.deepEqual(list.states, { active: 82, silenced: 0, inhibited: 0, muted: 0 });
});

test('only alerts that match are shown, and all are counted by their states', () => {
  const list = listMerged(mergeAlerts(mixed), ALL_ALERTS, 'labels', ({ labels }) => labels.n === '1');
  assert.deepEqual([list.shown, list.total, list.states.active], [1, 7, 3]);
});

test('the worst group is the first in severity, then the one with most such alerts', () => {
  const many = (name: string, severity: string, count: number) =>
    group(
      name,
      Array.from({ length: count }, (_, n) => alert({ alertname: name, severity, n: String(n) })),
    );
  const groups = [many('A', 'warning', 9), many('B', 'critical', 1), many('C', 'critical', 3), many('D', 'info', 20)];
  for (const order of ['severity', 'newest', 'labels'] as const) {
    assert.equal(worstGroup(listAlerts(groups, ALL_ALERTS, order).groups)?.labels.alertname, 'C');
  }
  assert.equal(worstGroup([]), undefined);
});

test('the key of a group does not depend on the order of its labels or on what else there is', () => {
  const one = { ...group('A', [alert({ a: '1' })]), labels: { x: '1', y: '2' } };
  const other = { ...one, labels: { y: '2', x: '1' } };
  const keyOf = (groups: readonly AlertGroup[]) => listAlerts(groups, ALL_ALERTS, 'labels').groups.at(-1)?.key;
  assert.equal(keyOf([one]), keyOf([...mixed, other]));
});

test('the worst severity is first, among groups and within one', () => {
  const list = listAlerts(mixed, { ...ALL_ALERTS, silenced: true }, 'severity');
  assert.deepEqual(names(list.groups), ['C', 'A', 'B']);
  assert.deepEqual(
    list.groups[0]?.alerts.map(({ labels }) => labels.n),
    ['3', '1'],
  );
});

test('the newest alert is first in the order by time', () => {
  const list = listAlerts(mixed, { ...ALL_ALERTS, silenced: true }, 'newest');
  assert.deepEqual(names(list.groups), ['A', 'B', 'C']);
});

test('severities are counted, the worst first', () => {
  assert.deepEqual(listAlerts(mixed, { ...ALL_ALERTS, silenced: true }, 'labels').severities, [
    { severity: 'critical', count: 1 },
    { severity: 'warning', count: 1 },
    { severity: 'info', count: 1 },
    { severity: '', count: 1 },
  ]);
});

test('labels are shared when all of several alerts have them', () => {
  const two = [
    alert({ a: '1', b: '1', c: '1', constructor: 'x' }),
    alert({ a: '1', b: '2', c: '1', constructor: 'x' }),
  ];
  assert.deepEqual(sharedLabels(two, { c: '1' }), { a: '1', constructor: 'x' });
  assert.deepEqual(sharedLabels(two.slice(0, 1), {}), {});
  assert.deepEqual(sharedLabels([], {}), {});
});

test('the most frequent label pairs are proposed first', () => {
  const alerts = [alert({ a: '1', b: '1' }), alert({ a: '2', b: '1' }), alert({ a: '2', b: '1' })];
  assert.deepEqual(
    proposeFilters(alerts, (name, value) => `${name}=${value}`),
    ['b=1', 'a=2', 'a=1'],
  );
});

test('ten thousand alerts in one group do not break the limits of the language', () => {
  const many = Array.from({ length: 50_000 }, (_, n) => alert({ n: String(n), severity: 'info' }));
  for (const order of ['severity', 'newest'] as const) {
    assert.equal(listAlerts([group('A', many)], ALL_ALERTS, order).shown, 50_000);
  }
});
