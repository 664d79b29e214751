import type { GoValue } from './value.ts';

/** The types of parameters, by Go's names. A `reflect.Value` takes anything as it is. */
export type ParameterType =
  | 'string'
  | 'int'
  | 'int64'
  | 'interface {}'
  | 'reflect.Value'
  | '[]string'
  | '[]interface {}'
  | 'time.Time'
  | 'time.Duration'
  | '*time.Location';

/** The part of an execution that functions use. */
export interface CallContext {
  /** Counts work beyond one step; throws when an execution exceeds its limit. */
  spend(steps: number): void;
  /** Epoch milliseconds. */
  now(): number;
  /** The rendered route label; empty when absent. Throws a CallError or a TemplateError. */
  routeLabel(name: string): string;
}

/** The failure of a function. */
export class CallError extends Error {
  override readonly name = 'CallError';
}

export interface Signature {
  readonly parameters: readonly ParameterType[];
  /** The type of any number of further arguments. */
  readonly variadic?: ParameterType;
  /** Whether the work grows with the printed size of its arguments. */
  readonly prints?: boolean;
  /** Why templates cannot call it. */
  readonly uncallable?: string;
}

/** A template function. Arguments have the types of the parameters; a nil is undefined. */
export interface TemplateFunction extends Signature {
  call(args: readonly GoValue[], context: CallContext): GoValue;
}

/** A method of values of one type. */
export interface Method<T extends GoValue = GoValue> extends Signature {
  call(receiver: T, args: readonly GoValue[]): GoValue;
}

/** Strings and lists may grow to this many characters and entries. */
export const MAX_CHARACTERS = 32 * 1024 * 1024;
