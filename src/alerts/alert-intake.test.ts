import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createLog } from '../kernel/log.ts';
import { accepted, refused } from '../kernel/outcome.ts';
import { alertOf, MINUTE, postedAlert, START } from '../testing/alert-parts.ts';
import { FakeClock } from '../testing/fake-clock.ts';
import { FakeDatabase } from '../testing/fake-database.ts';
import { AlertIntake } from './alert-intake.ts';
import { AlertLimit } from './alert-limit.ts';
import { AlertStore } from './alert-store.ts';

function createIntake(limit = 0) {
  const clock = new FakeClock(START);
  const lines: string[] = [];
  const log = createLog({ level: 'info', format: 'logfmt', clock, write: (line) => lines.push(line) });
  const store = new AlertStore(new FakeDatabase(), clock, log);
  const counted = { firing: 0, resolved: 0, invalid: 0, limited: 0 };
  const intake = new AlertIntake({
    store,
    limit: new AlertLimit(limit),
    rules: () => ({ resolveTimeoutMs: 5 * MINUTE, classicNames: false }),
    counts: {
      received: (status) => void counted[status]++,
      invalid: () => void counted.invalid++,
      limited: () => void counted.limited++,
    },
    log,
  });
  return { intake, store, counted, lines };
}

const named = (alertname: string, rest = {}) => accepted(postedAlert({ alertname }, rest));

test('good alerts are taken in beside bad ones, each of which has its reason', () => {
  const { intake, store, counted } = createIntake();
  const reasons = intake.receive(
    [
      named('A'),
      refused('1.labels in body is required'),
      accepted(postedAlert({})),
      named('B', { endsAt: START }),
      named('C', { startsAt: START, endsAt: START - 1 }),
      named('D', { endsAt: START + 1 }),
    ],
    START,
  );
  assert.deepEqual(reasons, [
    '1.labels in body is required',
    'at least one label pair required',
    'start time must be before end time',
  ]);
  assert.deepEqual(
    ['A', 'B', 'C', 'D'].map((alertname) => store.get(alertOf({ alertname }).fingerprint) !== undefined),
    [true, true, false, true],
  );
  // Counted before anybody looks whether they are valid, but after they could be read.
  assert.deepEqual(counted, { firing: 3, resolved: 2, invalid: 3, limited: 0 });
});

test('an empty post changes nothing and is no mistake', () => {
  const { intake, store, counted } = createIntake();
  assert.deepEqual(intake.receive([], START), []);
  assert.equal(store.size, 0);
  assert.deepEqual(counted, { firing: 0, resolved: 0, invalid: 0, limited: 0 });
});

test('an alert that a limit keeps out is counted and logged, but is not the sender’s mistake', () => {
  const { intake, store, counted, lines } = createIntake(1);
  const posts = ['1', '2'].map((n) => accepted(postedAlert({ alertname: 'A', n })));
  assert.deepEqual(intake.receive(posts, START), []);
  assert.equal(store.size, 1);
  assert.deepEqual(counted, { firing: 2, resolved: 0, invalid: 0, limited: 1 });
  assert.match(lines.join(), /level=WARN msg="an alert was dropped.*--alerts\.per-alertname-limit/);
});
