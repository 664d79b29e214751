import { createHash } from 'node:crypto';
import type { BigSegmentMemberships } from '../domain/big-segment.ts';
import type { CompiledFlag } from '../domain/compile.ts';
import type { Context } from '../domain/context/context.ts';
import type { EvaluationDetail } from '../domain/evaluation/detail.ts';
import { evaluateInScope } from '../domain/evaluation/evaluate.ts';
import type { Reason } from '../domain/evaluation/reason.ts';
import { EvaluationScope, type FlagLookup } from '../domain/evaluation/scope.ts';

/** An OFREP evaluation as JSON; `isMalformed`: an error. */
export interface OfrepItem {
  readonly json: string;
  readonly isMalformed: boolean;
  readonly variation: number | null;
}

/** One flag for one context. */
export function printOfrepFlag(
  flag: CompiledFlag,
  context: Context,
  lookup: FlagLookup,
  memberships?: BigSegmentMemberships,
): OfrepItem {
  const { detail } = evaluateInScope(flag, new EvaluationScope(context, lookup, { memberships }));
  const isMalformed = detail.reason.kind === 'ERROR';
  // For a single flag the request fails; in a bulk evaluation only the flag.
  const json = isMalformed ? printFault(flag, 'PARSE_ERROR') : prepare(flag, detail).json;
  return { json, isMalformed, variation: detail.variation };
}

export interface OfrepItems {
  /** The elements of the array `flags`, in the order of the given flags. */
  readonly json: string;
  /** A short digest of the JSON. */
  readonly name: string;
}

/** Many flags for one context. */
export function printOfrepFlags(
  flags: readonly CompiledFlag[],
  context: Context,
  lookup: FlagLookup,
  memberships?: BigSegmentMemberships,
): OfrepItems {
  const scope = new EvaluationScope(context, lookup, { memberships });
  const items = flags.map((flag) => prepare(flag, evaluateInScope(flag, scope).detail));
  return { json: items.map(({ json }) => json).join(','), name: items.map(({ name }) => name).join('') };
}

/** Cached per detail, of which a flag has few. */
const prepared = new WeakMap<EvaluationDetail, OfrepItems>();

const NAME_LENGTH = 12;

function prepare(flag: CompiledFlag, detail: EvaluationDetail): OfrepItems {
  let item = prepared.get(detail);
  if (!item) {
    const json = detail.reason.kind === 'ERROR' ? printFault(flag, 'GENERAL') : printValue(flag, detail);
    item = { json, name: createHash('sha256').update(json).digest('base64url').slice(0, NAME_LENGTH) };
    prepared.set(detail, item);
  }
  return item;
}

function printValue(compiled: CompiledFlag, { value, variation, reason }: EvaluationDetail): string {
  return JSON.stringify({
    key: compiled.flag.key,
    // OFREP has no null: without a value, the default of the calling code applies.
    value: value ?? undefined,
    reason: reasonOf(compiled, reason),
    variant: variation === null ? undefined : String(variation),
    metadata: { version: compiled.flag.version, ldReason: reason.kind },
  });
}

function printFault({ flag }: CompiledFlag, errorCode: 'PARSE_ERROR' | 'GENERAL'): string {
  return JSON.stringify({ key: flag.key, errorCode, errorDetails: `flag ${JSON.stringify(flag.key)} is malformed` });
}

function reasonOf({ flag }: CompiledFlag, { kind }: Reason): string {
  switch (kind) {
    case 'OFF':
      return 'DISABLED';
    case 'FALLTHROUGH':
      return flag.fallthrough.variation === undefined ? 'SPLIT' : 'STATIC';
    case 'TARGET_MATCH':
    case 'RULE_MATCH':
      return 'TARGETING_MATCH';
    // OpenFeature has no equivalent of PREREQUISITE_FAILED.
    case 'PREREQUISITE_FAILED':
    case 'ERROR':
      return kind;
  }
}
