import { type CompiledClause, compileClause } from './clause.ts';
import { kindOf } from './context/context.ts';
import { EvaluationDetail, textsOf } from './evaluation/detail.ts';
import {
  FALLTHROUGH,
  inExperiment,
  MALFORMED_FLAG,
  OFF,
  prerequisiteFailed,
  type Reason,
  ruleMatch,
  TARGET_MATCH,
} from './evaluation/reason.ts';
import type { Flag, Target, VariationOrRollout } from './flag.ts';
import { Malformed } from './malformed.ts';
import { type CompiledRollout, compileRollout } from './rollout.ts';

/** The client-side SDKs that can see a flag; server-side SDKs see every flag. */
export interface Exposure {
  readonly client: boolean;
  readonly mobile: boolean;
}

/** What a rule or the fallthrough serves: a variation or a rollout. */
export type Serving = EvaluationDetail | CompiledRollout;

export interface CompiledPrerequisite {
  readonly key: string;
  readonly variation: number;
  readonly failed: EvaluationDetail;
}

export interface CompiledTarget {
  readonly kind: string;
  readonly keys: ReadonlySet<string>;
  readonly detail: EvaluationDetail;
}

export interface CompiledRule {
  readonly id: string;
  readonly clauses: readonly CompiledClause[];
  readonly serving: Serving;
}

/** A flag prepared for evaluation, with all its possible results. */
export interface CompiledFlag {
  readonly flag: Flag;
  readonly exposure: Exposure;
  readonly off: EvaluationDetail;
  readonly malformed: EvaluationDetail;
  readonly prerequisites: readonly CompiledPrerequisite[];
  readonly targets: readonly CompiledTarget[];
  readonly rules: readonly CompiledRule[];
  readonly fallthrough: Serving;
  /** The result if it is the same for every context. */
  readonly constant: EvaluationDetail | undefined;
}

/** The targets in order of evaluation. An empty `user` target in contextTargets stands for the one in targets. */
function orderTargets({ targets, contextTargets }: Flag): readonly Target[] {
  if (contextTargets.length === 0) return targets;
  return contextTargets.flatMap((target) => {
    if (kindOf(target.contextKind) !== 'user' || target.values.length > 0) return [target];
    return targets.find(({ variation }) => variation === target.variation) ?? [];
  });
}

/** Creates the details of a flag. */
class DetailBuilder {
  readonly flag: Flag;
  readonly malformed: EvaluationDetail;
  readonly #texts;

  constructor(flag: Flag) {
    this.flag = flag;
    this.#texts = textsOf(flag);
    this.malformed = new EvaluationDetail(this.#texts, null, MALFORMED_FLAG, false);
  }

  variation(index: number, reason: Reason, isTracked = false): EvaluationDetail {
    if (index < 0 || index >= this.flag.variations.length) return this.malformed;
    return new EvaluationDetail(this.#texts, index, reason, isTracked || reason.inExperiment === true);
  }

  off(reason: Reason): EvaluationDetail {
    const { offVariation } = this.flag;
    if (offVariation === undefined) return new EvaluationDetail(this.#texts, null, reason, false);
    return this.variation(offVariation, reason);
  }

  serving({ variation, rollout }: VariationOrRollout, reason: Reason, isTracked: boolean): Serving {
    if (variation !== undefined) return this.variation(variation, reason, isTracked);
    if (!rollout) return this.malformed;
    const compiled = compileRollout(rollout, this.flag, (index, isInExperiment) =>
      this.variation(index, isInExperiment ? inExperiment(reason) : reason, isTracked),
    );
    return compiled instanceof Malformed ? this.malformed : compiled;
  }
}

/** Prepares a flag for evaluation. */
export function compileFlag(flag: Flag): CompiledFlag {
  const builder = new DetailBuilder(flag);
  const off = builder.off(OFF);
  const fallthrough = builder.serving(flag.fallthrough, FALLTHROUGH, flag.trackEventsFallthrough);
  const isConstant =
    flag.prerequisites.length + flag.targets.length + flag.contextTargets.length + flag.rules.length === 0;
  const onlyFallthrough = isConstant && fallthrough instanceof EvaluationDetail ? fallthrough : undefined;
  const { usingEnvironmentId, usingMobileKey } = flag.clientSideAvailability;
  return {
    flag,
    exposure: { client: usingEnvironmentId, mobile: usingMobileKey },
    off,
    malformed: builder.malformed,
    prerequisites: flag.prerequisites.map(({ key, variation }) => ({
      key,
      variation,
      failed: builder.off(prerequisiteFailed(key)),
    })),
    targets: orderTargets(flag).map(({ contextKind, values, variation }) => ({
      kind: kindOf(contextKind),
      keys: new Set(values),
      detail: builder.variation(variation, TARGET_MATCH),
    })),
    rules: flag.rules.map((rule, index) => ({
      id: rule.id,
      clauses: rule.clauses.map(compileClause),
      serving: builder.serving(rule, ruleMatch(index, rule.id), rule.trackEvents),
    })),
    fallthrough,
    constant: flag.on ? onlyFallthrough : off,
  };
}
