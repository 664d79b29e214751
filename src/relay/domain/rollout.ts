import { type Bucketing, bucketingOf, bucketOf, printInteger, shareOf } from './bucket.ts';
import { referenceIn } from './context/attribute-reference.ts';
import { kindOf } from './context/context.ts';
import type { EvaluationDetail } from './evaluation/detail.ts';
import type { EvaluationScope } from './evaluation/scope.ts';
import type { Rollout } from './flag.ts';
import { Malformed } from './malformed.ts';

/** The buckets of a rollout that get one variation. */
interface Slice {
  /** Exclusive upper bound; the threshold of the previous slice is the lower bound. */
  readonly threshold: number;
  readonly detail: EvaluationDetail;
  /** For contexts without the context kind of the rollout, which are never in an experiment. */
  readonly withoutKind: EvaluationDetail;
}

/** A rollout prepared for evaluation. */
export interface CompiledRollout {
  readonly bucketing: Bucketing;
  readonly slices: readonly Slice[];
  /** For buckets above every threshold. */
  readonly last: EvaluationDetail;
}

/** Prepares a rollout of the flag with this key and salt; `serve` returns the detail of a variation. */
export function compileRollout(
  rollout: Rollout,
  { key, salt }: { readonly key: string; readonly salt: string },
  serve: (variation: number, isInExperiment: boolean) => EvaluationDetail,
): CompiledRollout | Malformed {
  const isExperiment = rollout.kind === 'experiment';
  const bucketBy = isExperiment || rollout.bucketBy === '' ? 'key' : rollout.bucketBy;
  const attribute = referenceIn(rollout.contextKind, bucketBy);
  if (!attribute.ok) return new Malformed(`bucketBy ${JSON.stringify(bucketBy)}: ${attribute.reason}`);
  let sum = 0;
  const slices = rollout.variations.map(({ variation, weight, untracked }) => {
    sum = Math.fround(sum + shareOf(weight));
    const detail = serve(variation, isExperiment && !untracked);
    return { threshold: sum, detail, withoutKind: serve(variation, false) };
  });
  const last = slices.at(-1)?.detail;
  if (!last) return new Malformed('a rollout without variations');
  const prefix = rollout.seed === undefined ? `${key}.${salt}` : printInteger(rollout.seed);
  const contextKind = kindOf(rollout.contextKind);
  const bucketing = bucketingOf({ contextKind, attribute: attribute.value, prefix, isExperiment });
  return { bucketing, slices, last };
}

/** The detail for the bucket of the context. */
export function applyRollout(
  { bucketing, slices, last }: CompiledRollout,
  { context, trace }: EvaluationScope,
): EvaluationDetail {
  const bucket = bucketOf(bucketing, context);
  for (const { threshold, detail, withoutKind } of slices) {
    if ((bucket ?? 0) >= threshold) continue;
    trace?.add({ step: 'bucket', bucketing, bucket, below: threshold });
    return bucket === undefined ? withoutKind : detail;
  }
  trace?.add({ step: 'bucket', bucketing, bucket, below: undefined });
  return last;
}
