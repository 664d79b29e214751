import { matchesAll } from '../clause.ts';
import type { CompiledFlag, Serving } from '../compile.ts';
import { type Context, individualOf } from '../context/context.ts';
import type { Json } from '../json.ts';
import { Malformed } from '../malformed.ts';
import { divide } from '../rollout.ts';
import type { Reason } from './reason.ts';
import { EvaluationScope, type FlagLookup } from './scope.ts';
import type { Trace } from './trace.ts';
import { Verdict } from './verdict.ts';

export { type CompiledFlag, compileFlag, type Exposure } from '../compile.ts';
export { type CompiledSegment, compileSegment } from '../segment-match.ts';
export type { FlagLookup } from './scope.ts';

export interface Evaluation {
  /** Null where the flag serves no variation. */
  readonly value: Json;
  readonly variation: number | null;
  readonly reason: Reason;
  /** The flag's own prerequisites that were evaluated, in order, the one that failed included. */
  readonly prerequisites: readonly string[];
  /** Whether its events must be sent with the reason, for an experiment. */
  readonly isExperiment: boolean;
}

/** A verdict, and the prerequisites that led to it. */
export interface Judgement {
  readonly verdict: Verdict;
  readonly prerequisites: readonly string[];
}

const NONE: readonly string[] = [];

/** The verdict of a prerequisite that failed, or undefined when all are met; `evaluated` gets those that were evaluated. */
function checkPrerequisites(
  asker: CompiledFlag,
  scope: EvaluationScope,
  evaluated: string[] | undefined,
): Verdict | Malformed | undefined {
  for (const { key, variation: wanted, failed } of asker.prerequisites) {
    const prerequisite = scope.lookup.flag(key);
    if (!prerequisite) {
      scope.trace?.add({ step: 'no prerequisite', key });
      return failed;
    }
    const verdict = scope.judgePrerequisite(prerequisite, asker, judge);
    if (verdict instanceof Malformed) return verdict;
    evaluated?.push(key);
    // A flag that is off fails, even when its off variation is the wanted one.
    const isMet = prerequisite.flag.on && verdict.variation === wanted;
    const { on: isOn } = prerequisite.flag;
    scope.trace?.add({ step: 'prerequisite', key, wanted, variation: verdict.variation, isOn, isMet });
    if (!isMet) return failed;
  }
  return undefined;
}

function checkTargets({ targets }: CompiledFlag, { context, trace }: EvaluationScope): Verdict | undefined {
  for (const { kind, keys, verdict } of targets) {
    const individual = individualOf(context, kind);
    const isMatch = individual !== undefined && keys.has(individual.key);
    trace?.add({ step: 'target', kind, keys: keys.size, variation: verdict.variation, isMatch });
    if (isMatch) return verdict;
  }
  return undefined;
}

const serve = (serving: Serving, scope: EvaluationScope): Verdict =>
  serving instanceof Verdict ? serving : divide(serving, scope);

function checkRules({ rules }: CompiledFlag, scope: EvaluationScope): Verdict | Malformed | undefined {
  for (let index = 0; index < rules.length; index++) {
    const rule = rules[index];
    if (!rule) continue;
    scope.trace?.add({ step: 'rule', index, id: rule.id });
    scope.trace?.enter();
    const match = matchesAll(rule.clauses, scope);
    const verdict = match === true ? serve(rule.serving, scope) : match;
    scope.trace?.leave();
    if (verdict !== false) return verdict;
  }
  return undefined;
}

/** `Malformed` where the fault lies so deep that a flag which has this one as a prerequisite fails with it. */
function judge(compiled: CompiledFlag, scope: EvaluationScope, evaluated?: string[]): Verdict | Malformed {
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

/** Evaluates one of possibly many flags in a scope that is theirs together. */
export function judgeFlag(compiled: CompiledFlag, scope: EvaluationScope): Judgement {
  const evaluated = compiled.prerequisites.length > 0 ? [] : undefined;
  const judged = judge(compiled, scope, evaluated);
  if (judged instanceof Malformed) scope.trace?.add({ step: 'malformed', why: judged.why });
  const verdict = judged instanceof Malformed ? compiled.malformed : judged;
  const bigSegmentsStatus = scope.takeBigSegments();
  const prerequisites = evaluated ?? NONE;
  if (!bigSegmentsStatus) return { verdict, prerequisites };
  return { verdict: verdict.because({ ...verdict.reason, bigSegmentsStatus }), prerequisites };
}

/** Evaluates a flag for a context. A trace is told every step; without one nothing is spent on it. */
export function evaluateFlag(flag: CompiledFlag, context: Context, lookup: FlagLookup, trace?: Trace): Evaluation {
  const { verdict, prerequisites } = judgeFlag(flag, new EvaluationScope(context, lookup, trace));
  const { value, variation, reason, isExperiment } = verdict;
  return { value, variation, reason, prerequisites, isExperiment };
}
