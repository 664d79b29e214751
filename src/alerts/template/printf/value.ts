import { CallError } from '../callable.ts';
import { SafeText } from '../html-escape/safe-text.ts';
import { MONTH_NAMES, WEEKDAY_NAMES } from '../time/calendar.ts';
import { formatGoDuration } from '../time/duration.ts';
import { goTimeString, wallTimeOf } from '../time/format.ts';
import { GoInt, GoList, GoMap, GoPointer, GoStruct, GoTime, type GoValue, GoZone, typeNameOf } from '../value.ts';
import { formatInteger, formatReal } from './number.ts';
import { type FormatSpec, pad, plainSpec } from './spec.ts';
import { formatBytes, formatQuoted, formatText, quoted } from './text.ts';

/** How a value is printed, and its nesting. */
interface Place {
  readonly verb: string;
  readonly spec: FormatSpec;
  readonly depth: number;
  /** Within the error about a verb, values print without their methods. */
  readonly complains: boolean;
}

/** Maximum nesting of lists and maps. */
export const MAX_DEPTH = 1000;

/** The address of all values; in Go addresses differ from run to run. */
const ADDRESS = 0xc000_0100_00n;

/** The name of a month or a weekday, which counts from `first`. */
function nameFrom(names: readonly string[], first: bigint, value: bigint, type: string): string {
  return names[Number(value - first)] ?? `%!${type}(${value})`;
}

/** The result of a value's method String; undefined without one. */
export function stringMethod(value: GoValue): string | undefined {
  if (value instanceof GoTime) return goTimeString(value);
  if (value instanceof GoZone) return value.name;
  if (value instanceof GoList || value instanceof GoMap) return value.goString();
  if (!(value instanceof GoInt)) return undefined;
  if (value.type === 'time.Duration') return formatGoDuration(value.value);
  if (value.type === 'time.Month') return nameFrom(MONTH_NAMES, 1n, value.value, 'Month');
  if (value.type === 'time.Weekday') return nameFrom(WEEKDAY_NAMES, 0n, value.value, 'Weekday');
  return undefined;
}

function timeInSource(time: GoTime): string {
  const wall = wallTimeOf(time);
  const { name } = time.zone;
  const zone = name === 'UTC' || name === 'Local' ? `time.${name}` : `time.Location(${quoted(name, '"', true)})`;
  const month = `time.${MONTH_NAMES[wall.month - 1]}`;
  const clock = [wall.hour, wall.minute, wall.second, wall.nanoseconds].join(', ');
  return `time.Date(${wall.year}, ${month}, ${wall.day}, ${clock}, ${zone})`;
}

function complaint(value: GoValue, place: Place): string {
  const shown = printed(value, { ...place, verb: 'v', depth: 0, complains: true });
  return `%!${place.verb}(${typeNameOf(value)}=${shown})`;
}

function printString(text: string, place: Place): string | undefined {
  const { verb, spec } = place;
  if (verb === 's' || (verb === 'v' && !spec.sharpV)) return formatText(text, spec);
  if (verb === 'q' || verb === 'v') return formatQuoted(text, spec);
  return verb === 'x' || verb === 'X' ? formatBytes(text, spec, verb === 'X') : undefined;
}

/** The values within a composite, which Go writes with type and braces. */
function printAll(
  parts: readonly string[],
  place: Place,
  type: string,
  [open, close]: readonly [string, string],
): string {
  return place.spec.sharpV ? `${type}{${parts.join(', ')}}` : `${open}${parts.join(' ')}${close}`;
}

const inside = (place: Place): Place => ({ ...place, depth: place.depth + 1 });

function printList(list: GoList, place: Place): string {
  const parts = list.items.map((item) => printed(item, inside(place)));
  return printAll(parts, place, list.type, ['[', ']']);
}

function printMap(map: GoMap, place: Place): string {
  const at = inside(place);
  const parts = map.sortedKeys.map((key) => `${printed(key, at)}:${printed(map.entries.get(key), at)}`);
  return printAll(parts, place, map.type, ['map[', ']']);
}

function printStruct({ type, values }: GoStruct, place: Place): string {
  const named = place.spec.plusV || place.spec.sharpV;
  const parts = values.map((value, index) => {
    return (named ? `${type.fields[index]}:` : '') + printed(value, inside(place));
  });
  return printAll(parts, place, type.name, ['{', '}']);
}

/** A pointer by a verb that is not for texts. */
function printPointer(address: bigint, type: string, { verb, spec }: Place): string {
  const plain =
    address === 0n ? pad('<nil>', spec) : (formatInteger(address, 'x', { ...spec, sharp: !spec.sharp }) as string);
  if (verb === 'v') return plain;
  return 'bodxX'.includes(verb) ? (formatInteger(address, verb, spec) as string) : `%!${verb}(${type}=${plain})`;
}

/** A time by a verb that is not for texts: Go prints its fields. */
function printTimeParts(time: GoTime, place: Place): string {
  const { verb, spec } = place;
  const number = (value: number, type: string) => {
    const counted = BigInt(value);
    return formatInteger(counted, verb, spec) ?? `%!${verb}(${type}=${formatInteger(counted, 'v', spec)})`;
  };
  const sinceZero = time.seconds + 62_135_596_800;
  const zone = printPointer(time.zone.name === 'UTC' ? 0n : ADDRESS, '*time.Location', place);
  return `{${number(time.nanoseconds, 'uint64')} ${number(sinceZero, 'int64')} ${zone}}`;
}

function printPlain(value: GoValue, place: Place): string | undefined {
  const { verb, spec } = place;
  switch (typeof value) {
    case 'boolean':
      return verb === 't' || verb === 'v' ? pad(String(value), spec) : undefined;
    case 'bigint':
      return formatInteger(value, verb, spec);
    case 'number':
      return formatReal(value, verb, spec);
    case 'string':
      return printString(value, place);
  }
  if (value instanceof SafeText) return printString(value.text, place);
  if (value instanceof GoInt) return formatInteger(value.value, verb, spec, value.type === 'uint8');
  if (value instanceof GoList) return printList(value, place);
  if (value instanceof GoMap) return printMap(value, place);
  if (value instanceof GoStruct) return printStruct(value, place);
  if (value instanceof GoPointer) return `&${printStruct(value.target, inside(place))}`;
  if (value instanceof GoTime) return printTimeParts(value, place);
  return value instanceof GoZone ? value.name : undefined;
}

function printed(value: GoValue, place: Place): string {
  const { verb, spec, depth, complains } = place;
  if (depth > MAX_DEPTH) throw new CallError('a value is nested too deeply');
  if (value === undefined || value === null) return spec.sharpV ? 'interface {}(nil)' : '<nil>';
  if (verb === 'w' && depth > 0) return complaint(value, place);
  if (!complains && spec.sharpV && value instanceof GoTime) return timeInSource(value);
  if (!complains && !spec.sharpV && 'vsxXq'.includes(verb)) {
    const text = stringMethod(value);
    if (text !== undefined) return printString(text, place) as string;
  }
  const text = verb === 'w' ? undefined : printPlain(value, place);
  return text ?? complaint(value, place);
}

/** One argument of printf by its verb. */
export function printArgument(value: GoValue, verb: string, spec: FormatSpec): string {
  if (value === undefined || value === null) {
    return verb === 'T' || verb === 'v' ? pad('<nil>', spec) : `%!${verb}(<nil>)`;
  }
  if (verb === 'T') return formatText(typeNameOf(value), spec);
  if (verb === 'p') {
    const hasAddress = value instanceof GoList || value instanceof GoMap || value instanceof GoPointer;
    if (!hasAddress) return complaint(value, { verb, spec, depth: 0, complains: true });
    return formatInteger(ADDRESS, 'x', { ...spec, sharp: !spec.sharp }) as string;
  }
  return printed(value, { verb, spec, depth: 0, complains: false });
}

/** A value as Go's fmt prints it by a verb without flags; print and templates use `v`. */
export function formatValue(value: GoValue, verb = 'v'): string {
  return typeof value === 'string' && verb === 'v' ? value : printArgument(value, verb, plainSpec());
}
