import assert from 'node:assert/strict';
import { test } from 'node:test';
import { alertOf } from '../testing/parts.ts';
import { idempotencyKeyOf, type LoggedNotification, reasonToNotify } from './deduplication.ts';
import type { NotificationReason } from './notification.ts';

const HOUR = 3_600_000;
const AT = 100 * HOUR;
const REPEAT = 4 * HOUR;

const last = (firing: string, resolved = '', ageMs = HOUR): LoggedNotification => ({
  at: AT - ageMs,
  firing: new Set(firing),
  resolved: new Set(resolved),
  receiverData: {},
});

interface Row {
  readonly what: string;
  readonly last: LoggedNotification | undefined;
  readonly firing?: string;
  readonly resolved?: string;
  readonly inDoubt?: string;
  readonly reason: NotificationReason | undefined;
  /** Where it differs when resolved alerts are not sent. */
  readonly withoutResolved?: NotificationReason | 'none';
}

const ROWS: readonly Row[] = [
  { what: 'never notified, something fires', last: undefined, firing: 'a', reason: 'first notification' },
  { what: 'never notified, all has resolved', last: undefined, resolved: 'a', reason: undefined },
  {
    what: 'never notified for certain, all has resolved, one in doubt',
    last: undefined,
    resolved: 'ab',
    inDoubt: 'b',
    reason: 'all alerts resolved',
  },
  {
    what: 'all had resolved, and has again, one in doubt',
    last: last('', 'a'),
    resolved: 'ab',
    inDoubt: 'b',
    reason: 'all alerts resolved',
  },
  {
    what: 'all has resolved, one with its resolved notification in doubt',
    last: last('', 'ab'),
    resolved: 'ab',
    inDoubt: 'b',
    reason: undefined,
  },
  { what: 'another alert fires', last: last('a'), firing: 'ab', reason: 'new alerts added' },
  { what: 'another fires in place of the first', last: last('a'), firing: 'b', reason: 'new alerts added' },
  { what: 'fires after all had resolved', last: last('', 'a'), firing: 'a', reason: 'first notification' },
  { what: 'new beats resolved', last: last('a'), firing: 'b', resolved: 'a', reason: 'new alerts added' },
  { what: 'all have resolved', last: last('ab'), resolved: 'ab', reason: 'all alerts resolved' },
  { what: 'all have resolved, known', last: last('', 'ab'), resolved: 'ab', reason: undefined },
  { what: 'came and went between two flushes', last: last('', 'a'), resolved: 'b', reason: undefined },
  {
    what: 'some have resolved',
    last: last('ab'),
    firing: 'a',
    resolved: 'b',
    reason: 'some alerts resolved',
    withoutResolved: 'none',
  },
  { what: 'some have resolved, known', last: last('a', 'b'), firing: 'a', resolved: 'b', reason: undefined },
  { what: 'one fires no longer, without having resolved', last: last('ab'), firing: 'a', reason: undefined },
  { what: 'the same', last: last('a'), firing: 'a', reason: undefined },
  { what: 'the same, exactly the interval later', last: last('a', '', REPEAT), firing: 'a', reason: undefined },
  {
    what: 'the same, after the interval',
    last: last('a', '', REPEAT + 1),
    firing: 'a',
    reason: 'repeat interval elapsed',
  },
  {
    what: 'nothing is repeated where nothing fires',
    last: last('', 'a', 9 * REPEAT),
    resolved: 'a',
    reason: undefined,
  },
  {
    what: 'some have resolved, after the interval',
    last: last('ab', '', REPEAT + 1),
    firing: 'a',
    resolved: 'b',
    reason: 'some alerts resolved',
    withoutResolved: 'repeat interval elapsed',
  },
];

for (const row of ROWS) {
  test(`a notification of a group or none: ${row.what}`, () => {
    const reason = (sendResolved: boolean) =>
      reasonToNotify(
        row.last,
        { firing: [...(row.firing ?? '')], resolved: [...(row.resolved ?? '')], inDoubt: [...(row.inDoubt ?? '')] },
        { sendResolved, repeatIntervalMs: REPEAT },
        AT,
      );
    assert.equal(reason(true), row.reason);
    const without = row.withoutResolved ?? row.reason;
    assert.equal(reason(false), without === 'none' ? undefined : without);
  });
}

const alert = alertOf({ n: 'a' }, { startsAt: AT });
const other = alertOf({ n: 'b' }, { startsAt: AT });
const firing = (...alerts: (typeof alert)[]) => alerts.map((one) => ({ alert: one, isResolved: false }));

test('a notification has its own key by receiver, alerts and previous notification', () => {
  const keys = [
    idempotencyKeyOf('key', firing(alert), undefined),
    idempotencyKeyOf('key2', firing(alert), undefined),
    idempotencyKeyOf('key', firing(alert, other), undefined),
    idempotencyKeyOf('key', firing(other), undefined),
    idempotencyKeyOf('key', [{ alert, isResolved: true }], undefined),
    idempotencyKeyOf('key', firing({ ...alert, startsAt: AT + 1 }), undefined),
    idempotencyKeyOf('key', firing(alert), last('a')),
    idempotencyKeyOf('key', firing(alert), last('a', '', 2 * HOUR)),
    idempotencyKeyOf('key', firing(alert), last('ab')),
    idempotencyKeyOf('key', firing(alert), last('a', 'b')),
  ];
  assert.equal(new Set(keys).size, keys.length);
  assert.match(keys[0] ?? '', /^[0-9a-f]{32}$/);
});

test('another process with the same data in another order makes the same key', () => {
  const repeated = { ...alert, endsAt: AT + HOUR, updatedAt: AT + 5, annotationsJson: '{"a":"b"}' };
  assert.equal(
    idempotencyKeyOf('key', firing(alert, other), last('ab', 'cd')),
    idempotencyKeyOf('key', firing(other, repeated), last('ba', 'dc')),
  );
});
