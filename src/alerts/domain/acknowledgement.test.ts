import assert from 'node:assert/strict';
import { test } from 'node:test';
import { HOUR, MINUTE, SECOND, START, silenceOf } from '../testing/parts.ts';
import { followAlerts, hasFollowingEnd } from './acknowledgement.ts';

/** Minutes relative to START, at which the silences begin. */
const at = (minutes: number) => START + minutes * MINUTE;
const instant = (minutes: number) => new Date(at(minutes)).toISOString();

const FIRING = { startsAt: at(-5), endsAt: at(999) };
const RESOLVED = { startsAt: at(-5), endsAt: at(1) };
const AGAIN = { startsAt: at(3), endsAt: at(999) };
const OLD = { startsAt: at(-5), endsAt: at(-1) };

const acknowledgement = (limit = instant(24 * 60), end = 15) =>
  silenceOf({ endsAt: at(end), annotations: { acknowledged_until: limit } });
const expiring = silenceOf({ endsAt: START + HOUR, annotations: { expire_when_resolved: 'true' } });

/** The minute in which the silence ends after a look at its alerts. */
const endAfter = (silence: typeof expiring, alerts: readonly (typeof FIRING)[], minute: number) =>
  (followAlerts(silence, alerts, at(minute)).endsAt - START) / MINUTE;

test('an acknowledgement is renewed when ten minutes remain, while an alert fires', () => {
  assert.equal(endAfter(acknowledgement(), [FIRING], 4.99), 15);
  assert.equal(endAfter(acknowledgement(), [FIRING], 5), 20);
  assert.equal(endAfter(acknowledgement(), [FIRING, RESOLVED], 14), 29);
  assert.equal(followAlerts(acknowledgement(), [FIRING], at(5)).updatedAt, at(5));
});

test('a renewal ends at the limit and never shortens', () => {
  assert.equal(endAfter(acknowledgement(instant(18)), [FIRING], 6), 18);
  assert.equal(endAfter(acknowledgement(instant(15)), [FIRING], 6), 15);
  assert.equal(endAfter(acknowledgement(instant(2)), [FIRING], 6), 15);
  assert.equal(endAfter(acknowledgement(instant(60), 30), [FIRING], 6), 30);
});

test('an acknowledgement expires with the last of its alerts', () => {
  assert.equal(endAfter(acknowledgement(), [RESOLVED, FIRING], 2), 15);
  assert.equal(endAfter(acknowledgement(), [RESOLVED], 2), 2);
});

test('an alert that begins again is not acknowledged', () => {
  assert.equal(endAfter(acknowledgement(), [AGAIN], 4), 4);
  assert.equal(endAfter(acknowledgement(), [AGAIN, FIRING], 4), 15);
  const aheadOfUs = { startsAt: START + 30 * SECOND, endsAt: at(999) };
  assert.equal(endAfter(acknowledgement(), [aheadOfUs], 6), 21);
});

test('without an alert that fired since its start a silence stays as it is', () => {
  for (const silence of [acknowledgement(), expiring]) {
    assert.equal(followAlerts(silence, [], at(9)), silence);
    assert.equal(followAlerts(silence, [OLD], at(9)), silence);
  }
});

test('a silence that expires with its alerts also holds for those that begin later, and is not renewed', () => {
  assert.equal(endAfter(expiring, [AGAIN], 55), 60);
  assert.equal(endAfter(expiring, [AGAIN, FIRING], 55), 60);
  assert.equal(endAfter(expiring, [RESOLVED], 55), 55);
});

test('a pending or expired silence stays as it is', () => {
  const pending = silenceOf({ ...acknowledgement(), startsAt: at(8) });
  assert.equal(followAlerts(pending, [FIRING], at(7)), pending);
  const expired = acknowledgement();
  assert.equal(followAlerts(expired, [FIRING], at(15)), expired);
});

test('an annotation without an instant makes no acknowledgement', () => {
  for (const limit of ['', 'tomorrow']) {
    assert.equal(endAfter(acknowledgement(limit), [FIRING], 6), 15);
    assert.equal(hasFollowingEnd(acknowledgement(limit)), false);
  }
  assert.equal(hasFollowingEnd(acknowledgement()), true);
  assert.equal(hasFollowingEnd(expiring), true);
  assert.equal(hasFollowingEnd(silenceOf({ annotations: { expire_when_resolved: 'no' } })), false);
});
