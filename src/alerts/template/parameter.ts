import { accepted, type Outcome, refused } from '../../kernel/outcome.ts';
import type { ParameterType } from './callable.ts';
import type { NumberNode } from './syntax/syntax.ts';
import { GoInt, GoList, type GoValue, typeNameOf } from './value.ts';

/** Whether an untyped nil may stand for a value of the type. */
export const canBeNil = (type: ParameterType): boolean =>
  type === 'interface {}' || type === 'reflect.Value' || type.startsWith('[]') || type.startsWith('*');

/** The value of a nil for a parameter of the type. */
export const nilOf = (type: ParameterType): GoValue =>
  type === '[]string' || type === '[]interface {}' ? new GoList(type, []) : undefined;

/** Converts a value to the type of a parameter; the refusal has Go's text. */
export function fit(value: GoValue, type: ParameterType): Outcome<GoValue> {
  if (value === undefined) return canBeNil(type) ? accepted(nilOf(type)) : refused(`invalid value; expected ${type}`);
  if (type === 'interface {}' || type === 'reflect.Value') return accepted(value);
  const found = value === null ? 'interface {}' : typeNameOf(value);
  // The one named list type that Go accepts for the plain one.
  if (found === type || (found === 'template.Strings' && type === '[]string')) return accepted(value);
  return refused(`wrong type for value; expected ${type}; got ${found}`);
}

/** A value as an integer, if the type is one. */
export function intOf(number: NumberNode, type: ParameterType): GoValue {
  if (number.int === undefined) return undefined;
  return type === 'int64' || type === 'time.Duration' ? new GoInt(type, number.int) : number.int;
}

export const isIntType = (type: ParameterType): boolean =>
  type === 'int' || type === 'int64' || type === 'time.Duration';
