import { accepted, type Outcome, refused } from '../../../kernel/outcome.ts';
import { isJsonObject, type Json } from '../json.ts';
import type { Individual } from './context.ts';

/** Addresses a value in an individual. */
export interface AttributeReference {
  /** As written in the flag. */
  readonly source: string;
  readonly name: string;
  /** Property names within that attribute. */
  readonly below: readonly string[];
}

/** A plain attribute name, with any characters. */
export const literalReference = (name: string): AttributeReference => ({ source: name, name, below: [] });

const EMPTY = refused('attribute reference cannot be empty');

function unescapeComponent(component: string): Outcome<string> {
  if (/~(?![01])/.test(component)) {
    return refused('attribute reference contained an escape character (~) that was not followed by 0 or 1');
  }
  return accepted(component.replaceAll('~1', '/').replaceAll('~0', '~'));
}

/** Reads a name or a path such as `/address/city`, in which `~1` is a slash and `~0` a tilde. */
export function parseReference(source: string): Outcome<AttributeReference> {
  if (source === '' || source === '/') return EMPTY;
  if (!source.startsWith('/')) return accepted(literalReference(source));
  const components: string[] = [];
  for (const part of source.slice(1).split('/')) {
    if (part === '') return refused('attribute reference contained a double slash or a trailing slash');
    const component = unescapeComponent(part);
    if (!component.ok) return component;
    components.push(component.value);
  }
  const [name = '', ...below] = components;
  return accepted({ source, name, below });
}

/** Reads the attribute of a clause or rollout: a reference if it has a context kind, otherwise a plain name. */
export function referenceIn(contextKind: string, source: string): Outcome<AttributeReference> {
  if (source === '') return EMPTY;
  return contextKind === '' ? accepted(literalReference(source)) : parseReference(source);
}

/** The value at a reference; undefined if absent or null. */
export function attributeOf(individual: Individual, { name, below }: AttributeReference): Json | undefined {
  let value: Json | undefined = individual.attributes.get(name);
  for (const component of below) {
    if (!isJsonObject(value) || !Object.hasOwn(value, component)) return undefined;
    value = value[component];
  }
  return value ?? undefined;
}
