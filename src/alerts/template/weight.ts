import { GoList, GoMap, GoPointer, GoStruct, type GoValue } from './value.ts';

const known = new WeakMap<object, number>();

/** The printed size of a value, in characters and entries; a list that occurs twice counts twice. */
export function weigh(value: GoValue): number {
  if (typeof value === 'string') return value.length + 1;
  if (value instanceof GoPointer) return weigh(value.target);
  if (!(value instanceof GoList || value instanceof GoMap || value instanceof GoStruct)) return 1;
  let weight = known.get(value);
  if (weight === undefined) {
    const parts =
      value instanceof GoList ? value.items : value instanceof GoMap ? value.entries.values() : value.values;
    weight = 1;
    for (const part of parts) weight += weigh(part);
    known.set(value, weight);
  }
  return weight;
}
