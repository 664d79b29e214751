import { compareUtf8 } from '../domain/label-set.ts';
import { CallError } from './callable.ts';
import { SafeText } from './html-escape/safe-text.ts';
import { formatValue } from './printf/printf.ts';
import { GoInt, GoList, GoMap, GoPointer, GoStruct, GoTime, type GoValue, GoZone, typeNameOf } from './value.ts';

/** A value of one of Go's basic kinds; signed and unsigned integers differ. */
type Basic =
  | { readonly kind: 'bool'; readonly value: boolean }
  | { readonly kind: 'int' | 'uint'; readonly value: bigint }
  | { readonly kind: 'float'; readonly value: number }
  | { readonly kind: 'string'; readonly value: string };

function basicOf(value: GoValue): Basic | undefined {
  switch (typeof value) {
    case 'boolean':
      return { kind: 'bool', value };
    case 'bigint':
      return { kind: 'int', value };
    case 'number':
      return { kind: 'float', value };
    case 'string':
      return { kind: 'string', value };
  }
  if (value instanceof GoInt) return { kind: value.type === 'uint8' ? 'uint' : 'int', value: value.value };
  return value instanceof SafeText ? { kind: 'string', value: value.text } : undefined;
}

const isNothing = (value: GoValue): value is null | undefined => value === undefined || value === null;
const isInteger = ({ kind }: Basic) => kind === 'int' || kind === 'uint';

function incompatible(left: GoValue, right: GoValue): CallError {
  return new CallError(`incompatible types for comparison: ${typeNameOf(left)} and ${typeNameOf(right)}`);
}

/** The error for values that are not numbers, texts or booleans. */
function kindOf(value: GoValue): 'struct' | 'slice' | 'map' | 'ptr' {
  if (value instanceof GoList) return 'slice';
  if (value instanceof GoMap) return 'map';
  return value instanceof GoPointer || value instanceof GoZone ? 'ptr' : 'struct';
}

const isComparable = (value: GoValue): boolean =>
  !(value instanceof GoStruct && value.type.name === 'template.Alert') &&
  !(value instanceof GoList) &&
  !(value instanceof GoMap);

function equalOthers(left: GoValue, right: GoValue): boolean {
  if (isNothing(left) || isNothing(right)) return isNothing(left) && isNothing(right);
  if (kindOf(left) !== kindOf(right)) {
    const shown = `${formatValue(left, 's')}: ${typeNameOf(left)}, ${typeNameOf(right)}: ${formatValue(right, 'v')}`;
    throw new CallError(`non-comparable types ${shown}`);
  }
  if (!isComparable(right)) {
    throw new CallError(`non-comparable type ${formatValue(right, 's')}: ${typeNameOf(right)}`);
  }
  if (left instanceof GoTime && right instanceof GoTime) {
    return left.seconds === right.seconds && left.nanoseconds === right.nanoseconds && left.zone === right.zone;
  }
  if (left instanceof GoStruct && right instanceof GoStruct) {
    return left.type === right.type && left.values.every((value, index) => value === right.values[index]);
  }
  return left === right;
}

function equals(left: GoValue, right: GoValue): boolean {
  const a = basicOf(left);
  const b = basicOf(right);
  if (!a && !b) return equalOthers(left, right);
  if (a && b && (a.kind === b.kind || (isInteger(a) && isInteger(b)))) return a.value === b.value;
  if (isNothing(left) || isNothing(right)) return false;
  throw incompatible(left, right);
}

/** Whether the first equals any of the others, like Go's `eq`. */
export function equalsAny(first: GoValue, others: readonly GoValue[]): boolean {
  if (others.length === 0) throw new CallError('missing argument for comparison');
  return others.some((other) => equals(first, other));
}

/** Whether the first is less than the second, like Go's `lt`. */
export function isLess(left: GoValue, right: GoValue): boolean {
  const a = basicOf(left);
  const b = basicOf(right);
  if (!a || !b) throw new CallError('invalid type for comparison');
  if (a.kind === 'string' && b.kind === 'string') return compareUtf8(a.value, b.value) < 0;
  if (a.kind !== b.kind && !(isInteger(a) && isInteger(b))) throw incompatible(left, right);
  if (a.kind === 'bool') throw new CallError('invalid type for comparison');
  return a.value < b.value;
}

/** Whether a value is true for Go's `if`: all but zero values, and empty lists, maps and texts. */
export function isTrue(value: GoValue): boolean {
  if (typeof value === 'object' && value !== null) {
    if (value instanceof GoList) return value.items.length > 0;
    if (value instanceof GoMap) return value.entries.size > 0;
    if (value instanceof GoInt) return value.value !== 0n;
    return value instanceof SafeText ? value.text !== '' : true;
  }
  // NaN is not zero.
  return typeof value === 'number' ? value !== 0 : Boolean(value);
}
