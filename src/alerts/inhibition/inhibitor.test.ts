import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Random } from '../../testing/random.ts';
import type { InhibitionRule } from '../domain/inhibition.ts';
import { createLabelSet, labelValue } from '../domain/label-set.ts';
import { matchesAll } from '../domain/matcher/index.ts';
import type { Matcher, MatchOperator } from '../domain/matcher/matcher.ts';
import type { AlertSlot } from '../store/slot.ts';
import { MINUTE, matcherOf, START, slotOf } from '../testing/parts.ts';
import { Inhibitor } from './inhibitor.ts';

const END = START + 5 * MINUTE;

/** `severity=critical` inhibits `severity=warning` of the same cluster. */
const BY_SEVERITY: InhibitionRule = {
  name: 'severity',
  sourceMatchers: [matcherOf('severity', '=', 'critical')],
  targetMatchers: [matcherOf('severity', '=', 'warning')],
  equal: ['cluster'],
};

function inhibitorOf(rules: readonly InhibitionRule[], ...slots: readonly AlertSlot[]): Inhibitor {
  const inhibitor = new Inhibitor(rules);
  for (const slot of slots) inhibitor.add(slot);
  return inhibitor;
}

const critical = slotOf({ severity: 'critical', cluster: 'a' });
const warning = slotOf({ severity: 'warning', cluster: 'a' });

test('a target is inhibited by a firing source with the same values of the equal labels, and by no other', () => {
  const elsewhere = slotOf({ severity: 'warning', cluster: 'b' });
  const nowhere = slotOf({ severity: 'warning' });
  const info = slotOf({ severity: 'info', cluster: 'a' });
  const inhibitor = inhibitorOf([BY_SEVERITY], warning, elsewhere, nowhere, info, critical);
  assert.deepEqual(inhibitor.inhibitedBy(warning, START), [critical.alert.fingerprint]);
  for (const other of [elsewhere, nowhere, info, critical]) assert.deepEqual(inhibitor.inhibitedBy(other, START), []);
});

test('an absent label is equal to an absent one', () => {
  const [source, target] = [slotOf({ severity: 'critical' }), slotOf({ severity: 'warning' })];
  assert.deepEqual(inhibitorOf([BY_SEVERITY], source, target).inhibitedBy(target, START), [source.alert.fingerprint]);
});

test('a source inhibits until it has resolved, and again when it fires again', () => {
  const source = slotOf({ severity: 'critical', cluster: 'a' });
  const inhibitor = inhibitorOf([BY_SEVERITY], source, warning);
  const isInhibited = (now: number) => inhibitor.inhibitedBy(warning, now).length > 0;
  assert.deepEqual([isInhibited(END - 1), isInhibited(END)], [true, false]);
  source.alert = { ...source.alert, endsAt: END + MINUTE };
  inhibitor.renew(source);
  assert.deepEqual([isInhibited(END), isInhibited(END + MINUTE)], [true, false]);
});

test('where one source has resolved, another still inhibits', () => {
  const long = slotOf({ severity: 'critical', cluster: 'a', n: '1' }, { endsAt: END });
  const short = slotOf({ severity: 'critical', cluster: 'a', n: '2' }, { endsAt: START + 1 });
  for (const slots of [
    [long, short],
    [short, long],
  ]) {
    const inhibitor = inhibitorOf([BY_SEVERITY], warning, ...slots);
    assert.equal(inhibitor.inhibitedBy(warning, START).length, 1);
    assert.deepEqual(inhibitor.inhibitedBy(warning, START + 1), [long.alert.fingerprint]);
    inhibitor.remove(long);
    assert.deepEqual(inhibitor.inhibitedBy(warning, START + 1), []);
  }
});

test('alerts on both sides of a rule inhibit neither themselves nor each other, but the alerts on the target side alone', () => {
  const rule: InhibitionRule = {
    name: '',
    sourceMatchers: [matcherOf('severity', '=~', 'critical|warning')],
    targetMatchers: [matcherOf('severity', '=~', 'warning|info')],
    equal: [],
  };
  const [first, second] = [slotOf({ severity: 'warning', n: '1' }), slotOf({ severity: 'warning', n: '2' })];
  const info = slotOf({ severity: 'info' });
  const inhibitor = inhibitorOf([rule], first, second, info);
  assert.deepEqual([inhibitor.inhibitedBy(first, START), inhibitor.inhibitedBy(second, START)], [[], []]);
  assert.deepEqual(inhibitor.inhibitedBy(info, START), [first.alert.fingerprint]);
  inhibitor.add(critical);
  assert.deepEqual(inhibitor.inhibitedBy(first, START), [critical.alert.fingerprint]);
});

test('a rule without matchers has every alert on both sides, and inhibits nothing', () => {
  const rule: InhibitionRule = { name: '', sourceMatchers: [], targetMatchers: [], equal: [] };
  const inhibitor = inhibitorOf([rule], critical, warning);
  assert.deepEqual([inhibitor.inhibitedBy(critical, START), inhibitor.inhibitedBy(warning, START)], [[], []]);
});

test('of several rules the first inhibiting one is returned, with name and index', () => {
  const byTeam: InhibitionRule = { ...BY_SEVERITY, name: 'team', equal: ['team'] };
  const other = slotOf({ severity: 'critical', cluster: 'z' });
  const inhibitor = inhibitorOf([byTeam, BY_SEVERITY], critical, other, warning);
  const found = inhibitor.explain(warning.alert.labels, START);
  assert.deepEqual([found?.place, found?.rule.name], [0, 'team']);
  inhibitor.replaceRules([BY_SEVERITY, byTeam], [critical, other, warning]);
  assert.deepEqual(inhibitor.explain(warning.alert.labels, START)?.source, critical);
  assert.equal(inhibitor.explain(createLabelSet({ severity: 'warning', cluster: 'q' }), START)?.place, 1);
});

test('a query of an unknown alert leaves nothing behind', () => {
  const inhibitor = inhibitorOf([BY_SEVERITY], critical);
  const before = inhibitor.keyCount;
  for (let n = 0; n < 100; n++)
    inhibitor.explain(createLabelSet({ severity: 'warning', cluster: `never seen ${n}` }), START);
  assert.equal(inhibitor.keyCount, before);
});

test('the answer for a source is the same array each time, so that a listing sees that nothing has changed', () => {
  const inhibitor = inhibitorOf([BY_SEVERITY], critical, warning);
  assert.equal(inhibitor.inhibitedBy(warning, START), inhibitor.inhibitedBy(warning, START));
});

test('without rules nothing is inhibited, and rules may come later', () => {
  const inhibitor = inhibitorOf([], critical, warning);
  assert.deepEqual(inhibitor.inhibitedBy(warning, START), []);
  inhibitor.replaceRules([BY_SEVERITY], [critical, warning]);
  assert.deepEqual(inhibitor.inhibitedBy(warning, START), [critical.alert.fingerprint]);
  inhibitor.replaceRules([], [critical, warning]);
  assert.deepEqual(inhibitor.inhibitedBy(warning, START), []);
});

/** Every source that inhibits the target, as the specification says it. */
function findSources(rules: readonly InhibitionRule[], held: Iterable<AlertSlot>, target: AlertSlot, now: number) {
  const slots = [...held];
  for (const { sourceMatchers, targetMatchers, equal } of rules) {
    const { labels } = target.alert;
    if (!matchesAll(targetMatchers, labels)) continue;
    const found = slots.filter(
      ({ alert }) =>
        alert.endsAt > now &&
        matchesAll(sourceMatchers, alert.labels) &&
        equal.every((name) => (labelValue(alert.labels, name) ?? '') === (labelValue(labels, name) ?? '')) &&
        !(matchesAll(sourceMatchers, labels) && matchesAll(targetMatchers, alert.labels)),
    );
    if (found.length > 0) return found.map(({ alert }) => alert.fingerprint);
  }
  return [];
}

const NAMES = ['a', 'b', 'c'];
const VALUES = ['', '1', '2', '3'];

function randomMatchers(random: Random): Matcher[] {
  return Array.from({ length: random.int(0, 2) }, () =>
    matcherOf(
      random.pick(NAMES),
      random.pick<MatchOperator>(['=', '=', '=', '!=', '=~', '!~']),
      random.pick([...VALUES, '1|2']),
    ),
  );
}

const randomRules = (random: Random): InhibitionRule[] =>
  Array.from({ length: random.int(0, 4) }, () => ({
    name: '',
    sourceMatchers: randomMatchers(random),
    targetMatchers: randomMatchers(random),
    equal: random.some(NAMES, 2),
  }));

test('through any changes of alerts, exactly the rules decide which alerts are inhibited', () => {
  const random = new Random(41);
  for (let round = 0; round < 60; round++) {
    let rules = randomRules(random);
    const inhibitor = new Inhibitor(rules);
    const held = new Map<string, AlertSlot>();
    let now = START;
    for (let step = 0; step < 60; step++) {
      now += random.int(0, MINUTE);
      const labels = { n: 'x', ...Object.fromEntries(NAMES.map((name) => [name, random.pick(VALUES)])) };
      const slot = slotOf(labels, { endsAt: now + random.int(0, 5) * MINUTE });
      const known = held.get(slot.alert.fingerprint);
      if (!known) {
        held.set(slot.alert.fingerprint, slot);
        inhibitor.add(slot);
      } else if (random.chance(0.5)) {
        known.alert = { ...known.alert, endsAt: slot.alert.endsAt };
        inhibitor.renew(known);
      } else {
        held.delete(slot.alert.fingerprint);
        inhibitor.remove(known);
      }
      if (random.chance(0.05)) {
        rules = randomRules(random);
        inhibitor.replaceRules(rules, held.values());
      }
      for (const target of held.values()) {
        const expected = findSources(rules, held.values(), target, now);
        const inhibitedBy = inhibitor.inhibitedBy(target, now);
        assert.equal(inhibitedBy.length, Math.min(expected.length, 1));
        for (const fingerprint of inhibitedBy) assert.ok(expected.includes(fingerprint));
        assert.equal(inhibitor.explain(target.alert.labels, now)?.source.alert.fingerprint, inhibitedBy[0]);
      }
    }
    for (const slot of held.values()) inhibitor.remove(slot);
    assert.equal(inhibitor.keyCount, 0, 'nothing is left of alerts that are gone');
  }
});

test('the number that settle gives stays the same as long as every answer does', () => {
  const random = new Random(22);
  const inhibitor = new Inhibitor([BY_SEVERITY, { ...BY_SEVERITY, equal: [] }]);
  const slots: AlertSlot[] = [];
  let now = START;
  let kept = 0;
  let before = { number: inhibitor.settle(now), answers: '' };
  for (let round = 0; round < 2_000; round++) {
    if (slots.length < 12 && random.chance(0.2)) {
      const labels = {
        severity: random.pick(['critical', 'warning']),
        cluster: random.pick(['a', 'b']),
        n: `${round}`,
      };
      const slot = slotOf(labels, { endsAt: now + random.int(0, 4) * MINUTE });
      inhibitor.add(slot);
      slots.push(slot);
    }
    const slot = slots[random.int(0, slots.length)];
    if (slot && random.chance(0.4)) {
      slot.alert = { ...slot.alert, endsAt: now + random.int(0, 4) * MINUTE };
      inhibitor.renew(slot);
    }
    if (slot && random.chance(0.05)) {
      inhibitor.remove(slot);
      slots.splice(slots.indexOf(slot), 1);
    }
    now += random.pick([0, 0, 1_000, MINUTE]);
    const settled = random.chance(0.5) ? inhibitor.settle(now) : undefined;
    // A caller may also query without settling first.
    const answers = slots.map((held) => `${held.alert.labels.values}: ${inhibitor.inhibitedBy(held, now)}`).join('\n');
    const after = { number: settled ?? inhibitor.settle(now), answers };
    const isSameHeld = answers.split('\n').length === before.answers.split('\n').length;
    if (after.number === before.number && isSameHeld) {
      assert.equal(after.answers, before.answers, `round ${round}`);
      kept++;
    }
    before = after;
  }
  assert.ok(kept > 500, `${kept} rounds without a change`);
});
