import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Random } from '../../../testing/random.ts';
import { hashBucket } from '../bucket.ts';
import { makeWorld } from '../testdata/generator.ts';
import { contextFrom, flagOf, lookupOf, segmentOf } from '../testdata/lookup.ts';
import { evaluateFlag } from './evaluate.ts';
import { printTrace, Trace } from './trace.ts';

const CONTEXT = { kind: 'multi', user: { key: 'ann', age: 7 }, org: { key: 'o', plan: { tier: 'pro' } } };

const FLAG = {
  key: 'f',
  on: true,
  salt: 's',
  variations: ['a', 'b'],
  prerequisites: [{ key: 'p', variation: 1 }],
  targets: [{ values: ['bob', 'cyd'], variation: 1 }],
  rules: [
    { id: 'r1', clauses: [{ attribute: 'age', op: 'lessThan', values: [5], negate: false }], variation: 0 },
    {
      clauses: [
        { contextKind: 'org', attribute: '/plan/tier', op: 'in', values: ['x', 'y', 'z', 1, 2, 'pro'] },
        { attribute: '', op: 'segmentMatch', values: ['none', 'beta'], negate: true },
      ],
      variation: 0,
    },
  ],
  fallthrough: {
    rollout: {
      contextKind: 'org',
      variations: [
        { variation: 0, weight: 0 },
        { variation: 1, weight: 100_000 },
      ],
    },
  },
};
const P = { key: 'p', on: true, variations: [0, 1], fallthrough: { variation: 1 } };

function trace(flag: object, others: readonly object[], segments: readonly object[], json: object): string {
  const recorded = new Trace();
  const compiled = flagOf(flag);
  evaluateFlag(compiled, contextFrom(json), lookupOf([compiled, ...others.map(flagOf)], segments.map(segmentOf)), {
    trace: recorded,
  });
  return printTrace(recorded);
}

test('a trace has each step with the compared values', () => {
  const segments = [{ key: 'beta', salt: 't', rules: [{ weight: 100_000 }] }];
  assert.equal(
    trace(FLAG, [P], segments, CONTEXT),
    `flag "f" is on
  flag "p" is on
  fallthrough
prerequisite "p": variation 1, wanted 1: met
target of 2 user keys, variation 1: no match
rule 0 (r1)
  clause: user age (7) lessThan 5: no match
rule 1
  clause: org /plan/tier ("pro") in "x", "y", "z", 1, 2 and 1 more: matches
  segment "none": unknown segment
    bucket of user by key with "beta.t": ${hashBucket('beta.t.ann')}, below 1
    segment "beta": in (rule 0)
  clause: not segmentMatch "none", "beta": no match
fallthrough
bucket of org by key with "f.s": ${hashBucket('f.s.o')}, below 1
`,
  );
});

test('a trace ends where the evaluation does', () => {
  assert.equal(trace({ ...FLAG, on: false }, [], [], CONTEXT), 'flag "f" is off\n');
  assert.equal(trace(FLAG, [], [], CONTEXT), 'flag "f" is on\nprerequisite "p": unknown flag\n');
  const off = trace(FLAG, [{ ...P, on: false, offVariation: 1 }], [], CONTEXT);
  assert.match(off, /prerequisite "p": variation 1 while off, wanted 1: failed\n$/);
});

test('a trace has the reason for a malformed flag, and for an attribute without value', () => {
  const rules = [
    { clauses: [{ attribute: 'none', op: 'in', negate: true, values: [] }] },
    { clauses: [{ contextKind: 'org', attribute: '//', op: 'in' }] },
  ];
  const printed = trace({ ...FLAG, prerequisites: [], rules }, [], [], CONTEXT);
  assert.match(printed, /clause: user none \(absent\) not in : no match\n/);
  assert.match(printed, /malformed: a clause with the attribute "\/\/": .*slash\n$/);
  const circle = trace({ ...FLAG, prerequisites: [{ key: 'f', variation: 0 }] }, [], [], CONTEXT);
  assert.match(circle, /malformed: flag "f" leads back to itself\n$/);
});

test('an evaluation that is traced comes to the same result', () => {
  for (let seed = 3001; seed <= 3010; seed++) {
    const world = makeWorld(new Random(seed), 8);
    const flags = world.flags.map(flagOf);
    const lookup = lookupOf(flags, world.segments.map(segmentOf));
    for (const context of world.contexts.map(contextFrom)) {
      for (const flag of flags) {
        const recorded = new Trace();
        assert.deepEqual(evaluateFlag(flag, context, lookup, { trace: recorded }), evaluateFlag(flag, context, lookup));
        assert.ok(recorded.steps.every(({ depth }) => depth >= 0) && printTrace(recorded).startsWith('flag '));
      }
    }
  }
});
