import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Random } from '../../testing/random.ts';
import type { Alert } from '../domain/alert.ts';
import { labelsJson, labelValue } from '../domain/label-set.ts';
import { expireSilence, type Silence } from '../domain/silence.ts';
import { alertOf, matcherOf, START, silenceOf } from '../testing/parts.ts';
import { Silencer } from './silencer.ts';
import type { SilenceChange } from './storage.ts';

const NAMES = ['alertname', 'job', 'zone'];
const VALUES = ['', 'a', 'b', 'c'];

/** The current alerts, silences and time, beside a silencer that is sent only the changes. */
class Model {
  readonly #random: Random;
  readonly #alerts = new Map<string, Alert>();
  readonly #silences = new Map<string, Silence>();
  readonly #silencer = new Silencer(() => this.#alerts.values());
  #now = START;
  #created = 0;

  constructor(random: Random) {
    this.#random = random;
  }

  step(): void {
    this.#random.weighted<() => void>([
      [5, () => this.#addAlert()],
      [2, () => this.#removeAlert()],
      [4, () => this.#change([{ before: undefined, after: this.#randomSilence(String(this.#created++)) }])],
      [2, () => this.#changeKnown((before) => [{ before, after: this.#randomSilence(before.id) }])],
      [2, () => this.#changeKnown((before) => [{ before, after: expireSilence(before, this.#now) }])],
      [1, () => this.#changeKnown((before) => this.#replace(before))],
      [1, () => this.#changeKnown((before) => [{ before, after: undefined }])],
      [4, () => this.#moveTime()],
    ])();
  }

  check(place: string): void {
    this.#silencer.settle(this.#now);
    for (const { fingerprint, labels } of this.#alerts.values()) {
      assert.deepEqual(
        this.#silencer.silencedBy(fingerprint),
        this.#naive(fingerprint),
        `${place}: ${labelsJson(labels)}`,
      );
    }
    assert.deepEqual(this.#silencer.silencedBy('no such alert'), []);
  }

  #naive(fingerprint: string): readonly string[] {
    const { labels } = this.#alerts.get(fingerprint) as Alert;
    return [...this.#silences.values()]
      .filter(({ startsAt, endsAt }) => startsAt <= this.#now && this.#now < endsAt)
      .filter(({ matchers }) => matchers.every(({ name, matches }) => matches(labelValue(labels, name) ?? '')))
      .map(({ id }) => id)
      .sort();
  }

  #addAlert(): void {
    const random = this.#random;
    const labels = Object.fromEntries(NAMES.map((name) => [name, random.pick(VALUES)]));
    const alert = alertOf({ ...labels, instance: String(random.int(1, 3)) });
    if (this.#alerts.has(alert.fingerprint)) return;
    this.#alerts.set(alert.fingerprint, alert);
    this.#silencer.addAlert(alert);
  }

  #removeAlert(): void {
    if (this.#alerts.size === 0) return;
    const alert = this.#random.pick([...this.#alerts.values()]);
    this.#alerts.delete(alert.fingerprint);
    this.#silencer.removeAlert(alert);
  }

  /** Times meet each other and the clock often, so that boundaries are hit. */
  #randomSilence(id: string): Silence {
    const random = this.#random;
    const startsAt = this.#now + random.int(-3, 4);
    const matchers = random
      .some(NAMES, 2)
      .map((name) =>
        matcherOf(name, random.pick(['=', '=', '!=', '=~', '!~'] as const), random.pick(['a', 'b', 'a|c'])),
      );
    return silenceOf({
      id,
      startsAt,
      endsAt: startsAt + random.int(0, 6),
      matchers: matchers.length > 0 ? matchers : [matcherOf('alertname', '=', 'a')],
    });
  }

  #replace(before: Silence): SilenceChange[] {
    return [
      { before, after: expireSilence(before, this.#now) },
      { before: undefined, after: this.#randomSilence(String(this.#created++)) },
    ];
  }

  #changeKnown(make: (known: Silence) => readonly SilenceChange[]): void {
    if (this.#silences.size > 0) this.#change(make(this.#random.pick([...this.#silences.values()])));
  }

  #change(changes: readonly SilenceChange[]): void {
    for (const { before, after } of changes) {
      if (before) this.#silences.delete(before.id);
      if (after) this.#silences.set(after.id, after);
    }
    this.#silencer.changeSilences(changes, this.#now);
  }

  #moveTime(): void {
    this.#now += this.#random.pick([1, 1, 2, 5, 20, -1, -5, -20]);
  }
}

test('at every step, in time or back, an alert is silenced by exactly the active silences that match it', () => {
  const random = new Random(9);
  for (let round = 0; round < 60; round++) {
    const model = new Model(random);
    for (let step = 0; step < 60; step++) {
      model.step();
      // Not after each: several changes may come before a query.
      if (random.chance(0.6)) model.check(`round ${round}, step ${step}`);
    }
  }
});

const ALERT = alertOf({ a: 'b' });
const ID = '11111111-1111-4111-8111-111111111111';

function silencerOf(...silences: readonly Silence[]): Silencer {
  const silencer = new Silencer(() => [ALERT]);
  silencer.addAlert(ALERT);
  silencer.changeSilences(
    silences.map((after) => ({ before: undefined, after })),
    START,
  );
  return silencer;
}

test('a silence begins and ends on the millisecond, without a timer', () => {
  const silencer = silencerOf(silenceOf({ startsAt: START + 10, endsAt: START + 20 }));
  const seen = [START, START + 9, START + 10, START + 19, START + 20, START + 30].map((now) => {
    silencer.settle(now);
    return silencer.silencedBy(ALERT.fingerprint).length;
  });
  assert.deepEqual(seen, [0, 0, 1, 1, 0, 0]);
});

test('a silence that began and ended between two queries does nothing', () => {
  const silencer = silencerOf(silenceOf({ startsAt: START + 10, endsAt: START + 20 }));
  silencer.settle(START + 99);
  assert.deepEqual(silencer.silencedBy(ALERT.fingerprint), []);
});

test('the ids are sorted, and a later alert is silenced as an existing one', () => {
  const [first, second] = [silenceOf({ id: 'b' }), silenceOf({ id: 'a' })];
  const silencer = silencerOf(first, second);
  assert.deepEqual(silencer.silencedBy(ALERT.fingerprint), ['a', 'b']);
  silencer.removeAlert(ALERT);
  assert.deepEqual(silencer.silencedBy(ALERT.fingerprint), []);
  silencer.addAlert(ALERT);
  assert.deepEqual(silencer.silencedBy(ALERT.fingerprint), ['a', 'b']);
});

test('the alerts are passed over once for all silences that begin together', () => {
  let passes = 0;
  const silencer = new Silencer(() => {
    passes++;
    return [ALERT];
  });
  const silences = Array.from({ length: 9 }, (_, id) => silenceOf({ id: String(id), startsAt: START + 10 }));
  silencer.changeSilences(
    silences.map((after) => ({ before: undefined, after })),
    START,
  );
  assert.equal(passes, 0);
  silencer.settle(START + 10);
  silencer.settle(START + 11);
  assert.equal(passes, 1);
  assert.equal(silencer.silencedBy(ALERT.fingerprint).length, 9);
});

test('an update to other times is a silence ended and one begun', () => {
  const before = silenceOf();
  const silencer = silencerOf(before);
  assert.deepEqual(silencer.silencedBy(ALERT.fingerprint), [ID]);
  const after = { ...before, startsAt: START + 50, endsAt: START + 60 };
  silencer.changeSilences([{ before, after }], START);
  assert.deepEqual(silencer.silencedBy(ALERT.fingerprint), []);
  silencer.settle(START + 50);
  assert.deepEqual(silencer.silencedBy(ALERT.fingerprint), [ID]);
});
