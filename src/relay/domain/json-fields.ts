import { accepted, type Outcome, refused } from '../../kernel/outcome.ts';
import { isJsonObject, type Json, jsonType } from './json.ts';

/** Thrown at the first value of a wrong type; `readObject` turns it into a refusal. */
class WrongType extends Error {}

const wrongType = (path: string, expected: string, value: unknown) =>
  new WrongType(`${path === '' ? '' : `${path}: `}expected ${expected}, got ${jsonType(value)}`);

/**
 * Reads the properties of a JSON object by name. Null counts as absent; a value of a wrong type throws.
 */
export class JsonFields {
  readonly #object: { readonly [name: string]: Json };
  readonly #path: string;

  constructor(value: unknown, path: string) {
    if (!isJsonObject(value)) throw wrongType(path, 'object', value);
    this.#object = value;
    this.#path = path;
  }

  #value(name: string): Json | undefined {
    return Object.hasOwn(this.#object, name) ? (this.#object[name] ?? undefined) : undefined;
  }

  #at(name: string): string {
    return this.#path === '' ? name : `${this.#path}.${name}`;
  }

  text(name: string): string {
    const value = this.#value(name) ?? '';
    if (typeof value !== 'string') throw wrongType(this.#at(name), 'string', value);
    return value;
  }

  flag(name: string): boolean {
    const value = this.#value(name) ?? false;
    if (typeof value !== 'boolean') throw wrongType(this.#at(name), 'boolean', value);
    return value;
  }

  /** A whole number; a fraction is truncated. */
  integer(name: string): number | undefined {
    const value = this.#value(name);
    if (value === undefined) return undefined;
    if (typeof value !== 'number') throw wrongType(this.#at(name), 'number', value);
    if (!Number.isFinite(value)) throw new WrongType(`${this.#at(name)}: the number is too large`);
    return Math.trunc(value) + 0;
  }

  values(name: string): readonly Json[] {
    const value = this.#value(name) ?? [];
    if (!Array.isArray(value)) throw wrongType(this.#at(name), 'array', value);
    return value;
  }

  texts(name: string): readonly string[] {
    return this.values(name).map((value, index) => {
      if (typeof value !== 'string') throw wrongType(`${this.#at(name)}[${index}]`, 'string', value);
      return value;
    });
  }

  list<T>(name: string, read: (fields: JsonFields) => T): readonly T[] {
    return this.values(name).map((value, index) => read(new JsonFields(value, `${this.#at(name)}[${index}]`)));
  }

  object<T>(name: string, read: (fields: JsonFields) => T): T | undefined {
    const value = this.#value(name);
    return value === undefined ? undefined : read(new JsonFields(value, this.#at(name)));
  }
}

/** Reads an object. A refusal names the first property of a wrong type: `rules[0].id: expected …`. */
export function readObject<T>(json: unknown, read: (fields: JsonFields) => T): Outcome<T> {
  try {
    return accepted(read(new JsonFields(json, '')));
  } catch (error) {
    if (error instanceof WrongType) return refused(error.message);
    throw error;
  }
}
