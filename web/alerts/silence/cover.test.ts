import assert from 'node:assert/strict';
import { test } from 'node:test';
import { coverAlerts, formatMatcherSets, splitMatcherSets } from './cover.ts';

/** Alerts named by their labels: `A x=1 y=2`. */
const alerts = (...texts: string[]) =>
  texts.map((text) => {
    const [alertname = '', ...pairs] = text.split(' ');
    return { fingerprint: text, labels: { alertname, ...Object.fromEntries(pairs.map((pair) => pair.split('='))) } };
  });

const CASES: readonly [what: string, selected: readonly string[], others: readonly string[], sets: string][] = [
  ['one alert has all of its labels', ['A x=1 y=2'], ['A x=1 y=3'], '{alertname="A",x="1",y="2"}'],
  ['alerts that differ in one label', ['A x=1', 'A x=2.0'], ['A x=3'], '{alertname="A",x=~"1|2\\\\.0"}'],
  ['of several differing labels one is enough', ['A x=1 y=1', 'A x=2 y=2'], ['A x=1 y=3'], '{alertname="A",y=~"1|2"}'],
  ['the label with the most values', ['A x=1 y=1', 'A x=1 y=2', 'A x=2 y=3'], ['B'], '{alertname="A",y=~"1|2|3"}'],
  [
    'several differing labels together',
    ['A x=1 y=1', 'A x=2 y=2', 'A x=1 y=2', 'A x=2 y=1'],
    ['A x=1 y=3', 'A x=3 y=1'],
    '{alertname="A",x=~"1|2",y=~"1|2"}',
  ],
  ['without a label that distinguishes them, what they have in common', ['A', 'A x=1'], ['B'], '{alertname="A"}'],
  [
    'one set per name',
    ['A x=1', 'A x=2', 'B x=1'],
    ['A x=3', 'B x=2'],
    '{alertname="A",x=~"1|2"},{alertname="B",x="1"}',
  ],
  [
    'else one set per alert',
    ['A x=1 y=1', 'A x=2 y=2'],
    ['A x=1 y=2', 'A x=2 y=1'],
    '{alertname="A",x="1",y="1"},{alertname="A",x="2",y="2"}',
  ],
  ['of two names, one expression', ['A x=1', 'B x=1'], ['C x=1'], '{x="1",alertname=~"A|B"}'],
];

for (const [what, selected, others, sets] of CASES) {
  test(`few silences for selected alerts: ${what}`, () => {
    assert.equal(formatMatcherSets(coverAlerts(alerts(...selected), alerts(...selected, ...others))), sets);
  });
}

test('several sets of a link are distinguished, also with braces in quotes', () => {
  assert.deepEqual(splitMatcherSets('{a="b},{",c="\\""},{d="e"}'), ['{a="b},{",c="\\""}', '{d="e"}']);
  for (const one of ['', '{a="b"}', 'a="b"', '{a="b"', '{a="b"} {c="d"}'])
    assert.deepEqual(splitMatcherSets(one), [one]);
});
