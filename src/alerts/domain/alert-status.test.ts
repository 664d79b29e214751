import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ACTIVE, type AlertStatus, isSelected, type StateSelection, statusOf } from './alert-status.ts';

const ALL: StateSelection = { active: true, silenced: true, inhibited: true, unprocessed: true };

test('an alert is active until anything suppresses it', () => {
  assert.equal(statusOf(), ACTIVE);
  assert.equal(statusOf([], [], []), ACTIVE);
  assert.deepEqual(ACTIVE, { state: 'active', silencedBy: [], inhibitedBy: [], mutedBy: [] });
  assert.deepEqual(statusOf(['s']), { state: 'suppressed', silencedBy: ['s'], inhibitedBy: [], mutedBy: [] });
  assert.deepEqual(statusOf([], ['f']), { state: 'suppressed', silencedBy: [], inhibitedBy: ['f'], mutedBy: [] });
  assert.deepEqual(statusOf([], [], ['m']), { state: 'suppressed', silencedBy: [], inhibitedBy: [], mutedBy: ['m'] });
});

test('an excluded state leaves out exactly the alerts in it', () => {
  const statuses: Readonly<Record<string, AlertStatus>> = {
    active: ACTIVE,
    silenced: statusOf(['s']),
    inhibited: statusOf([], ['f']),
    both: statusOf(['s'], ['f']),
    muted: statusOf([], [], ['m']),
    unprocessed: { ...ACTIVE, state: 'unprocessed' },
  };
  const cases: readonly (readonly [Partial<StateSelection>, leftOut: readonly string[]])[] = [
    [{}, []],
    [{ active: false }, ['active']],
    [{ silenced: false }, ['silenced', 'both']],
    [{ inhibited: false }, ['inhibited', 'both']],
    [{ unprocessed: false }, ['unprocessed']],
    [{ active: false, silenced: false, inhibited: false }, ['active', 'silenced', 'inhibited', 'both']],
  ];
  for (const [unwanted, leftOut] of cases) {
    const selection = { ...ALL, ...unwanted };
    const missing = Object.keys(statuses).filter((name) => !isSelected(statuses[name] as AlertStatus, selection));
    assert.deepEqual(missing, leftOut, JSON.stringify(unwanted));
  }
});
