import { type CompiledClause, compileClause } from './clause.ts';
import { kindOf } from './context/context.ts';
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
import { textsOf, Verdict } from './evaluation/verdict.ts';
import type { Flag, Target, VariationOrRollout } from './flag.ts';
import { Malformed } from './malformed.ts';
import { compileSplit, type Split } from './rollout.ts';

/** To which families of SDKs a flag is shown, besides the servers', which see all. */
export interface Exposure {
  readonly client: boolean;
  readonly mobile: boolean;
}

/** Where a rule or the fallthrough leads. */
export type Serving = Verdict | Split;

export interface CompiledPrerequisite {
  readonly key: string;
  readonly variation: number;
  readonly failed: Verdict;
}

export interface CompiledTarget {
  readonly kind: string;
  readonly keys: ReadonlySet<string>;
  readonly verdict: Verdict;
}

export interface CompiledRule {
  readonly id: string;
  readonly clauses: readonly CompiledClause[];
  readonly serving: Serving;
}

/** A flag that is ready to be evaluated; all its results are made. */
export interface CompiledFlag {
  readonly flag: Flag;
  readonly exposure: Exposure;
  readonly off: Verdict;
  readonly malformed: Verdict;
  readonly prerequisites: readonly CompiledPrerequisite[];
  readonly targets: readonly CompiledTarget[];
  readonly rules: readonly CompiledRule[];
  readonly fallthrough: Serving;
  /** The only result that the flag can have, where no context makes a difference. */
  readonly constant: Verdict | undefined;
}

/** The targets in the order in which they are asked: those of the kind `user` may stand in a list of their own. */
function orderTargets({ targets, contextTargets }: Flag): readonly Target[] {
  if (contextTargets.length === 0) return targets;
  return contextTargets.flatMap((target) => {
    if (kindOf(target.contextKind) !== 'user' || target.values.length > 0) return [target];
    return targets.find(({ variation }) => variation === target.variation) ?? [];
  });
}

/** Makes the verdicts of one flag. */
class VerdictMaker {
  readonly flag: Flag;
  readonly malformed: Verdict;
  readonly #texts;

  constructor(flag: Flag) {
    this.flag = flag;
    this.#texts = textsOf(flag);
    this.malformed = new Verdict(this.#texts, null, MALFORMED_FLAG, false);
  }

  variation(index: number, reason: Reason, isTracked = false): Verdict {
    if (index < 0 || index >= this.flag.variations.length) return this.malformed;
    return new Verdict(this.#texts, index, reason, isTracked || reason.inExperiment === true);
  }

  off(reason: Reason): Verdict {
    const { offVariation } = this.flag;
    if (offVariation === undefined) return new Verdict(this.#texts, null, reason, false);
    return this.variation(offVariation, reason);
  }

  serving({ variation, rollout }: VariationOrRollout, reason: Reason, isTracked: boolean): Serving {
    if (variation !== undefined) return this.variation(variation, reason, isTracked);
    if (!rollout) return this.malformed;
    const split = compileSplit(rollout, this.flag, (index, isInExperiment) =>
      this.variation(index, isInExperiment ? inExperiment(reason) : reason, isTracked),
    );
    return split instanceof Malformed ? this.malformed : split;
  }
}

/** Prepares a flag, once for every change of it. */
export function compileFlag(flag: Flag): CompiledFlag {
  const maker = new VerdictMaker(flag);
  const off = maker.off(OFF);
  const fallthrough = maker.serving(flag.fallthrough, FALLTHROUGH, flag.trackEventsFallthrough);
  const isConstant =
    flag.prerequisites.length + flag.targets.length + flag.contextTargets.length + flag.rules.length === 0;
  const onlyFallthrough = isConstant && fallthrough instanceof Verdict ? fallthrough : undefined;
  const { usingEnvironmentId, usingMobileKey } = flag.clientSideAvailability;
  return {
    flag,
    exposure: { client: usingEnvironmentId, mobile: usingMobileKey },
    off,
    malformed: maker.malformed,
    prerequisites: flag.prerequisites.map(({ key, variation }) => ({
      key,
      variation,
      failed: maker.off(prerequisiteFailed(key)),
    })),
    targets: orderTargets(flag).map(({ contextKind, values, variation }) => ({
      kind: kindOf(contextKind),
      keys: new Set(values),
      verdict: maker.variation(variation, TARGET_MATCH),
    })),
    rules: flag.rules.map((rule, index) => ({
      id: rule.id,
      clauses: rule.clauses.map(compileClause),
      serving: maker.serving(rule, ruleMatch(index, rule.id), rule.trackEvents),
    })),
    fallthrough,
    constant: flag.on ? onlyFallthrough : off,
  };
}
