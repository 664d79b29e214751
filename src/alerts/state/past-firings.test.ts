import assert from 'node:assert/strict';
import { test } from 'node:test';
import { alertOf, HOUR, MINUTE, START } from '../testing/parts.ts';
import { PastFirings } from './past-firings.ts';

const alertAt = (startsAt: number, name = 'Down') =>
  alertOf({ alertname: name }, { startsAt, endsAt: startsAt + MINUTE });

test('a later firing keeps the one before it; a renewed alert is still the same firing', () => {
  const past = new PastFirings();
  const { fingerprint } = alertAt(START);
  past.replaced(alertAt(START), { ...alertAt(START), endsAt: START + HOUR });
  assert.deepEqual(past.of(fingerprint), []);
  past.replaced(alertAt(START), alertAt(START + HOUR));
  past.removed(alertAt(START + HOUR));
  assert.deepEqual(past.of(fingerprint), [
    { startsAt: START, endsAt: START + MINUTE },
    { startsAt: START + HOUR, endsAt: START + HOUR + MINUTE },
  ]);
});

test('an alert keeps its last 50 firings, and a day after the last of them none', () => {
  const past = new PastFirings();
  const { fingerprint } = alertAt(START);
  for (let minute = 0; minute < 60; minute++) past.removed(alertAt(START + minute * MINUTE));
  const firings = past.of(fingerprint);
  assert.deepEqual([firings.length, firings[0]?.startsAt], [50, START + 10 * MINUTE]);
  past.forgetOld(START + HOUR + 24 * HOUR);
  assert.equal(past.size, 1);
  past.forgetOld(START + HOUR + 24 * HOUR + 1);
  assert.equal(past.size, 0);
});

test('the alerts of a storm do not fill the memory: those that ended first are forgotten', () => {
  const past = new PastFirings();
  const first = alertAt(START, 'first');
  past.removed(first);
  for (let count = 0; count < 20_000; count++) past.removed({ ...first, fingerprint: String(count) });
  assert.equal(past.size, 20_000);
  assert.deepEqual(past.of(first.fingerprint), []);
});
