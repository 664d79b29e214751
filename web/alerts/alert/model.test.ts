import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Alert, AlertGroup } from '../../../src/alerts/contract/wire.ts';
import { mergeAlerts, mutedReceivers } from './model.ts';

const NIGHT = ['nights'];

function groupOf(receiver: string, mutedBy: readonly string[], silencedBy: readonly string[] = []): AlertGroup {
  const state = mutedBy.length + silencedBy.length > 0 ? 'suppressed' : 'active';
  const at = '2026-01-01T00:00:00Z';
  const alert: Alert = {
    labels: { alertname: 'A' },
    annotations: {},
    fingerprint: 'f',
    startsAt: at,
    endsAt: at,
    updatedAt: at,
    receivers: [{ name: receiver }],
    status: { state, silencedBy, inhibitedBy: [], mutedBy },
  };
  return { labels: { alertname: 'A' }, receiver: { name: receiver }, routeLabels: {}, alerts: [alert] };
}

const merged = (...groups: readonly AlertGroup[]) => {
  const alert = mergeAlerts(groups).get('f');
  assert.ok(alert);
  return alert;
};

test('an alert with two receivers is one entry with both', () => {
  const alert = merged(groupOf('db-team', []), groupOf('pager', []), groupOf('pager', []));
  assert.deepEqual(alert.receivers, [{ name: 'db-team' }, { name: 'pager' }]);
  assert.equal(alert.memberships.length, 3);
});

test('an alert muted for one of two receivers is active', () => {
  for (const groups of [
    [groupOf('db', NIGHT), groupOf('pager', [])],
    [groupOf('pager', []), groupOf('db', NIGHT)],
  ]) {
    const alert = merged(...groups);
    assert.deepEqual([alert.status.state, alert.status.mutedBy], ['active', []]);
    assert.deepEqual(mutedReceivers(alert), ['db']);
  }
});

test('an alert muted for all receivers is muted, by all their intervals', () => {
  const alert = merged(groupOf('db', NIGHT), groupOf('pager', ['weekends', 'nights']));
  assert.deepEqual([alert.status.state, alert.status.mutedBy], ['suppressed', ['nights', 'weekends']]);
  assert.deepEqual(mutedReceivers(alert), []);
});

test('a silenced alert that is muted for one receiver is silenced', () => {
  const alert = merged(groupOf('db', NIGHT, ['s']), groupOf('pager', [], ['s']));
  assert.deepEqual([alert.status.state, alert.status.silencedBy, alert.status.mutedBy], ['suppressed', ['s'], []]);
});
