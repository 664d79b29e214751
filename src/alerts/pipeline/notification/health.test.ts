import assert from 'node:assert/strict';
import { test } from 'node:test';
import { HOUR, MINUTE, START } from '../../testing/parts.ts';
import { createTestPipeline } from '../../testing/pipeline/parts.ts';
import { type Failure, NotificationHealth, noteFailure } from './health.ts';
import { printLogKey } from './log.ts';

const failureOf = (rest: Partial<Failure> = {}): Failure => ({
  ...{ groupKey: '{}:{}', receiver: 'pager', integration: 'webhook', index: 0 },
  ...{ since: START, at: START, error: 'connection refused', isRetried: false },
  ...rest,
});

test('failures of one group are joined: the first beginning, the last reason', () => {
  const health = new NotificationHealth();
  health.note(failureOf());
  health.note(failureOf({ since: START + MINUTE, at: START + MINUTE, error: 'timed out', isRetried: true }));
  assert.deepEqual([...health.failures()], [failureOf({ at: START + MINUTE, error: 'timed out' })]);
  health.settled(printLogKey(failureOf()));
  assert.ok(health.isSound);
});

test('a failure is forgotten a day after its last attempt', () => {
  const health = new NotificationHealth();
  health.note(failureOf());
  health.forgetOld(START + 24 * HOUR);
  assert.ok(!health.isSound);
  health.forgetOld(START + 24 * HOUR + 1);
  assert.ok(health.isSound);
});

test('a failure of another node counts unless a later notification was accepted', () => {
  const { health, notificationLog } = createTestPipeline().state;
  const empty = { firing: new Set<string>(), resolved: new Set<string>(), receiverData: {} };
  notificationLog.set(printLogKey(failureOf()), { at: START + 1, ...empty }, START + HOUR);
  noteFailure({ health, notificationLog }, failureOf());
  assert.ok(health.isSound);
  noteFailure({ health, notificationLog }, failureOf({ at: START + 2 }));
  assert.ok(!health.isSound);
});
