import { bigSegmentReference, isListed } from './big-segment.ts';
import { type Bucketing, bucketingOf, bucketOf, shareOf } from './bucket.ts';
import { type CompiledClause, compileClause, matchesAll } from './clause.ts';
import { referenceIn } from './context/attribute-reference.ts';
import { type Context, individualOf, kindOf } from './context/context.ts';
import type { EvaluationScope } from './evaluation/scope.ts';
import { Malformed, type Match } from './malformed.ts';
import type { Segment, SegmentRule, SegmentTarget } from './segment.ts';

interface KeySet {
  readonly kind: string;
  readonly keys: ReadonlySet<string>;
}

interface CompiledSegmentRule {
  readonly clauses: readonly CompiledClause[];
  /** Undefined: all contexts that match the clauses. */
  readonly share: { readonly bucketing: Bucketing | Malformed; readonly threshold: number } | undefined;
}

/** A segment prepared for evaluation. */
export interface CompiledSegment {
  readonly segment: Segment;
  readonly included: readonly KeySet[];
  readonly excluded: readonly KeySet[];
  /** The top-level key lists only, for a context with the single kind `user`. */
  readonly ofUser: { readonly included: readonly KeySet[]; readonly excluded: readonly KeySet[] };
  readonly rules: readonly CompiledSegmentRule[];
}

const keySet = ({ contextKind, values }: SegmentTarget): KeySet => ({
  kind: kindOf(contextKind),
  keys: new Set(values),
});

function compileRule(rule: SegmentRule, { key, salt }: Segment): CompiledSegmentRule {
  const clauses = rule.clauses.map(compileClause);
  if (rule.weight === undefined) return { clauses, share: undefined };
  const attribute = referenceIn(rule.rolloutContextKind, rule.bucketBy === '' ? 'key' : rule.bucketBy);
  const bucketing = attribute.ok
    ? bucketingOf({
        contextKind: kindOf(rule.rolloutContextKind),
        attribute: attribute.value,
        prefix: `${key}.${salt}`,
        isExperiment: false,
      })
    : new Malformed(`a rule of segment ${JSON.stringify(key)}, bucketBy: ${attribute.reason}`);
  return { clauses, share: { bucketing, threshold: shareOf(rule.weight) } };
}

/** Prepares a segment for evaluation. */
export function compileSegment(segment: Segment): CompiledSegment {
  const included = keySet({ contextKind: '', values: segment.included });
  const excluded = keySet({ contextKind: '', values: segment.excluded });
  return {
    segment,
    included: [included, ...segment.includedContexts.map(keySet)],
    excluded: [excluded, ...segment.excludedContexts.map(keySet)],
    ofUser: { included: [included], excluded: [excluded] },
    rules: segment.rules.map((rule) => compileRule(rule, segment)),
  };
}

function holds(sets: readonly KeySet[], context: Context): boolean {
  for (const { kind, keys } of sets) {
    const individual = keys.size === 0 ? undefined : individualOf(context, kind);
    if (individual && keys.has(individual.key)) return true;
  }
  return false;
}

/** As ld-relay: a context with the single kind `user` is looked up in the segment's top-level key lists only. */
function listed(compiled: CompiledSegment, context: Context): boolean | undefined {
  const { included, excluded } = context.kind === 'user' ? compiled.ofUser : compiled;
  if (holds(included, context)) return true;
  return holds(excluded, context) ? false : undefined;
}

function matchRule({ clauses, share }: CompiledSegmentRule, scope: EvaluationScope): Match {
  const match = matchesAll(clauses, scope);
  if (match !== true || !share) return match;
  if (share.bucketing instanceof Malformed) return share.bucketing;
  const bucket = bucketOf(share.bucketing, scope.context);
  const isMatch = bucket !== undefined && bucket < share.threshold;
  scope.trace?.add({
    step: 'bucket',
    bucketing: share.bucketing,
    bucket,
    below: isMatch ? share.threshold : undefined,
  });
  return isMatch;
}

function matchRules({ segment, rules }: CompiledSegment, scope: EvaluationScope): Match {
  for (const [index, rule] of rules.entries()) {
    const match = matchRule(rule, scope);
    if (match === false) continue;
    scope.trace?.add({ step: 'segment', key: segment.key, because: `rule ${index}`, isMember: match === true });
    return match;
  }
  return decided(segment, scope, 'not included, no rule matches', false);
}

/** As ld-relay: the store decides; contexts that it does not list, or cannot look up, are matched by the rules. */
function matchUnbounded(compiled: CompiledSegment, scope: EvaluationScope): Match {
  const { segment } = compiled;
  if (segment.generation === undefined) {
    scope.noteBigSegments('NOT_CONFIGURED');
    return decided(segment, scope, 'a big segment without a generation', false);
  }
  const individual = individualOf(scope.context, kindOf(segment.unboundedContextKind));
  if (!individual) return decided(segment, scope, 'a big segment of another kind', false);
  const membership = scope.membershipOf(individual.key);
  const isMember = membership && isListed(membership, bigSegmentReference(segment));
  if (isMember === undefined) return matchRules(compiled, scope);
  return decided(segment, scope, `${isMember ? 'included' : 'excluded'} in the big segment store`, isMember);
}

function decided({ key }: Segment, { trace }: EvaluationScope, because: string, isMember: boolean): boolean {
  trace?.add({ step: 'segment', key, because, isMember });
  return isMember;
}

/** Whether the scope's context is in the segment. */
export function matchSegment(compiled: CompiledSegment, scope: EvaluationScope): Match {
  const { segment } = compiled;
  if (segment.unbounded) return matchUnbounded(compiled, scope);
  const isMember = listed(compiled, scope.context);
  if (isMember === undefined) return matchRules(compiled, scope);
  return decided(segment, scope, isMember ? 'included' : 'excluded', isMember);
}
