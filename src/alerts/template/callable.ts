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

/** What functions need of the execution that calls them. */
export interface CallContext {
  /** Counts work beyond one step; throws once an execution has done too much. */
  spend(steps: number): void;
  /** Epoch milliseconds. */
  now(): number;
  /** The route label of the name, rendered; empty where there is none. Throws a CallError or a TemplateError. */
  routeLabel(name: string): string;
}

/** Why a function does not give a value. */
export class CallError extends Error {
  override readonly name = 'CallError';
}

export interface Signature {
  readonly parameters: readonly ParameterType[];
  /** The type of any number of further arguments. */
  readonly variadic?: ParameterType;
  /** Whether the work grows with all that there is to print of its arguments. */
  readonly prints?: boolean;
  /** Why templates cannot call it at all. */
  readonly uncallable?: string;
}

/** A function of templates. Its arguments have the types of its parameters; a nil is undefined. */
export interface TemplateFunction extends Signature {
  call(args: readonly GoValue[], context: CallContext): GoValue;
}

/** A method of values of one type. */
export interface Method<T extends GoValue = GoValue> extends Signature {
  call(receiver: T, args: readonly GoValue[]): GoValue;
}

/** Strings and lists may grow to this many characters and entries. */
export const MAX_CHARACTERS = 32 * 1024 * 1024;
