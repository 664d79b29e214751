import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Random } from '../../testing/random.ts';
import { createLabelSet, labelsJson } from '../domain/label-set.ts';
import { RouteTree } from '../domain/route.ts';
import { matcherOf, routeSettings, slotOf } from '../testing/parts.ts';
import { AlertGroups } from './groups.ts';
import type { AlertSlot } from './slot.ts';

const onDatabase = [matcherOf('job', '=', 'db')];

/** Alerts of the database go two ways, all others one. */
const TREE = new RouteTree(
  routeSettings({
    receiver: 'root',
    groupBy: ['alertname'],
    routes: [
      routeSettings({ receiver: 'dba', groupBy: 'all', matchers: onDatabase, continue: true }),
      routeSettings({ receiver: 'audit', matchers: onDatabase }),
    ],
  }),
);

const printed = (groups: AlertGroups) =>
  groups
    .sorted()
    .map((group) => [group.key, group.receiver, group.sorted().map(({ alert }) => labelsJson(alert.labels))]);

/** Takes an alert out of all its groups. */
function releaseAll(groups: AlertGroups, slot: AlertSlot): void {
  for (const group of [...(slot.membership?.groups ?? [])]) if (group) groups.release(group, slot);
}

/** The events of a listener, in order. */
function listen(groups: AlertGroups): string[] {
  const heard: string[] = [];
  groups.listen({
    created: (group, { alert }) => heard.push(`+${group.id} ${labelsJson(alert.labels)}`),
    removed: (group) => heard.push(`-${group.id}`),
  });
  return heard;
}

test('an alert is in one group of each matching route', () => {
  const groups = new AlertGroups(TREE);
  groups.put(slotOf({ alertname: 'Up', job: 'node', instance: '2' }));
  groups.put(slotOf({ alertname: 'Up', job: 'node', instance: '10' }));
  groups.put(slotOf({ alertname: 'Up', job: 'db' }));
  groups.put(slotOf({ job: 'api' }));
  assert.deepEqual(printed(groups), [
    ['{}/{job="db"}:{}', 'audit', ['{"alertname":"Up","job":"db"}']],
    ['{}:{}', 'root', ['{"job":"api"}']],
    [
      '{}:{alertname="Up"}',
      'root',
      ['{"alertname":"Up","instance":"10","job":"node"}', '{"alertname":"Up","instance":"2","job":"node"}'],
    ],
    ['{}/{job="db"}:{alertname="Up", job="db"}', 'dba', ['{"alertname":"Up","job":"db"}']],
  ]);
  assert.equal(groups.size, 4);
  assert.equal(groups.routesOf(createLabelSet({ job: 'db' })), TREE.match(createLabelSet({ job: 'db' })));
});

test('a group is removed with its last alert, and created again with a new one', () => {
  const groups = new AlertGroups(TREE);
  const heard = listen(groups);
  const [first, second] = [slotOf({ alertname: 'A', x: '1' }), slotOf({ alertname: 'A', x: '2' })];
  groups.put(first);
  groups.put(second);
  assert.equal(groups.sorted()[0]?.size, 2);
  releaseAll(groups, first);
  assert.deepEqual(printed(groups), [['{}:{alertname="A"}', 'root', ['{"alertname":"A","x":"2"}']]]);
  releaseAll(groups, second);
  releaseAll(groups, second);
  assert.deepEqual(groups.sorted(), []);
  groups.put(first);
  assert.deepEqual(printed(groups), [['{}:{alertname="A"}', 'root', ['{"alertname":"A","x":"1"}']]]);
  assert.deepEqual(heard, [
    '+{}:{alertname="A"} {"alertname":"A","x":"1"}',
    '-{}:{alertname="A"}',
    '+{}:{alertname="A"} {"alertname":"A","x":"1"}',
  ]);
});

test('an alert that changes but for its labels stays in its place', () => {
  const groups = new AlertGroups(TREE);
  const slot = slotOf({ alertname: 'A' });
  groups.put(slot);
  const [group] = groups.sorted();
  const before = group?.sorted();
  const version = group?.version ?? 0;
  slot.alert = { ...slot.alert, endsAt: 7 };
  groups.put(slot);
  assert.equal(group?.sorted(), before);
  assert.equal(before?.[0]?.alert.endsAt, 7);
  assert.ok((group?.version ?? 0) > version, 'the group has a new version');
});

test('an alert is settled when the last of its groups has removed it, until it is posted again', () => {
  const groups = new AlertGroups(TREE);
  const slot = slotOf({ alertname: 'A', job: 'db' });
  groups.put(slot);
  const [first, second] = slot.membership?.groups ?? [];
  assert.ok(first && second);
  groups.release(first, slot);
  assert.equal(slot.isSettled, false);
  assert.deepEqual(
    groups.sorted().map(({ receiver }) => receiver),
    ['audit'],
  );
  groups.put(slot);
  assert.equal(groups.size, 2, 'it comes back where it was let go, and stays where it is held');
  assert.equal(slot.membership?.groups[1], second);
  releaseAll(groups, slot);
  assert.equal(slot.isSettled, true);
  groups.put(slot);
  assert.equal(slot.isSettled, false);
});

test('another configuration puts every unsettled alert into new groups', () => {
  const groups = new AlertGroups(TREE);
  const settled = slotOf({ alertname: 'C' });
  const slots = [slotOf({ alertname: 'A', job: 'db' }), slotOf({ alertname: 'B' }), settled];
  for (const slot of slots) groups.put(slot);
  releaseAll(groups, settled);
  const old = groups.sorted();
  const heard = listen(groups);
  groups.reroute(new RouteTree(routeSettings({ receiver: 'audit' })), slots);
  assert.deepEqual(printed(groups), [['{}:{}', 'audit', ['{"alertname":"A","job":"db"}', '{"alertname":"B"}']]]);
  assert.deepEqual(heard.slice(0, -1).sort(), old.map(({ id }) => `-${id}`).sort());
  assert.equal(heard.at(-1), '+{}:{} {"alertname":"A","job":"db"}');
  for (const slot of slots) releaseAll(groups, slot);
  assert.deepEqual(groups.sorted(), []);
});

test('a group from before a reload releases its alerts without a change of the new groups', () => {
  const groups = new AlertGroups(TREE);
  const slot = slotOf({ alertname: 'A' });
  groups.put(slot);
  const [old] = groups.sorted();
  assert.ok(old);
  groups.reroute(new RouteTree(routeSettings({ groupBy: ['alertname'] })), [slot]);
  groups.release(old, slot);
  assert.equal(slot.isSettled, false);
  assert.deepEqual(printed(groups), [['{}:{alertname="A"}', 'default', ['{"alertname":"A"}']]]);
});

test('a group is found by the labels of any alert that would be in it', () => {
  const groups = new AlertGroups(TREE);
  groups.put(slotOf({ alertname: 'A', job: 'node' }));
  const find = (labels: Record<string, string>) => groups.find(TREE.root, createLabelSet(labels))?.key;
  assert.equal(find({ alertname: 'A', job: 'other' }), '{}:{alertname="A"}');
  assert.equal(find({ alertname: 'B' }), undefined);
});

test('the groups are those of the stored alerts, after any changes', () => {
  const groups = new AlertGroups(TREE);
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
      releaseAll(groups, known);
    } else {
      held.set(slot.alert.fingerprint, slot);
      groups.put(slot);
    }
    const expected = new AlertGroups(TREE);
    for (const { alert } of held.values()) expected.put({ ...slotOf({ any: 'x' }), alert });
    assert.deepEqual(printed(groups), printed(expected));
    assert.equal(groups.size, groups.sorted().length);
  }
});
