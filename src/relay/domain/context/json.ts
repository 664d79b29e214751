import { accepted, type Outcome, refused } from '../../../kernel/outcome.ts';
import { isJsonObject, type Json, jsonType } from '../json.ts';
import { type Context, contextOf, type Individual, kindOf, MULTI_KIND } from './context.ts';

// The error texts are those of LaunchDarkly's SDKs; clients see them.

type JsonObject = { readonly [name: string]: Json };

const KEY_MISSING = '"key" property not found in JSON context object';
const USER_TEXTS = new Set(['firstName', 'lastName', 'email', 'country', 'avatar', 'ip']);
const NOT_CUSTOM = new Set(['kind', 'key', 'name', 'anonymous', '_meta']);

const expected = (type: string, value: Json) => refused(`expected ${type}, got ${jsonType(value)}`);

function kindFault(kind: string): string | undefined {
  if (kind === MULTI_KIND) return 'single context cannot have the kind "multi"';
  if (kind === 'kind') return '"kind" is not a valid context kind';
  return /^[a-zA-Z0-9._-]+$/.test(kind) ? undefined : 'context kind contains disallowed characters';
}

/** Only the types are checked: private attributes matter for events, which are passed on unread. */
function privateListFault(list: Json): ReturnType<typeof refused> | undefined {
  if (list === null) return undefined;
  if (!Array.isArray(list)) return expected('array or null', list);
  const other = list.find((name) => typeof name !== 'string');
  return other === undefined ? undefined : expected('string', other);
}

function metaFault(meta: Json): ReturnType<typeof refused> | undefined {
  if (meta === null) return undefined;
  if (!isJsonObject(meta)) return expected('object or null', meta);
  return privateListFault(meta.privateAttributes ?? null);
}

/** An individual under construction. */
class Draft {
  kind: string;
  key: string | undefined;
  name: string | undefined;
  anonymous = false;
  secondary: string | undefined;
  readonly #custom = new Map<string, Json>();

  constructor(kind: string) {
    this.kind = kind;
  }

  set(name: string, value: Json): void {
    if (name === '') return;
    if (value === null) this.#custom.delete(name);
    else this.#custom.set(name, value);
  }

  build(key: string): Individual {
    const attributes = this.#custom;
    attributes.set('kind', this.kind).set('key', key).set('anonymous', this.anonymous);
    if (this.name !== undefined) attributes.set('name', this.name);
    return { kind: this.kind, key, attributes, secondary: this.secondary };
  }
}

function readProperty(draft: Draft, name: string, value: Json): ReturnType<typeof refused> | undefined {
  switch (name) {
    case 'kind':
      if (typeof value !== 'string') return expected('string', value);
      draft.kind = kindOf(value);
      return undefined;
    case 'key':
      if (value === null) return refused('context key must not be null');
      if (typeof value !== 'string') return expected('string or null', value);
      draft.key = value;
      return undefined;
    case 'name':
      if (value !== null && typeof value !== 'string') return expected('string or null', value);
      draft.name = value ?? undefined;
      return undefined;
    case 'anonymous':
      if (typeof value !== 'boolean') return expected('boolean', value);
      draft.anonymous = value;
      return undefined;
    case '_meta':
      return metaFault(value);
    default:
      draft.set(name, value);
      return undefined;
  }
}

function readIndividual(json: Json, kind: string): Outcome<Individual> {
  if (!isJsonObject(json)) return expected('object', json);
  const draft = new Draft(kindOf(kind));
  for (const [name, value] of Object.entries(json)) {
    const fault = readProperty(draft, name, value);
    if (fault) return fault;
  }
  if (draft.key === undefined) return refused(KEY_MISSING);
  const fault = kindFault(draft.kind);
  if (fault) return refused(fault);
  if (draft.key === '') return refused('context key must not be empty');
  return accepted(draft.build(draft.key));
}

function readMulti(json: JsonObject): Outcome<Context> {
  const individuals: Individual[] = [];
  for (const [kind, inner] of Object.entries(json)) {
    if (kind === 'kind') continue;
    const individual = readIndividual(inner, kind);
    if (!individual.ok) return individual;
    individuals.push(individual.value);
  }
  if (individuals.length === 0) return refused('multi-context must contain at least one kind');
  if (new Set(individuals.map(({ kind }) => kind)).size < individuals.length) {
    return refused('multi-context cannot have same kind more than once');
  }
  return accepted(contextOf(individuals));
}

/** Reads one property of a user in the old format; of two sources of an attribute the later wins. */
function readUserProperty(draft: Draft, name: string, value: Json): ReturnType<typeof refused> | undefined {
  if (name === 'key') {
    if (typeof value !== 'string') return expected('string', value);
    draft.key = value;
  } else if (name === 'name' || name === 'secondary' || USER_TEXTS.has(name)) {
    if (value !== null && typeof value !== 'string') return expected('string or null', value);
    if (name === 'name' || name === 'secondary') draft[name] = value ?? undefined;
    else if (value !== null) draft.set(name, value);
  } else if (name === 'anonymous') {
    if (value !== null && typeof value !== 'boolean') return expected('boolean or null', value);
    draft.anonymous = value ?? false;
  } else if (name === 'custom') {
    if (value !== null && !isJsonObject(value)) return expected('object or null', value);
    for (const [custom, inner] of Object.entries(value ?? {})) if (!NOT_CUSTOM.has(custom)) draft.set(custom, inner);
  } else if (name === 'privateAttributeNames') {
    return privateListFault(value);
  }
  return undefined;
}

/** Accepts an empty key; evaluation refuses it with its own text. */
function readUser(json: JsonObject): Outcome<Context> {
  const draft = new Draft('user');
  for (const [name, value] of Object.entries(json)) {
    const fault = readUserProperty(draft, name, value);
    if (fault) return fault;
  }
  if (draft.key === undefined) return refused(KEY_MISSING);
  return accepted(contextOf([draft.build(draft.key)]));
}

/** Reads a context of one or several kinds, or a user in the old format (without `kind`). */
export function readContext(json: unknown): Outcome<Context> {
  if (!isJsonObject(json)) return expected('object', json as Json);
  const kind = json.kind;
  if (!Object.hasOwn(json, 'kind') || kind === undefined) return readUser(json);
  if (typeof kind !== 'string') return expected('string', kind);
  if (kind === '') return refused('context kind cannot be empty');
  if (kind === MULTI_KIND) return readMulti(json);
  const individual = readIndividual(json, kind);
  return individual.ok ? accepted(contextOf([individual.value])) : individual;
}

/** Reads a context as JSON text. A refusal quotes nothing of it. */
export function readContextText(text: string): Outcome<Context> {
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch {
    return refused('the context is not valid JSON');
  }
  return readContext(json);
}
