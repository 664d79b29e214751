import type { Context } from '../context/context.ts';
import { type CompiledFlag, judgeFlag } from './evaluate.ts';
import { EvaluationScope, type FlagLookup } from './scope.ts';

export interface PrintOptions {
  /** Whether every flag has its reason, and not only those in an experiment. */
  readonly withReasons: boolean;
}

function printOpen(flag: CompiledFlag, scope: EvaluationScope, withReasons: boolean): string {
  const { verdict, prerequisites } = judgeFlag(flag, scope);
  const text = verdict.print(withReasons);
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

/**
 * The body of an evalx answer: every given flag evaluated for the context, by key. Flags that are already sorted by key
 * need not be sorted again.
 */
export function printEvaluations(
  flags: Iterable<CompiledFlag>,
  context: Context,
  lookup: FlagLookup,
  { withReasons }: PrintOptions,
): string {
  const scope = new EvaluationScope(context, lookup);
  const parts: string[] = [];
  for (const flag of sortedByKey(flags)) parts.push(printOpen(flag, scope, withReasons));
  return parts.length === 0 ? '{}' : `{${parts.join('},')}}}`;
}

/** The object that `printEvaluations` has for one flag, without its key. */
export function printFlagEvaluation(
  flag: CompiledFlag,
  context: Context,
  lookup: FlagLookup,
  { withReasons }: PrintOptions,
): string {
  const property = printOpen(flag, new EvaluationScope(context, lookup), withReasons);
  return `${property.slice(JSON.stringify(flag.flag.key).length + 1)}}`;
}
