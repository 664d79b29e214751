import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { BigSegmentMembership, BigSegmentMemberships } from './big-segment.ts';
import { hashBucket, shareOf } from './bucket.ts';
import { type Evaluation, evaluateFlag } from './evaluation/evaluate.ts';
import { printEvaluations } from './evaluation/json.ts';
import type { BigSegmentsStatus } from './evaluation/reason.ts';
import { contextFrom, flagOf, lookupOf, segmentOf } from './testdata/lookup.ts';

const ANN = { kind: 'user', key: 'ann' };
const BOTH = { kind: 'multi', user: { key: 'ann' }, org: { key: 'o' } };

const inSegment = (...keys: readonly string[]) => ({ attribute: '', op: 'segmentMatch', values: keys });

/** Evaluates a flag with a rule for the first segment only. */
function evaluate(
  segments: readonly object[],
  json: object,
  clause: object = inSegment('s'),
  memberships?: BigSegmentMemberships,
): Evaluation {
  const flag = flagOf({
    key: 'f',
    on: true,
    variations: [true, false],
    rules: [{ clauses: [clause], variation: 0 }],
    fallthrough: { variation: 1 },
  });
  return evaluateFlag(flag, contextFrom(json), lookupOf([flag], segments.map(segmentOf)), { memberships });
}

const listedBy = (
  included: readonly string[],
  excluded: readonly string[] = [],
  status: BigSegmentsStatus = 'HEALTHY',
): BigSegmentMembership => ({ included: new Set(included), excluded: new Set(excluded), status });

const KEY_RULE = [{ clauses: [{ attribute: 'key', op: 'in', values: ['ann'] }] }];

test('a segment evaluates its lists before its rules, included before excluded', () => {
  const orgs = [{ contextKind: 'org', values: ['o'] }];
  const users = [{ contextKind: 'user', values: ['ann'] }];
  const cases: readonly (readonly [what: string, object, object, boolean])[] = [
    ['included', { included: ['ann'] }, ANN, true],
    ['included wins', { included: ['ann'], excluded: ['ann'] }, ANN, true],
    ['not included', { included: ['bob'] }, ANN, false],
    ['included are users', { included: ['o'] }, { kind: 'org', key: 'o' }, false],
    ['excluded before rules', { excluded: ['ann'], rules: KEY_RULE }, ANN, false],
    ['a rule', { rules: KEY_RULE }, ANN, true],
    ['included contexts', { includedContexts: orgs }, { kind: 'org', key: 'o' }, true],
    ['included contexts of several', { includedContexts: orgs, excluded: ['ann'] }, BOTH, true],
    ['excluded contexts', { excludedContexts: orgs, rules: KEY_RULE }, BOTH, false],
    ['included before excluded contexts', { included: ['ann'], excludedContexts: orgs }, BOTH, true],
    ['user keys among the contexts of several', { includedContexts: users }, BOTH, true],
    ['user keys among the contexts of one user, as in ld-relay', { includedContexts: users }, ANN, false],
    ['rules after these lists, too', { excludedContexts: users, rules: KEY_RULE }, ANN, true],
    ['a rule without clauses', { rules: [{}] }, ANN, true],
    ['no rules', {}, ANN, false],
  ];
  for (const [what, segment, context, isMember] of cases) {
    assert.equal(evaluate([{ key: 's', salt: 'x', ...segment }], context).value, isMember, what);
  }
});

test('one of several segments is enough; negated, none may match', () => {
  const segments = [{ key: 's' }, { key: 't', included: ['ann'] }];
  assert.equal(evaluate(segments, ANN, inSegment('none', 's', 't')).value, true);
  assert.equal(evaluate(segments, ANN, { ...inSegment('s', 't'), negate: true }).value, false);
  assert.equal(evaluate(segments, ANN, { ...inSegment('s', 'none'), negate: true }).value, true);
});

test('a weighted rule matches the buckets below its weight', () => {
  for (let n = 0; n < 200; n++) {
    const isMember = hashBucket(`s.x.u${n}`) < shareOf(30_000);
    const segment = { key: 's', salt: 'x', rules: [{ weight: 30_000 }] };
    assert.equal(evaluate([segment], { kind: 'user', key: `u${n}` }).value, isMember);
  }
});

test('a weighted rule does not match without its kind, and without its attribute it is the first bucket', () => {
  const weighted = (rule: object) => [{ key: 's', salt: 'x', rules: [{ weight: 100_000, ...rule }] }];
  assert.equal(evaluate(weighted({ rolloutContextKind: 'org' }), ANN).value, false);
  assert.equal(evaluate(weighted({ rolloutContextKind: 'org' }), BOTH).value, true);
  assert.equal(evaluate(weighted({ bucketBy: 'none', weight: 1 }), ANN).value, true);
  assert.equal(evaluate(weighted({ bucketBy: 'none', weight: 0 }), ANN).value, false);
  assert.equal(evaluate(weighted({ bucketBy: '//' }), ANN).value, true);
  const malformed = evaluate(weighted({ bucketBy: '//', rolloutContextKind: 'user' }), ANN);
  assert.deepEqual(malformed.reason, { kind: 'ERROR', errorKind: 'MALFORMED_FLAG' });
});

test('circular segments, and a malformed clause in one, make the flag malformed', () => {
  const via = (key: string, next: string) => ({ key, rules: [{ clauses: [inSegment(next)] }] });
  const cases: readonly (readonly object[])[] = [
    [via('s', 's')],
    [via('s', 't'), via('t', 'u'), via('u', 's')],
    [via('s', 't'), { key: 't', rules: [{ clauses: [{ attribute: '', op: 'in' }] }] }],
  ];
  for (const segments of cases) {
    assert.deepEqual(evaluate(segments, ANN).reason, { kind: 'ERROR', errorKind: 'MALFORMED_FLAG' });
  }
  assert.equal(evaluate([via('s', 't'), { ...via('t', 's'), included: ['ann'] }], ANN).value, true);
});

test('a big segment is evaluated by its rules only, and the reason reports the missing store', () => {
  const big = { key: 's', unbounded: true, generation: 1, included: ['ann'] };
  const status = { bigSegmentsStatus: 'NOT_CONFIGURED' };
  const missed = { kind: 'FALLTHROUGH' };
  const matched = { kind: 'RULE_MATCH', ruleIndex: 0 };
  const cases: readonly (readonly [object, object, object])[] = [
    [big, ANN, { ...missed, ...status }],
    [{ ...big, rules: KEY_RULE }, ANN, { ...matched, ...status }],
    [{ ...big, rules: KEY_RULE, generation: null }, ANN, { ...missed, ...status }],
    [{ ...big, rules: KEY_RULE, unboundedContextKind: 'org' }, ANN, missed],
    [{ ...big, generation: null, unboundedContextKind: 'org' }, ANN, { ...missed, ...status }],
    [{ ...big, unboundedContextKind: 'org' }, BOTH, { ...missed, ...status }],
  ];
  for (const [segment, context, reason] of cases) {
    assert.deepEqual(evaluate([segment], context).reason, reason, JSON.stringify([segment, context]));
  }
});

test('the store decides on a big segment, for one generation, and the rules on contexts that it does not list', () => {
  const big = { key: 's', unbounded: true, generation: 2, rules: KEY_RULE };
  const cases: readonly (readonly [what: string, BigSegmentMembership, segment: object, isMember: boolean])[] = [
    ['included', listedBy(['s.g2']), { ...big, rules: [] }, true],
    ['excluded before rules', listedBy([], ['s.g2']), big, false],
    ['included wins', listedBy(['s.g2'], ['s.g2']), { ...big, rules: [] }, true],
    ['of an earlier generation', listedBy(['s.g1']), { ...big, rules: [] }, false],
    ['of another segment', listedBy(['t.g2']), { ...big, rules: [] }, false],
    ['not listed, a rule', listedBy([]), big, true],
    ['not listed, no rule', listedBy([]), { ...big, rules: [] }, false],
    ['stale', listedBy(['s.g2'], [], 'STALE'), { ...big, rules: [] }, true],
    ['failed, a rule', listedBy([], [], 'STORE_ERROR'), big, true],
    ['without a generation', listedBy(['s.g2']), { ...big, generation: null }, false],
  ];
  for (const [what, membership, segment, isMember] of cases) {
    const { value, reason } = evaluate([segment], ANN, undefined, new Map([['ann', membership]]));
    assert.equal(value, isMember, what);
    const hasGeneration = 'generation' in segment && segment.generation !== null;
    assert.equal(reason.bigSegmentsStatus, hasGeneration ? membership.status : 'NOT_CONFIGURED', what);
  }
});

test('a big segment has the keys of one kind; a key that was not looked up counts as a failure of the store', () => {
  const big = { key: 's', unbounded: true, generation: 1, unboundedContextKind: 'org' };
  const memberships = new Map([['o', listedBy(['s.g1'])]]);
  assert.equal(evaluate([big], BOTH, undefined, memberships).value, true);
  const ofAnother = evaluate([big], ANN, undefined, memberships);
  assert.deepEqual(ofAnother.reason, { kind: 'FALLTHROUGH' });
  const unknown = evaluate([{ ...big, unboundedContextKind: '' }], BOTH, undefined, memberships);
  assert.deepEqual(unknown.reason, { kind: 'FALLTHROUGH', bigSegmentsStatus: 'STORE_ERROR' });
});

test('of several look-ups of big segments the gravest status counts', () => {
  const big = { unbounded: true, generation: 1 };
  const segments = [
    { ...big, key: 's' },
    { ...big, key: 't', unboundedContextKind: 'org' },
  ];
  const cases: readonly (readonly [BigSegmentsStatus, BigSegmentsStatus, BigSegmentsStatus])[] = [
    ['HEALTHY', 'STALE', 'STALE'],
    ['STORE_ERROR', 'STALE', 'STORE_ERROR'],
    ['HEALTHY', 'HEALTHY', 'HEALTHY'],
    ['STALE', 'NOT_CONFIGURED', 'NOT_CONFIGURED'],
    ['NOT_CONFIGURED', 'STORE_ERROR', 'NOT_CONFIGURED'],
  ];
  for (const [ofUser, ofOrg, expected] of cases) {
    const memberships = new Map([
      ['ann', listedBy([], [], ofUser)],
      ['o', listedBy([], [], ofOrg)],
    ]);
    const { reason } = evaluate(segments, BOTH, inSegment('s', 't'), memberships);
    assert.equal(reason.bigSegmentsStatus, expected, `${ofUser}, ${ofOrg}`);
  }
});

test('the big segment status of a prerequisite or segment is in the reason of every flag that uses it', () => {
  const segments = [
    segmentOf({ key: 'big', unbounded: true, generation: 1 }),
    segmentOf({ key: 'around', rules: [{ clauses: [inSegment('big')] }] }),
  ];
  const on = { version: 1, on: true, variations: [0, 1], fallthrough: { variation: 1 } };
  const asks = { ...on, rules: [{ clauses: [inSegment('around')], variation: 0 }] };
  const needs = { ...on, prerequisites: [{ key: 'a', variation: 1 }] };
  const flags = [
    { ...asks, key: 'a' },
    { ...asks, key: 'b' },
    { ...needs, key: 'c' },
    { ...needs, key: 'd' },
    { ...on, key: 'e' },
  ].map(flagOf);
  const body = printEvaluations(flags, contextFrom(ANN), lookupOf(flags, segments), { withReasons: true });
  const statuses = Object.entries<Evaluation>(JSON.parse(body)).map(([key, { reason }]) => [
    key,
    reason.bigSegmentsStatus,
  ]);
  const status = 'NOT_CONFIGURED';
  assert.deepEqual(statuses, [
    ['a', status],
    ['b', status],
    ['c', status],
    ['d', status],
    ['e', undefined],
  ]);
});

test('a clause may name more segments than the nesting limit', () => {
  const keys = Array.from({ length: 2000 }, (_, index) => `s${index}`);
  const segments = keys.map((key) => ({ key, included: key === 's1999' ? ['ann'] : [] }));
  assert.equal(evaluate(segments, ANN, inSegment(...keys)).value, true);
});
