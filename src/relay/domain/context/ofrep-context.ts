import type { Outcome } from '../../../kernel/outcome.ts';
import { isJsonObject, type Json } from '../json.ts';
import { type Context, MULTI_KIND } from './context.ts';
import { readContext } from './json.ts';

export interface OfrepContextFault {
  readonly errorCode: 'TARGETING_KEY_MISSING' | 'INVALID_CONTEXT';
  readonly reason: string;
}

type OfrepContext = Outcome<Context, OfrepContextFault>;

type JsonObject = { readonly [name: string]: Json };

const missing = (where: string): OfrepContext => ({
  ok: false,
  errorCode: 'TARGETING_KEY_MISSING',
  reason: `${where} has no targetingKey`,
});

const invalid = (reason: string): OfrepContext => ({ ok: false, errorCode: 'INVALID_CONTEXT', reason });

const keyOf = (attributes: JsonObject): Json => attributes.targetingKey ?? attributes.key ?? null;

/** Converts OpenFeature's attributes to LaunchDarkly's: the targeting key becomes the key. */
function individualJson(attributes: JsonObject): JsonObject {
  const { targetingKey, key, privateAttributes, anonymous, ...others } = attributes;
  return {
    ...others,
    ...(typeof anonymous === 'boolean' ? { anonymous } : {}),
    key: targetingKey ?? key ?? null,
    ...(privateAttributes === undefined ? {} : { _meta: { privateAttributes } }),
  };
}

const outcomeOf = (context: Outcome<Context>): OfrepContext => (context.ok ? context : invalid(context.reason));

/** Several kinds: each nested object is the individual of the kind it is named after; other attributes are ignored. */
function contextOfKinds(attributes: JsonObject): OfrepContext {
  const individuals: Record<string, Json> = Object.create(null);
  for (const [kind, value] of Object.entries(attributes)) {
    if (!isJsonObject(value)) continue;
    if (keyOf(value) === null || keyOf(value) === '') return missing(`the context of kind ${JSON.stringify(kind)}`);
    individuals[kind] = individualJson(value);
  }
  return outcomeOf(readContext({ ...individuals, kind: MULTI_KIND }));
}

/**
 * Reads an OpenFeature evaluation context: `targetingKey` or `key` is the key, `kind` the kind (default `user`). With the
 * kind `multi` each nested object is the individual of the kind it is named after.
 */
export function contextFromOfrep(evaluationContext: unknown): OfrepContext {
  if (evaluationContext === undefined || evaluationContext === null) return missing('the context');
  if (!isJsonObject(evaluationContext)) return invalid('the context is not an object');
  const kind = evaluationContext.kind ?? 'user';
  if (kind === MULTI_KIND) return contextOfKinds(evaluationContext);
  const key = keyOf(evaluationContext);
  if (key === null || key === '') return missing('the context');
  return outcomeOf(readContext({ ...individualJson(evaluationContext), kind }));
}
