import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FakeClock } from '../../testing/fake/clock.ts';
import { FakeDatabase } from '../../testing/fake/database.ts';
import { Random } from '../../testing/random.ts';
import type { Alert } from '../domain/alert.ts';
import { labelsJson } from '../domain/label-set.ts';
import { alertOf, MINUTE, START } from '../testing/parts.ts';
import type { AlertSlot } from './slot.ts';
import { AlertStore } from './store.ts';
import { AlertWriter } from './writer.ts';

function createStore() {
  const clock = new FakeClock(START);
  const database = new FakeDatabase();
  const log: string[] = [];
  const write = (message: string) => log.push(message);
  const writer = new AlertWriter(database, clock, {
    debug: write,
    info: write,
    warn: write,
    error: write,
    debugging: false,
  });
  const store = new AlertStore(writer);
  return { clock, database, log, store };
}

/** The events of a listener, in order. */
function listen(store: AlertStore): string[] {
  const reported: string[] = [];
  store.subscribe({
    put: ({ alert }, isNew) => reported.push(`${isNew ? 'new' : 'again'} ${labelsJson(alert.labels)}`),
    removed: ({ alert }) => reported.push(`removed ${labelsJson(alert.labels)}`),
  });
  return reported;
}

/** As when every group has notified the resolved alerts. */
function settle(store: AlertStore, now: number): void {
  for (const slot of store.sorted()) if (slot.alert.endsAt <= now) slot.isSettled = true;
}

const numbered = (number: number, rest: Partial<Alert> = {}) => alertOf({ n: String(number) }, rest);

test('alerts are held in the order of their fingerprints, however they come', () => {
  const { store } = createStore();
  const random = new Random(10);
  const known = new Set<string>();
  for (let round = 0; round < 60; round++) {
    const alerts = Array.from({ length: random.int(0, 9) }, () => numbered(random.int(0, 200)));
    store.put(alerts);
    for (const { fingerprint } of alerts) known.add(fingerprint);
    if (random.chance(0.7)) {
      assert.deepEqual(
        store.sorted().map(({ alert }) => alert.fingerprint),
        [...known].sort(),
      );
    }
    assert.equal(store.size, known.size);
  }
});

test('a post of an alert that is held is merged into it; its slot stays the same object', () => {
  const { store } = createStore();
  store.put([alertOf({ a: 'b' }, { startsAt: START, endsAt: START + 5 * MINUTE })]);
  const [slot] = store.sorted();
  const later = START + MINUTE;
  store.put([
    alertOf(
      { a: 'b' },
      { startsAt: later, endsAt: later + 5 * MINUTE, updatedAt: later, annotationsJson: '{"x":"y"}' },
    ),
  ]);
  assert.equal(store.size, 1);
  assert.equal(store.sorted()[0], slot);
  const alert = store.get(slot?.alert.fingerprint ?? '');
  assert.equal(alert, slot?.alert);
  assert.deepEqual(
    [alert?.startsAt, alert?.endsAt, alert?.updatedAt, alert?.annotationsJson],
    [START, later + 5 * MINUTE, later, '{"x":"y"}'],
  );
});

test('texts that a post repeats are kept, so that memory does not grow with every post', () => {
  const { store } = createStore();
  const make = () => alertOf({ a: 'b' }, { annotationsJson: ['{"x":', '"y"}'].join(''), generatorURL: 'http://p/' });
  const first = make();
  store.put([first]);
  store.put([make()]);
  const held = store.get(first.fingerprint);
  assert.equal(held?.labels, first.labels);
});

test('listeners are notified in the order of their subscription, with new alerts marked', () => {
  const { store } = createStore();
  const reported: string[] = [];
  for (const name of ['first', 'second']) {
    store.subscribe({
      put: ({ alert }, isNew) => reported.push(`${name} ${isNew} ${labelsJson(alert.labels)}`),
      removed: () => {},
    });
  }
  store.put([numbered(1), numbered(1)]);
  assert.deepEqual(reported, [
    'first true {"n":"1"}',
    'second true {"n":"1"}',
    'first false {"n":"1"}',
    'second false {"n":"1"}',
  ]);
});

test('all that was put is visible when put returns', () => {
  const { store } = createStore();
  let seen: AlertSlot | undefined;
  store.subscribe({
    put: (slot) => {
      seen = slot;
    },
    removed: () => {},
  });
  store.put([numbered(1)]);
  assert.equal(seen?.alert, store.get(numbered(1).fingerprint));
  assert.equal(store.sorted().length, 1);
});

test('resolved alerts are removed when all groups have notified them and garbage is collected, and not before', () => {
  const { store } = createStore();
  const reported = listen(store);
  store.put([numbered(1, { endsAt: START }), numbered(2, { endsAt: START + 1 }), numbered(3, { endsAt: START - 1 })]);
  reported.length = 0;
  assert.equal(store.collectGarbage(START), 0);
  assert.equal(store.size, 3);
  settle(store, START);
  assert.equal(store.collectGarbage(START), 2);
  assert.deepEqual(reported.sort(), ['removed {"n":"1"}', 'removed {"n":"3"}']);
  assert.deepEqual(
    store.sorted().map(({ alert }) => labelsJson(alert.labels)),
    ['{"n":"2"}'],
  );
  assert.equal(store.get(numbered(1).fingerprint), undefined);
  assert.equal(store.collectGarbage(START), 0);
});

test('a removed alert posted again is a new one', () => {
  const { store } = createStore();
  const reported = listen(store);
  store.put([numbered(1, { startsAt: START - MINUTE, endsAt: START })]);
  settle(store, START);
  store.collectGarbage(START);
  store.put([numbered(1, { startsAt: START - 1, endsAt: START + 1 })]);
  assert.equal(reported.at(-1), 'new {"n":"1"}');
  assert.equal(store.get(numbered(1).fingerprint)?.startsAt, START - 1);
});

test('alerts that come and go between two listings leave the order whole', () => {
  const { store } = createStore();
  const random = new Random(11);
  const held = new Map<string, Alert>();
  for (let round = 0; round < 200; round++) {
    const alert = numbered(random.int(0, 40), { endsAt: START + random.int(-1, 1) });
    if (!held.has(alert.fingerprint)) {
      held.set(alert.fingerprint, alert);
      store.put([alert]);
    }
    if (random.chance(0.2)) {
      for (const [fingerprint, { endsAt }] of held) if (endsAt <= START) held.delete(fingerprint);
      settle(store, START);
      store.collectGarbage(START);
    }
    if (random.chance(0.3)) {
      assert.deepEqual(
        store.sorted().map((slot) => slot.alert.fingerprint),
        [...held.keys()].sort(),
      );
    }
  }
});
