import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Random } from '../../../testing/random.ts';
import { matcherOf, silenceOf } from '../../testing/parts.ts';
import { createLabelSet, type LabelSet, labelValue } from '../label-set.ts';
import type { Silence } from '../silence.ts';
import { MatcherIndex, matchesAll } from './index.ts';
import type { MatchOperator } from './matcher.ts';

const NAMES = ['alertname', 'job', '__proto__', 'constructor', 'été'];
const VALUES = ['', 'a', 'b', 'ab', '__proto__', 'constructor'];

function randomSilence(random: Random, id: string): Silence {
  const matchers = Array.from({ length: random.int(1, 3) }, () => {
    const operator = random.pick<MatchOperator>(['=', '=', '!=', '=~', '!~']);
    const value = operator.endsWith('~') ? random.pick(['', 'a', 'a|b', '.*', '.+', 'a?b']) : random.pick(VALUES);
    return matcherOf(random.pick(NAMES), operator, value);
  });
  return silenceOf({ id, matchers });
}

function randomLabels(random: Random): LabelSet {
  return createLabelSet(Object.fromEntries(random.some(NAMES, 4).map((name) => [name, random.pick(VALUES)])));
}

/** What a silence matches, said once more and slowly. */
function naiveMatches(silence: Silence, labels: LabelSet): boolean {
  return silence.matchers.every(({ name, operator, value }) => {
    const actual = labelValue(labels, name) ?? '';
    const equal = operator.endsWith('~') ? new RegExp(`^(?:${value})$`).test(actual) : actual === value;
    return operator.startsWith('!') ? !equal : equal;
  });
}

const idsOf = (silences: Iterable<Silence>) => [...silences].map(({ id }) => id).sort();

test('the index finds the same as a scan of all silences, also after removals', () => {
  const random = new Random(6);
  for (let round = 0; round < 60; round++) {
    const silences = new Set(Array.from({ length: random.int(0, 40) }, (_, id) => randomSilence(random, String(id))));
    const index = new MatcherIndex(silences);
    for (let step = 0; step < 12; step++) {
      assert.equal(index.size, silences.size);
      for (let look = 0; look < 5; look++) {
        const labels = randomLabels(random);
        const expected = idsOf([...silences].filter((silence) => naiveMatches(silence, labels)));
        assert.deepEqual(idsOf(index.matching(labels)), expected);
      }
      for (const silence of random.some([...silences], 6)) {
        silences.delete(silence);
        index.delete(silence);
      }
      if (random.chance(0.5)) {
        const added = randomSilence(random, `${round}-${step}`);
        silences.add(added);
        index.add(added);
      }
    }
  }
});

test('only the added object itself is removed, and only once', () => {
  const silence = silenceOf();
  const index = new MatcherIndex([silence]);
  index.delete({ ...silence });
  assert.equal(index.size, 1);
  index.delete(silence);
  index.delete(silence);
  assert.equal(index.size, 0);
  assert.deepEqual([...index.matching(createLabelSet({ a: 'b' }))], []);
});

test('an absent label counts as an empty one', () => {
  const labels = createLabelSet({ a: 'b' });
  const cases: readonly (readonly [MatchOperator, string, boolean])[] = [
    ['=', '', true],
    ['!=', '', false],
    ['=~', '.*', true],
    ['=~', '.+', false],
    ['!~', 'x', true],
    ['!=', 'x', true],
  ];
  for (const [operator, value, expected] of cases) {
    assert.equal(matchesAll([matcherOf('c', operator, value)], labels), expected, `${operator} ${value}`);
  }
});
