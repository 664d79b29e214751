import { accepted, type Outcome, refused } from '../../../kernel/outcome.ts';
import { type Context, contextOf, type Individual, MULTI_KIND } from '../context/context.ts';
import { isJsonObject, type Json } from '../json.ts';

/** The context of an event. */
export interface EventContext {
  /** With kinds and keys only. */
  readonly context: Context;
  /** As sent by the SDK, which has removed private attributes already. */
  readonly json: Json;
}

/** Reads kinds and keys of the context, or of the user in the old format; everything else is passed on unread. */
export function readEventContext(json: Json): Outcome<EventContext> {
  if (!isJsonObject(json)) return refused('the context is not an object');
  const { kind } = json;
  if (kind === undefined) {
    const { key } = json;
    if (typeof key !== 'string') return refused('the user has no key');
    return accepted({ context: contextOf([individual('user', key)]), json });
  }
  if (typeof kind !== 'string') return refused('the kind of the context is not a string');
  const individuals = kind === MULTI_KIND ? readMany(json) : readOne(kind, json);
  return individuals.ok ? accepted({ context: contextOf(individuals.value), json }) : individuals;
}

function readMany(json: { readonly [kind: string]: Json }): Outcome<readonly Individual[]> {
  const individuals: Individual[] = [];
  for (const [kind, inner] of Object.entries(json)) {
    if (kind === 'kind') continue;
    const one = readOne(kind, inner);
    if (!one.ok) return one;
    individuals.push(...one.value);
  }
  return individuals.length > 0 ? accepted(individuals) : refused('the context has no kinds');
}

function readOne(kind: string, json: Json): Outcome<readonly Individual[]> {
  const key = isJsonObject(json) ? json.key : undefined;
  if (typeof key !== 'string' || key === '') return refused('the context has no key');
  if (kind === MULTI_KIND || kind === 'kind' || !/^[\w.-]+$/.test(kind))
    return refused('the context has an invalid kind');
  return accepted([individual(kind, key)]);
}

function individual(kind: string, key: string): Individual {
  return { kind, key, attributes: NO_ATTRIBUTES, secondary: undefined };
}

const NO_ATTRIBUTES: ReadonlyMap<string, Json> = new Map();
