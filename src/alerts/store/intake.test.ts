import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createLog } from '../../kernel/log.ts';
import { accepted, refused } from '../../kernel/outcome.ts';
import { FakeClock } from '../../testing/fake/clock.ts';
import { FakeDatabase } from '../../testing/fake/database.ts';
import { alertOf, MINUTE, postedAlert, START } from '../testing/parts.ts';
import { AlertIntake } from './intake.ts';
import { AlertLimit } from './limit.ts';
import { AlertStore } from './store.ts';
import { AlertWriter } from './writer.ts';

function createIntake(limit = 0) {
  const clock = new FakeClock(START);
  const lines: string[] = [];
  const log = createLog({ level: 'info', format: 'logfmt', clock, write: (line) => lines.push(line) });
  const store = new AlertStore(new AlertWriter(new FakeDatabase(), clock, log));
  const counted = { firing: 0, resolved: 0, invalid: 0, limited: 0 };
  const processed: (readonly [count: number, took: boolean])[] = [];
  const intake = new AlertIntake({
    store,
    limit: new AlertLimit(limit),
    rules: () => ({ resolveTimeoutMs: 5 * MINUTE, classicNames: false }),
    counts: {
      received: (status) => void counted[status]++,
      invalid: () => void counted.invalid++,
      limited: () => void counted.limited++,
      processed: (count, seconds) => void processed.push([count, seconds > 0 && seconds < 60]),
    },
    log,
  });
  return { intake, store, counted, processed, lines };
}

const named = (alertname: string, rest = {}) => accepted(postedAlert({ alertname }, rest));

test('valid alerts are accepted beside invalid ones, each with its reason', () => {
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
  // Counted after reading, but before validation.
  assert.deepEqual(counted, { firing: 3, resolved: 2, invalid: 3, limited: 0 });
});

test('each accepted post is timed', () => {
  const { intake, processed } = createIntake();
  intake.receive([named('A'), named('B'), refused('bad')], START);
  intake.receive([refused('bad')], START);
  intake.receive([named('A')], START);
  assert.deepEqual(processed, [
    [2, true],
    [1, true],
  ]);
});

test('an empty post changes nothing and is valid', () => {
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

/** A post in several slices, each of one alert; between two it lets others have a turn. */
function* inSlices(...alertnames: string[]) {
  for (const _ of alertnames) yield;
  return accepted(alertnames.map((alertname) => [named(alertname)]));
}

const nextTurn = () => new Promise<void>((done) => setImmediate(done));

test('a post in slices leaves turns to other work, and is accepted when it is answered', async () => {
  const { intake, store } = createIntake();
  const names = Array.from({ length: 20 }, (_, n) => `A${n}`);
  let turns = 0;
  let isDone = false;
  const received = Promise.resolve(intake.receivePost(inSlices(...names), () => START)).finally(() => {
    isDone = true;
  });
  for (; !isDone; turns++) await nextTurn();
  assert.deepEqual(await received, accepted([]));
  assert.ok(turns >= 39, `${turns} turns`);
  assert.equal(store.size, 20);
});

test('a short post is accepted at once if no other waits', async () => {
  const { intake, store } = createIntake();
  const reading = { next: () => ({ done: true as const, value: accepted([[named('A')]]) }) };
  assert.deepEqual(
    intake.receivePost(reading, () => START),
    accepted([]),
  );
  assert.equal(store.size, 1);
  await intake.receivePost(inSlices('B', 'C'), () => START);
  assert.equal(store.size, 3);
});

test('a short post does not overtake a long one that came before it', async () => {
  const { intake, store } = createIntake();
  const order: string[] = [];
  const take = async (reading: ReturnType<typeof inSlices>, at: number, name: string) => {
    await intake.receivePost(reading, () => at);
    order.push(`${name} ${store.size}`);
  };
  const long = take(inSlices('A', 'B', 'C'), START, 'long');
  const short = take(inSlices('D'), START + 1, 'short');
  await Promise.all([long, short]);
  assert.deepEqual(order, ['long 3', 'short 4']);
  assert.equal(store.get(alertOf({ alertname: 'D' }).fingerprint)?.updatedAt, START + 1);
});

test('an unreadable post changes nothing, and the next one is accepted', async () => {
  const { intake, store, counted } = createIntake();
  const broken = (function* () {
    yield;
    return refused('no JSON');
  })();
  const failing = (function* (): Generator<undefined, never> {
    yield;
    throw new Error('broken');
  })();
  const all = [broken, failing, inSlices('A')].map((reading) => intake.receivePost(reading, () => START));
  const [first, second, third] = await Promise.allSettled(all);
  assert.deepEqual(first, { status: 'fulfilled', value: refused('no JSON') });
  assert.equal(second?.status, 'rejected');
  assert.deepEqual(third, { status: 'fulfilled', value: accepted([]) });
  assert.equal(store.size, 1);
  assert.deepEqual(counted, { firing: 1, resolved: 0, invalid: 0, limited: 0 });
});
