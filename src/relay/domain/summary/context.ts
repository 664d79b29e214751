import { accepted, type Outcome, refused } from '../../../kernel/outcome.ts';
import { type Context, contextOf, type Individual, MULTI_KIND } from '../context/context.ts';
import { isJsonObject, type Json } from '../json.ts';

/** Of whom an event tells. */
export interface EventContext {
  /** Kinds and keys alone. */
  readonly context: Context;
  /** As the SDK wrote it: what is private has been taken out there, and nothing of it may be read anew. */
  readonly json: Json;
}

/** Reads kinds and keys of the context, or of the user in the old format, in an event; whatever else is in it passes. */
export function readEventContext(json: Json): Outcome<EventContext> {
  if (!isJsonObject(json)) return refused('the context is no object');
  const { kind } = json;
  if (kind === undefined) {
    const { key } = json;
    if (typeof key !== 'string') return refused('the user has no key');
    return accepted({ context: contextOf([individual('user', key)]), json });
  }
  if (typeof kind !== 'string') return refused('the kind of the context is no text');
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
    return refused('there is no such kind of context');
  return accepted([individual(kind, key)]);
}

function individual(kind: string, key: string): Individual {
  return { kind, key, attributes: NO_ATTRIBUTES, secondary: undefined };
}

const NO_ATTRIBUTES: ReadonlyMap<string, Json> = new Map();
