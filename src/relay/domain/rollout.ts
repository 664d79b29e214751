import { type Bucketing, bucketOf, printInteger, shareOf } from './bucket.ts';
import { referenceIn } from './context/attribute-reference.ts';
import { kindOf } from './context/context.ts';
import type { EvaluationScope } from './evaluation/scope.ts';
import type { Verdict } from './evaluation/verdict.ts';
import type { Rollout } from './flag.ts';
import { Malformed } from './malformed.ts';

/** The part of a rollout that gets one variation. */
interface Slice {
  /** The slice holds the buckets below it that no slice before it holds. */
  readonly threshold: number;
  readonly verdict: Verdict;
  /** For contexts without the kind of the rollout: nobody who would be in an experiment. */
  readonly withoutKind: Verdict;
}

/** A rollout that is ready to divide contexts. */
export interface Split {
  readonly bucketing: Bucketing;
  readonly slices: readonly Slice[];
  /** For buckets past every threshold. */
  readonly last: Verdict;
}

/** Prepares a rollout of the flag with that key and salt; `serve` gives the verdict of a variation. */
export function compileSplit(
  rollout: Rollout,
  { key, salt }: { readonly key: string; readonly salt: string },
  serve: (variation: number, isInExperiment: boolean) => Verdict,
): Split | Malformed {
  const isExperiment = rollout.kind === 'experiment';
  const bucketBy = isExperiment || rollout.bucketBy === '' ? 'key' : rollout.bucketBy;
  const attribute = referenceIn(rollout.contextKind, bucketBy);
  if (!attribute.ok) return new Malformed(`bucketBy ${JSON.stringify(bucketBy)}: ${attribute.reason}`);
  let sum = 0;
  const slices = rollout.variations.map(({ variation, weight, untracked }) => {
    sum = Math.fround(sum + shareOf(weight));
    const verdict = serve(variation, isExperiment && !untracked);
    return { threshold: sum, verdict, withoutKind: serve(variation, false) };
  });
  const last = slices.at(-1)?.verdict;
  if (!last) return new Malformed('a rollout without variations');
  const prefix = rollout.seed === undefined ? `${key}.${salt}` : printInteger(rollout.seed);
  const bucketing = { contextKind: kindOf(rollout.contextKind), attribute: attribute.value, prefix, isExperiment };
  return { bucketing, slices, last };
}

/** What the scope's context gets. */
export function divide({ bucketing, slices, last }: Split, { context, trace }: EvaluationScope): Verdict {
  const bucket = bucketOf(bucketing, context);
  for (const { threshold, verdict, withoutKind } of slices) {
    if ((bucket ?? 0) >= threshold) continue;
    trace?.add({ step: 'bucket', bucketing, bucket, below: threshold });
    return bucket === undefined ? withoutKind : verdict;
  }
  trace?.add({ step: 'bucket', bucketing, bucket, below: undefined });
  return last;
}
