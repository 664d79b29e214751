import assert from 'node:assert/strict';
import { test } from 'node:test';
import { alertOf } from '../testing/parts.ts';
import { compareGroupedAlerts, compareGroups } from './alert-group.ts';
import { createLabelSet, labelsJson } from './label-set.ts';

test('alerts of a group are ordered by job, then instance, then all labels; alerts with the label first', () => {
  const ordered: readonly Record<string, string>[] = [
    { job: 'a', instance: '1' },
    { job: 'a', instance: '1', x: '1' },
    { job: 'a', instance: '10' },
    { job: 'a', instance: '2' },
    { job: 'a' },
    { job: 'a', a: '1' },
    { job: 'b', instance: '0' },
    { job: 'é' },
    { job: '\uffee' },
    { job: '😀' },
    { instance: '1', b: '1' },
    { instance: '1', a: '1' },
    { z: '1' },
    { a: '1' },
    { a: '2' },
  ];
  const alerts = ordered.map((labels) => alertOf(labels));
  for (const [i, a] of alerts.entries()) {
    for (const [j, b] of alerts.entries()) {
      const place = `${labelsJson(a.labels)} ${labelsJson(b.labels)}`;
      assert.equal(Math.sign(compareGroupedAlerts(a, b)), Math.sign(i - j), place);
    }
  }
});

test('groups are ordered by their labels, then by their receiver', () => {
  const group = (labels: Record<string, string>, receiver: string) => ({ labels: createLabelSet(labels), receiver });
  const ordered = [
    group({}, 'z'),
    group({ b: '1' }, 'a'),
    group({ a: '1' }, 'a'),
    group({ a: '1' }, 'b'),
    group({ a: '1' }, '\uffee'),
    group({ a: '1' }, '😀'),
    group({ a: '2' }, 'a'),
    group({ a: '1', b: '1' }, 'a'),
  ];
  for (const [i, a] of ordered.entries()) {
    for (const [j, b] of ordered.entries()) assert.equal(Math.sign(compareGroups(a, b)), Math.sign(i - j), `${i} ${j}`);
  }
});
