import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Readiness } from '../environment.ts';
import type { ConnectionState } from './connection-status.ts';
import { stateOf } from './server-state.ts';

const environment = (state: ConnectionState, readiness: Readiness = 'ready') => ({ readiness, connection: { state } });

test('a relay fails with a refused key or an environment without data; old data degrade it', () => {
  assert.equal(stateOf([environment('VALID'), environment('VALID')], undefined), 'ready');
  assert.equal(stateOf([environment('VALID'), environment('INTERRUPTED')], undefined), 'degraded');
  assert.equal(stateOf([environment('INITIALIZING', 'starting')], undefined), 'degraded');
  assert.equal(stateOf([environment('VALID'), environment('INITIALIZING', 'waiting')], undefined), 'failing');
  assert.equal(stateOf([environment('INTERRUPTED'), environment('OFF')], undefined), 'failing');
});

test('the list of environments counts as well', () => {
  assert.equal(stateOf([], { state: 'VALID' }), 'ready');
  assert.equal(stateOf([], { state: 'INITIALIZING' }), 'degraded');
  assert.equal(stateOf([environment('VALID')], { state: 'OFF' }), 'failing');
});
