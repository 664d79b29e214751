import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type LoggedNotification, reasonToNotify } from './deduplication.ts';
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
  readonly reason: NotificationReason | undefined;
  /** Where it differs when resolved alerts are not sent. */
  readonly withoutResolved?: NotificationReason | 'none';
}

const ROWS: readonly Row[] = [
  { what: 'never told, something fires', last: undefined, firing: 'a', reason: 'first notification' },
  { what: 'never told, all has resolved', last: undefined, resolved: 'a', reason: undefined },
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
  test(`told of a group or not: ${row.what}`, () => {
    const reason = (sendResolved: boolean) =>
      reasonToNotify(
        row.last,
        [...(row.firing ?? '')],
        [...(row.resolved ?? '')],
        { sendResolved, repeatIntervalMs: REPEAT },
        AT,
      );
    assert.equal(reason(true), row.reason);
    const without = row.withoutResolved ?? row.reason;
    assert.equal(reason(false), without === 'none' ? undefined : without);
  });
}
