import type { Method } from './callable.ts';
import { ALERTS_METHODS, KEY_VALUE_METHODS, PAIRS_METHODS, STRINGS_METHODS } from './data-methods.ts';
import { DURATION_METHODS, NAME_METHODS, TIME_METHODS } from './time/methods.ts';
import { GoPointer, GoStruct, type GoValue, typeNameOf } from './value.ts';

/** Go's types with methods, each with its table. */
const METHODS = new Map<string, ReadonlyMap<string, Method<never>>>([
  ['template.Alerts', ALERTS_METHODS],
  ['template.Pairs', PAIRS_METHODS],
  ['template.Strings', STRINGS_METHODS],
  ['template.KV', KEY_VALUE_METHODS],
  ['time.Time', TIME_METHODS],
  ['time.Duration', DURATION_METHODS],
  ['time.Month', NAME_METHODS],
  ['time.Weekday', NAME_METHODS],
  ['*time.Location', NAME_METHODS],
]);

/** The method of a value by name, or undefined. */
export function methodOf(value: GoValue, name: string): Method | undefined {
  if (typeof value !== 'object' || value instanceof GoStruct || value instanceof GoPointer) return undefined;
  return METHODS.get(typeNameOf(value))?.get(name) as Method | undefined;
}
