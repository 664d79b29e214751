import type { BigSegmentMemberships } from '../big-segment.ts';
import type { CompiledFlag } from '../compile.ts';
import type { Context } from '../context/context.ts';
import { evaluateInScope } from './evaluate.ts';
import { EvaluationScope, type FlagLookup } from './scope.ts';

export interface PrintOptions {
  /** Adds the reason to every flag, not only to those in an experiment. */
  readonly withReasons: boolean;
  /** As in ScopeOptions. */
  readonly memberships?: BigSegmentMemberships | undefined;
}

function printOpen(flag: CompiledFlag, scope: EvaluationScope, withReasons: boolean): string {
  const { detail, prerequisites } = evaluateInScope(flag, scope);
  const text = detail.print(withReasons);
  return prerequisites.length === 0 ? text : `${text},"prerequisites":${JSON.stringify(prerequisites)}`;
}

function sortedByKey(flags: Iterable<CompiledFlag>): readonly CompiledFlag[] {
  const list: readonly CompiledFlag[] = Array.isArray(flags) ? flags : [...flags];
  for (let index = 1; index < list.length; index++) {
    const [a, b] = [list[index - 1], list[index]];
    if (a && b && a.flag.key > b.flag.key) return list.toSorted((a, b) => (a.flag.key < b.flag.key ? -1 : 1));
  }
  return list;
}

/** The body of an evalx response: all given flags evaluated for the context, sorted by key. */
export function printEvaluations(
  flags: Iterable<CompiledFlag>,
  context: Context,
  lookup: FlagLookup,
  { withReasons, memberships }: PrintOptions,
): string {
  const scope = new EvaluationScope(context, lookup, { memberships });
  const parts: string[] = [];
  for (const flag of sortedByKey(flags)) parts.push(printOpen(flag, scope, withReasons));
  return parts.length === 0 ? '{}' : `{${parts.join('},')}}}`;
}

/** The value of one flag in `printEvaluations`. */
export function printFlagEvaluation(
  flag: CompiledFlag,
  context: Context,
  lookup: FlagLookup,
  { withReasons, memberships }: PrintOptions,
): string {
  const property = printOpen(flag, new EvaluationScope(context, lookup, { memberships }), withReasons);
  return `${property.slice(JSON.stringify(flag.flag.key).length + 1)}}`;
}
