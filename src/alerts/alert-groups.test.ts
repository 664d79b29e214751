import assert from 'node:assert/strict';
import { test } from 'node:test';
import { alertOf } from '../testing/alert-parts.ts';
import { Random } from '../testing/random.ts';
import { AlertGroups } from './alert-groups.ts';
import type { AlertSlot } from './alert-slot.ts';
import { createLabelSet, labelsJson, labelValue } from './domain/label-set.ts';
import type { Route, RouteTable } from './domain/route.ts';

const TIMES = { groupWaitMs: 1, groupIntervalMs: 2, repeatIntervalMs: 3 };
const ROOT: Route = { key: '{}', receiver: 'root', groupBy: new Set(['alertname']), ...TIMES };
const DATABASE: Route = { key: '{}/{job="db"}', receiver: 'dba', groupBy: 'all', ...TIMES };
const AUDIT: Route = { key: '{}/{job="db"}/1', receiver: 'audit', groupBy: new Set(), ...TIMES };

const ROOT_ROUTES = [ROOT];
const DATABASE_ROUTES = [DATABASE, AUDIT];
/** Alerts of the database go two ways, all others one. */
const TABLE: RouteTable = (labels) => (labelValue(labels, 'job') === 'db' ? DATABASE_ROUTES : ROOT_ROUTES);

const slotOf = (labels: Record<string, string>): AlertSlot => ({ id: 1, alert: alertOf(labels), hasNewContent: true });

const printed = (groups: AlertGroups) =>
  groups
    .sorted()
    .map((group) => [group.key, group.receiver, group.sorted().map(({ alert }) => labelsJson(alert.labels))]);

test('an alert is in one group of each route that takes it', () => {
  const groups = new AlertGroups(TABLE);
  groups.add(slotOf({ alertname: 'Up', job: 'node', instance: '2' }));
  groups.add(slotOf({ alertname: 'Up', job: 'node', instance: '10' }));
  groups.add(slotOf({ alertname: 'Up', job: 'db' }));
  groups.add(slotOf({ job: 'api' }));
  assert.deepEqual(printed(groups), [
    ['{}/{job="db"}/1:{}', 'audit', ['{"alertname":"Up","job":"db"}']],
    ['{}:{}', 'root', ['{"job":"api"}']],
    [
      '{}:{alertname="Up"}',
      'root',
      ['{"alertname":"Up","instance":"10","job":"node"}', '{"alertname":"Up","instance":"2","job":"node"}'],
    ],
    ['{}/{job="db"}:{alertname="Up", job="db"}', 'dba', ['{"alertname":"Up","job":"db"}']],
  ]);
  assert.equal(groups.routesOf(createLabelSet({ job: 'db' })), DATABASE_ROUTES);
});

test('a group goes with its last alert, and comes again with a new one', () => {
  const groups = new AlertGroups(TABLE);
  const [first, second] = [slotOf({ alertname: 'A', x: '1' }), slotOf({ alertname: 'A', x: '2' })];
  groups.add(first);
  groups.add(second);
  assert.equal(groups.sorted()[0]?.size, 2);
  groups.remove(first);
  assert.deepEqual(printed(groups), [['{}:{alertname="A"}', 'root', ['{"alertname":"A","x":"2"}']]]);
  groups.remove(second);
  groups.remove(second);
  assert.deepEqual(groups.sorted(), []);
  groups.add(first);
  assert.deepEqual(printed(groups), [['{}:{alertname="A"}', 'root', ['{"alertname":"A","x":"1"}']]]);
});

test('an alert that changes but for its labels stays in its place', () => {
  const groups = new AlertGroups(TABLE);
  const slot = slotOf({ alertname: 'A' });
  groups.add(slot);
  const before = groups.sorted()[0]?.sorted();
  slot.alert = { ...slot.alert, endsAt: 7 };
  assert.equal(groups.sorted()[0]?.sorted(), before);
  assert.equal(before?.[0]?.alert.endsAt, 7);
});

test('another configuration puts every alert into other groups', () => {
  const groups = new AlertGroups(TABLE);
  const slots = [slotOf({ alertname: 'A', job: 'db' }), slotOf({ alertname: 'B' })];
  for (const slot of slots) groups.add(slot);
  assert.equal(groups.sorted().length, 3);
  groups.reroute(() => [AUDIT], slots);
  assert.deepEqual(printed(groups), [
    ['{}/{job="db"}/1:{}', 'audit', ['{"alertname":"A","job":"db"}', '{"alertname":"B"}']],
  ]);
  for (const slot of slots) groups.remove(slot);
  assert.deepEqual(groups.sorted(), []);
});

test('the groups are those of the alerts that are held, whatever came and went', () => {
  const groups = new AlertGroups(TABLE);
  const random = new Random(12);
  const held = new Map<string, AlertSlot>();
  for (let round = 0; round < 400; round++) {
    const slot = slotOf({
      alertname: random.pick(['A', 'B', '']),
      job: random.pick(['db', 'node']),
      x: random.pick(['1', '2', '3']),
    });
    const known = held.get(slot.alert.fingerprint);
    if (known) {
      held.delete(slot.alert.fingerprint);
      groups.remove(known);
    } else {
      held.set(slot.alert.fingerprint, slot);
      groups.add(slot);
    }
    const expected = new AlertGroups(TABLE);
    for (const other of held.values()) expected.add(other);
    assert.deepEqual(printed(groups), printed(expected));
  }
});
