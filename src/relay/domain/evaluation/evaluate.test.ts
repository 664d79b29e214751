import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { CompiledSegment } from '../segment-match.ts';
import { contextFrom, flagOf, lookupOf, segmentOf } from '../testdata/lookup.ts';
import { type Evaluation, evaluateFlag } from './evaluate.ts';
import { printEvaluations } from './json.ts';

const ANN = { kind: 'user', key: 'ann' };
const MALFORMED = { kind: 'ERROR', errorKind: 'MALFORMED_FLAG' };

const base = { key: 'f', version: 1, on: true, salt: 's', variations: ['a', 'b', 'c'], offVariation: 2 };

/** Evaluates the first of the flags. */
function evaluate(flags: readonly object[], json: object = ANN, segments: readonly CompiledSegment[] = []): Evaluation {
  const compiled = flags.map(flagOf);
  const [first] = compiled;
  assert.ok(first);
  return evaluateFlag(first, contextFrom(json), lookupOf(compiled, segments));
}

const brief = ({ variation, value, reason }: Evaluation) => [variation, value, reason];

const clause = (attribute: string, op: string, ...values: readonly unknown[]) => ({ attribute, op, values });

test('a flag that is off serves its off variation, or no variation without one', () => {
  assert.deepEqual(brief(evaluate([{ ...base, on: false }])), [2, 'c', { kind: 'OFF' }]);
  assert.deepEqual(brief(evaluate([{ ...base, on: false, offVariation: null }])), [null, null, { kind: 'OFF' }]);
  assert.deepEqual(brief(evaluate([{ ...base, on: false, offVariation: 3 }])), [null, null, MALFORMED]);
  assert.deepEqual(brief(evaluate([{ ...base, on: false, offVariation: -1 }])), [null, null, MALFORMED]);
});

test('a rule or fallthrough without a variation that there is makes the flag malformed', () => {
  for (const serving of [{}, { variation: 3 }, { variation: -1 }, { rollout: {} }, { rollout: { variations: [] } }]) {
    assert.deepEqual(brief(evaluate([{ ...base, fallthrough: serving }])), [null, null, MALFORMED]);
    const rules = [{ clauses: [], ...serving }];
    assert.deepEqual(brief(evaluate([{ ...base, fallthrough: { variation: 0 }, rules }])), [null, null, MALFORMED]);
  }
});

test('targets are evaluated in order, including targets of other kinds', () => {
  const targets = [
    { values: ['ann'], variation: 0 },
    { values: ['bob'], variation: 1 },
  ];
  const both = { kind: 'multi', user: { key: 'ann' }, org: { key: 'o' } };
  const org = { contextKind: 'org', values: ['o'], variation: 2 };
  const empty = { contextKind: 'user', values: [], variation: 0 };
  const cases: readonly (readonly [what: string, readonly object[], object, number])[] = [
    ['without contextTargets', [], ANN, 0],
    ['without contextTargets, no context', [], { kind: 'org', key: 'ann' }, 1],
    ['the first in order', [org, empty], both, 2],
    ['the first in order', [empty, org], both, 0],
    ['targets without an empty entry do not count', [org], ANN, 1],
    ['an empty entry without a kind', [{ values: [], variation: 0 }], ANN, 0],
    ['an empty entry without targets', [{ ...empty, variation: 2 }], ANN, 1],
    ['user keys among contextTargets', [{ contextKind: 'user', values: ['ann'], variation: 2 }], ANN, 2],
  ];
  for (const [what, contextTargets, context, variation] of cases) {
    const flag = { ...base, targets, contextTargets, fallthrough: { variation: 1 } };
    assert.equal(evaluate([flag], context).variation, variation, what);
  }
  assert.deepEqual(evaluate([{ ...base, targets }]).reason, { kind: 'TARGET_MATCH' });
});

test('the first rule all of whose clauses match serves, and its reason names it', () => {
  const rules = [
    { id: 'both', clauses: [clause('key', 'in', 'ann'), clause('email', 'contains', '@')], variation: 0 },
    { clauses: [clause('key', 'in', 'ann')], variation: 1 },
    { id: 'all', clauses: [], variation: 2 },
  ];
  const flag = { ...base, rules, fallthrough: { variation: 0 } };
  const served = (context: object) => evaluate([flag], context).reason;
  assert.deepEqual(served({ ...ANN, email: 'a@b' }), { kind: 'RULE_MATCH', ruleIndex: 0, ruleId: 'both' });
  assert.deepEqual(served(ANN), { kind: 'RULE_MATCH', ruleIndex: 1 });
  assert.deepEqual(served({ kind: 'org', key: 'o' }), { kind: 'RULE_MATCH', ruleIndex: 2, ruleId: 'all' });
});

test('a clause without an attribute value does not match, negated or not', () => {
  const cases: readonly (readonly [object, object, boolean])[] = [
    [{ ...clause('a', 'in', 1), negate: true }, ANN, false],
    [{ ...clause('a', 'in', 1), negate: true }, { kind: 'org', key: 'o', a: 2 }, false],
    [{ ...clause('a', 'in', 1), negate: true }, { ...ANN, a: 2 }, true],
    [{ ...clause('a', 'in', 1), negate: true }, { ...ANN, a: [] }, true],
    [{ ...clause('a', 'in', 1), negate: true }, { ...ANN, a: [2, 1] }, false],
    [clause('a', 'in', 1), { ...ANN, a: [2, 1] }, true],
    [clause('a', 'in', 1), { ...ANN, a: [[1]] }, false],
    [{ ...clause('a', 'in', 1), negate: true }, { ...ANN, a: { b: 1 } }, true],
    [{ ...clause('/a/b', 'in', 1), contextKind: 'org' }, { kind: 'org', key: 'o', a: { b: 1 } }, true],
    [clause('/a/b', 'in', 1), { ...ANN, a: { b: 1 } }, false],
    [clause('/a/b', 'in', 1), { ...ANN, '/a/b': 1 }, true],
    [clause('kind', 'in', 'org'), { kind: 'multi', user: { key: 'u' }, org: { key: 'o' } }, true],
    [{ ...clause('kind', 'in', 'org'), negate: true }, { kind: 'multi', user: { key: 'u' }, org: { key: 'o' } }, false],
    [{ ...clause('kind', 'in', 'org'), negate: true }, ANN, true],
    [{ ...clause('kind', 'in', 'device'), contextKind: 'org', negate: true }, ANN, true],
    [
      { ...clause('/kind', 'in', 'org'), contextKind: 'org' },
      { kind: 'multi', user: { key: 'u' }, org: { key: 'o' } },
      true,
    ],
    [{ ...clause('/kind', 'startsWith', ''), contextKind: 'org' }, ANN, false],
    [clause('anonymous', 'in', false), ANN, true],
    [clause('name', 'in', ''), ANN, false],
    [clause('_meta', 'in', ''), { ...ANN, _meta: { privateAttributes: [] } }, false],
    [clause('a', 'nearly', 1), { ...ANN, a: 1 }, false],
    [{ ...clause('a', 'nearly', 1), negate: true }, { ...ANN, a: 1 }, true],
    [{ ...clause('', 'segmentMatch', 'none', 5), negate: true }, ANN, true],
  ];
  for (const [some, context, isMatch] of cases) {
    const flag = { ...base, rules: [{ clauses: [some], variation: 0 }], fallthrough: { variation: 1 } };
    assert.equal(evaluate([flag], context).variation, isMatch ? 0 : 1, JSON.stringify([some, context]));
  }
});

test('a clause with an invalid reference makes the flag malformed, once it is evaluated', () => {
  for (const bad of [clause('', 'in', 'x'), { op: 'in' }, { ...clause('//', 'in', 'x'), contextKind: 'user' }]) {
    const rules = [{ clauses: [clause('key', 'in', 'ann'), bad], variation: 0 }];
    const flag = { ...base, rules, fallthrough: { variation: 1 } };
    assert.deepEqual(brief(evaluate([flag])), [null, null, MALFORMED]);
    assert.equal(evaluate([flag], { kind: 'user', key: 'bob' }).variation, 1);
  }
});

const half = (more: object = {}) => ({
  rollout: {
    ...more,
    variations: [
      { variation: 0, weight: 0 },
      { variation: 1, weight: 100_000 },
    ],
  },
});

test('a context without the kind of a rollout or experiment is in its first bucket, and in no experiment', () => {
  const flag = { ...base, fallthrough: half({ kind: 'experiment', contextKind: 'org' }) };
  assert.deepEqual(brief(evaluate([flag])), [1, 'b', { kind: 'FALLTHROUGH' }]);
  const inside = evaluate([flag], { kind: 'org', key: 'o' });
  assert.deepEqual(inside.reason, { kind: 'FALLTHROUGH', inExperiment: true });
  assert.equal(inside.isExperiment, true);
});

test('a bucket above the last weight has the last variation', () => {
  const rollout = {
    kind: 'experiment',
    variations: [
      { variation: 0, weight: 0 },
      { variation: 2, weight: 0 },
    ],
  };
  const last = evaluate([{ ...base, fallthrough: { rollout } }]);
  assert.deepEqual(brief(last), [2, 'c', { kind: 'FALLTHROUGH', inExperiment: true }]);
  assert.deepEqual(evaluate([{ ...base, fallthrough: { rollout } }], { kind: 'org', key: 'o' }).reason, last.reason);
});

test('an experiment buckets by key, ignoring bucketBy, and its untracked part is in no experiment', () => {
  const variations = [{ variation: 0, weight: 100_000, untracked: true }];
  const rules = [
    { id: 'r', clauses: [], rollout: { kind: 'experiment', contextKind: 'user', bucketBy: '//', variations } },
  ];
  assert.deepEqual(evaluate([{ ...base, rules }]).reason, { kind: 'RULE_MATCH', ruleIndex: 0, ruleId: 'r' });
  const plain = [{ clauses: [], rollout: { contextKind: 'user', bucketBy: '//', variations } }];
  assert.deepEqual(evaluate([{ ...base, rules: plain }]).reason, MALFORMED);
});

test('events count in an experiment according to the reason, the fallthrough or the rule', () => {
  const rule = (trackEvents: boolean) => [{ clauses: [], variation: 0, trackEvents }];
  const cases: readonly (readonly [object, boolean])[] = [
    [{ fallthrough: { variation: 0 }, trackEventsFallthrough: true }, true],
    [{ fallthrough: { variation: 0 }, trackEvents: true }, false],
    [{ rules: rule(true) }, true],
    [{ rules: rule(false), trackEventsFallthrough: true }, false],
    [{ on: false, trackEventsFallthrough: true }, false],
    [{ fallthrough: {}, trackEventsFallthrough: true }, false],
  ];
  for (const [more, isExperiment] of cases) {
    assert.equal(evaluate([{ ...base, ...more }]).isExperiment, isExperiment, JSON.stringify(more));
  }
});

const needs = (...prerequisites: readonly (readonly [key: string, variation: number])[]) => ({
  ...base,
  fallthrough: { variation: 0 },
  prerequisites: prerequisites.map(([key, variation]) => ({ key, variation })),
});
const failed = (prerequisiteKey: string) => [2, 'c', { kind: 'PREREQUISITE_FAILED', prerequisiteKey }];
const on = (key: string) => ({ ...base, key, fallthrough: { variation: 1 } });

test('the first prerequisite that is missing, off or of another variation fails the flag', () => {
  const off = { ...on('x'), on: false, offVariation: 1 };
  const cases: readonly (readonly [readonly object[], unknown, readonly string[]])[] = [
    [[needs(['x', 1]), on('x')], [0, 'a', { kind: 'FALLTHROUGH' }], ['x']],
    [[needs(['x', 0]), on('x')], failed('x'), ['x']],
    [[needs(['x', 1])], failed('x'), []],
    [[needs(['x', 1]), off], failed('x'), ['x']],
    [[needs(['x', 1]), { ...on('x'), deleted: true }], failed('x'), []],
    [[needs(['x', 1], ['y', 0], ['z', 1]), on('x'), on('y'), on('z')], failed('y'), ['x', 'y']],
    [[needs(['x', 1]), { ...on('x'), fallthrough: { variation: 7 } }], failed('x'), ['x']],
    [[{ ...needs(['x', 1]), on: false }, on('x')], [2, 'c', { kind: 'OFF' }], []],
    [
      [needs(['x', 1]), { ...on('x'), prerequisites: [{ key: 'y', variation: 1 }] }, on('y')],
      [0, 'a', { kind: 'FALLTHROUGH' }],
      ['x'],
    ],
    [
      [needs(['x', 1], ['x', 1]), on('x')],
      [0, 'a', { kind: 'FALLTHROUGH' }],
      ['x', 'x'],
    ],
  ];
  for (const [flags, expected, prerequisites] of cases) {
    const evaluation = evaluate(flags);
    assert.deepEqual(brief(evaluation), expected, JSON.stringify(flags));
    assert.deepEqual(evaluation.prerequisites, prerequisites, JSON.stringify(flags));
  }
});

test('circular prerequisites, and a malformed clause in one, make the flag malformed', () => {
  const circles: readonly (readonly object[])[] = [
    [needs(['f', 0])],
    [needs(['x', 1]), { ...on('x'), prerequisites: [{ key: 'f', variation: 0 }] }],
    [
      needs(['x', 1]),
      { ...on('x'), prerequisites: [{ key: 'y', variation: 1 }] },
      { ...on('y'), prerequisites: [{ key: 'x', variation: 1 }] },
    ],
    [needs(['x', 1]), { ...on('x'), rules: [{ clauses: [{ attribute: '', op: 'in' }], variation: 1 }] }],
  ];
  for (const flags of circles) {
    assert.deepEqual(brief(evaluate(flags)), [null, null, MALFORMED], JSON.stringify(flags));
    assert.deepEqual(evaluate(flags).prerequisites, []);
  }
});

/** Each flag depends twice on the next one: without the cache that would be 2^60 evaluations. */
test('prerequisites that share prerequisites are evaluated once', () => {
  const flags = Array.from({ length: 60 }, (_, index) => {
    const next = { key: `f${index + 1}`, variation: 1 };
    return { ...on(`f${index}`), prerequisites: index === 59 ? [] : [next, next] };
  });
  assert.deepEqual(brief(evaluate(flags)), [1, 'b', { kind: 'FALLTHROUGH' }]);
});

test('prerequisites and segments deeper than any stack make the flag malformed, and nothing throws', () => {
  const chain = (length: number) =>
    Array.from({ length }, (_, index) => ({
      ...on(`f${index}`),
      prerequisites: index === length - 1 ? [] : [{ key: `f${index + 1}`, variation: 1 }],
    }));
  assert.equal(evaluate(chain(400)).variation, 1);
  assert.deepEqual(evaluate(chain(20_000)).reason, MALFORMED);
  const segments = Array.from({ length: 20_000 }, (_, index) =>
    segmentOf({ key: `s${index}`, rules: [{ clauses: [clause('', 'segmentMatch', `s${index + 1}`)] }] }),
  );
  const rules = [{ clauses: [clause('', 'segmentMatch', 's0')], variation: 0 }];
  assert.deepEqual(evaluate([{ ...base, rules }], ANN, segments).reason, MALFORMED);
});

test('in a circular chain each flag has a bounded number of lookups', () => {
  const flags = Array.from({ length: 50_000 }, (_, index) =>
    flagOf({ ...on(`f${index}`), prerequisites: [{ key: `f${(index + 1) % 50_000}`, variation: 1 }] }),
  );
  const lookup = lookupOf(flags);
  let lookups = 0;
  const counted = {
    ...lookup,
    flag: (key: string) => {
      lookups++;
      return lookup.flag(key);
    },
  };
  const text = printEvaluations(flags, contextFrom(ANN), counted, { withReasons: true });
  assert.equal(text.match(/MALFORMED_FLAG/g)?.length, 50_000);
  assert.ok(lookups <= 25 * flags.length, `${lookups} lookups`);
});
