import assert from 'node:assert/strict';
import { test } from 'node:test';
import { alertOf } from '../../testing/alert-parts.ts';
import {
  type BegunNotification,
  contentOf,
  identityOf,
  type LoggedNotification,
  reasonToNotify,
} from './deduplication.ts';
import type { NotificationReason } from './notification.ts';

function begun(perhapsFiring: string): BegunNotification {
  return { at: AT - 1, content: '', perhapsFiring: new Set(perhapsFiring) };
}

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
  {
    what: 'perhaps told before a crash, all has resolved',
    last: { ...last(''), begun: begun('a') },
    resolved: 'a',
    reason: 'all alerts resolved',
  },
  {
    what: 'telling failed, all has resolved',
    last: { ...last(''), begun: begun('') },
    resolved: 'a',
    reason: undefined,
  },
  {
    what: 'perhaps told before a crash, fires still',
    last: { ...last(''), begun: begun('a') },
    firing: 'a',
    reason: 'first notification',
  },
  {
    what: 'perhaps told of the end before a crash',
    last: { ...last('', 'a'), begun: begun('') },
    resolved: 'a',
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

test('what a notification says is the same only for the same alerts in the same state since the same moment', () => {
  const alert = alertOf({ n: 'a' }, { startsAt: AT });
  const all = [
    [],
    [{ alert, isResolved: false }],
    [{ alert, isResolved: true }],
    [{ alert: alertOf({ n: 'a' }, { startsAt: AT + 1 }), isResolved: false }],
    [{ alert: alertOf({ n: 'b' }, { startsAt: AT }), isResolved: false }],
    [
      { alert, isResolved: false },
      { alert: alertOf({ n: 'b' }, { startsAt: AT }), isResolved: false },
    ],
  ];
  assert.equal(new Set(all.map(contentOf)).size, all.length);
  const repeated = { ...alert, endsAt: AT + HOUR, updatedAt: AT + 5, annotationsJson: '{"a":"b"}' };
  assert.equal(contentOf([{ alert: repeated, isResolved: false }]), contentOf([{ alert, isResolved: false }]));
});

test('the identity of a notification follows who is told, what, and which flush began it', () => {
  const one = { at: AT, content: 'x', perhapsFiring: new Set<string>() };
  const ids = [
    identityOf('key', one),
    identityOf('key2', one),
    identityOf('key', { ...one, at: AT + 1 }),
    identityOf('key', { ...one, content: 'y' }),
  ];
  assert.equal(new Set(ids).size, 4);
  assert.match(ids[0] ?? '', /^[0-9a-f]{32}$/);
  assert.equal(identityOf('key', { ...one, perhapsFiring: new Set('a') }), ids[0]);
});
