import { matchesAll } from '../clause.ts';
import type { CompiledFlag, Serving } from '../compile.ts';
import { type Context, individualOf } from '../context/context.ts';
import type { Json } from '../json.ts';
import { Malformed } from '../malformed.ts';
import { applyRollout } from '../rollout.ts';
import { EvaluationDetail } from './detail.ts';
import type { Reason } from './reason.ts';
import { EvaluationScope, type FlagLookup, type ScopeOptions } from './scope.ts';

export interface Evaluation {
  /** Null if the flag serves no variation. */
  readonly value: Json;
  readonly variation: number | null;
  readonly reason: Reason;
  /** The flag's own prerequisites that were evaluated, in order, including a failed one. */
  readonly prerequisites: readonly string[];
  /** Whether its events must carry the reason, for an experiment. */
  readonly isExperiment: boolean;
}

/** A detail and the prerequisites evaluated for it. */
export interface EvaluationResult {
  readonly detail: EvaluationDetail;
  readonly prerequisites: readonly string[];
}

const NONE: readonly string[] = [];

/** The detail for the first failed prerequisite; undefined if all are met. Appends evaluated keys to `evaluated`. */
function checkPrerequisites(
  flag: CompiledFlag,
  scope: EvaluationScope,
  evaluated: string[] | undefined,
): EvaluationDetail | Malformed | undefined {
  for (const { key, variation: wanted, failed } of flag.prerequisites) {
    const prerequisite = scope.lookup.flag(key);
    if (!prerequisite) {
      scope.trace?.add({ step: 'no prerequisite', key });
      return failed;
    }
    const detail = scope.evaluatePrerequisite(prerequisite, flag, evaluate);
    if (detail instanceof Malformed) return detail;
    evaluated?.push(key);
    // A prerequisite that is off fails, even if its off variation is the wanted one.
    const isMet = prerequisite.flag.on && detail.variation === wanted;
    const { on: isOn } = prerequisite.flag;
    scope.trace?.add({ step: 'prerequisite', key, wanted, variation: detail.variation, isOn, isMet });
    if (!isMet) return failed;
  }
  return undefined;
}

function checkTargets({ targets }: CompiledFlag, { context, trace }: EvaluationScope): EvaluationDetail | undefined {
  for (const { kind, keys, detail } of targets) {
    const individual = individualOf(context, kind);
    const isMatch = individual !== undefined && keys.has(individual.key);
    trace?.add({ step: 'target', kind, keys: keys.size, variation: detail.variation, isMatch });
    if (isMatch) return detail;
  }
  return undefined;
}

const serve = (serving: Serving, scope: EvaluationScope): EvaluationDetail =>
  serving instanceof EvaluationDetail ? serving : applyRollout(serving, scope);

function checkRules({ rules }: CompiledFlag, scope: EvaluationScope): EvaluationDetail | Malformed | undefined {
  for (let index = 0; index < rules.length; index++) {
    const rule = rules[index];
    if (!rule) continue;
    scope.trace?.add({ step: 'rule', index, id: rule.id });
    scope.trace?.enter();
    const match = matchesAll(rule.clauses, scope);
    const detail = match === true ? serve(rule.serving, scope) : match;
    scope.trace?.leave();
    if (detail !== false) return detail;
  }
  return undefined;
}

/** `Malformed` if the fault also makes dependent flags fail. */
function evaluate(compiled: CompiledFlag, scope: EvaluationScope, evaluated?: string[]): EvaluationDetail | Malformed {
  const { flag, constant, fallthrough } = compiled;
  if (constant && !scope.trace) return constant;
  scope.trace?.add({ step: 'flag', key: flag.key, isOn: flag.on });
  if (!flag.on) return compiled.off;
  const decided =
    (compiled.prerequisites.length > 0 ? checkPrerequisites(compiled, scope, evaluated) : undefined) ??
    checkTargets(compiled, scope) ??
    checkRules(compiled, scope);
  if (decided) return decided;
  scope.trace?.add({ step: 'fallthrough' });
  return serve(fallthrough, scope);
}

/** Evaluates a flag in a scope, which several flags may share. */
export function evaluateInScope(compiled: CompiledFlag, scope: EvaluationScope): EvaluationResult {
  const evaluated = compiled.prerequisites.length > 0 ? [] : undefined;
  const result = evaluate(compiled, scope, evaluated);
  if (result instanceof Malformed) scope.trace?.add({ step: 'malformed', why: result.reason });
  const detail = result instanceof Malformed ? compiled.malformed : result;
  const bigSegmentsStatus = scope.takeBigSegments();
  const prerequisites = evaluated ?? NONE;
  if (!bigSegmentsStatus) return { detail, prerequisites };
  return { detail: detail.withReason({ ...detail.reason, bigSegmentsStatus }), prerequisites };
}

/** Evaluates a flag for a context. A trace records every step. */
export function evaluateFlag(
  flag: CompiledFlag,
  context: Context,
  lookup: FlagLookup,
  options?: ScopeOptions,
): Evaluation {
  const { detail, prerequisites } = evaluateInScope(flag, new EvaluationScope(context, lookup, options));
  const { value, variation, reason, isExperiment } = detail;
  return { value, variation, reason, prerequisites, isExperiment };
}
