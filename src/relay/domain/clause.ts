import { type AttributeReference, attributeOf, referenceIn } from './context/attribute-reference.ts';
import { type Context, individualOf, kindOf } from './context/context.ts';
import type { EvaluationScope } from './evaluation/scope.ts';
import type { Clause } from './flag.ts';
import type { Json } from './json.ts';
import { Malformed, type Match } from './malformed.ts';
import { compileOperator, type ValueTest } from './operator.ts';

/** A clause prepared for evaluation. */
export interface CompiledClause {
  readonly clause: Clause;
  matches(scope: EvaluationScope): Match;
}

function matchSegments(clause: Clause, keys: readonly string[], scope: EvaluationScope): Match {
  let isMember: Match = false;
  for (const key of keys) {
    isMember = scope.isInSegment(key);
    if (isMember === true) break;
    if (isMember !== false) return isMember;
  }
  scope.trace?.add({ step: 'clause', clause, found: undefined, isMatch: isMember !== clause.negate });
  return isMember !== clause.negate;
}

function matchesValue(test: ValueTest, value: Json): boolean {
  return Array.isArray(value) ? value.some(test) : test(value);
}

/** Without the attribute or the individual the clause does not match, negated or not. */
function matchAttribute(clause: Clause, reference: AttributeReference, test: ValueTest): CompiledClause['matches'] {
  const kind = kindOf(clause.contextKind);
  return ({ context, trace }) => {
    const individual = individualOf(context, kind);
    const value = individual && attributeOf(individual, reference);
    const isMatch = value !== undefined && matchesValue(test, value) !== clause.negate;
    trace?.add({ step: 'clause', clause, found: value, isMatch });
    return isMatch;
  };
}

function matchKinds({ individuals }: Context, test: ValueTest): boolean {
  for (const { kind } of individuals) if (test(kind)) return true;
  return false;
}

function matchKind(clause: Clause, test: ValueTest): CompiledClause['matches'] {
  return ({ context, trace }) => {
    const isMatch = matchKinds(context, test) !== clause.negate;
    const kinds = trace ? context.individuals.map(({ kind }) => kind) : [];
    trace?.add({ step: 'clause', clause, found: kinds, isMatch });
    return isMatch;
  };
}

function matchesOf(clause: Clause): CompiledClause['matches'] {
  if (clause.op === 'segmentMatch') {
    const keys = clause.values.filter((value) => typeof value === 'string');
    return (scope) => matchSegments(clause, keys, scope);
  }
  const reference = referenceIn(clause.contextKind, clause.attribute);
  if (!reference.ok) {
    const malformed = new Malformed(
      `a clause with the attribute ${JSON.stringify(clause.attribute)}: ${reference.reason}`,
    );
    return () => malformed;
  }
  const test = compileOperator(clause.op, clause.values);
  if (clause.attribute === 'kind') return matchKind(clause, test);
  return matchAttribute(clause, reference.value, test);
}

export const compileClause = (clause: Clause): CompiledClause => ({ clause, matches: matchesOf(clause) });

/** Whether every clause matches; true without clauses. */
export function matchesAll(clauses: readonly CompiledClause[], scope: EvaluationScope): Match {
  for (const clause of clauses) {
    const match = clause.matches(scope);
    if (match !== true) return match;
  }
  return true;
}
