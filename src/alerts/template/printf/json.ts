import { accepted, type Outcome, refused } from '../../../kernel/outcome.ts';
import { CallError } from '../callable.ts';
import { SafeText } from '../html-escape/safe-text.ts';
import { formatGoTime, wallTimeOf } from '../time/format.ts';
import { GoInt, GoList, GoMap, GoPointer, type GoStruct, GoTime, type GoValue, GoZone } from '../value.ts';
import { MAX_DEPTH } from './value.ts';

/** A value that JSON cannot represent. */
class UnfitForJson extends Error {}

/** Characters that Go escapes in JSON and JavaScript does not. */
const TO_ESCAPE = /[<>&\u2028\u2029]|\p{Surrogate}/gu;

function encodeText(text: string): string {
  const escaped = JSON.stringify(text.toWellFormed());
  return escaped.replace(TO_ESCAPE, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

function encodeNumber(value: number): string {
  if (Number.isNaN(value)) throw new UnfitForJson('json: unsupported value: NaN');
  if (!Number.isFinite(value)) throw new UnfitForJson(`json: unsupported value: ${value > 0 ? '+' : '-'}Inf`);
  return Object.is(value, -0) ? '-0' : String(value);
}

function encodeTime(time: GoTime): string {
  const { year, offset } = wallTimeOf(time);
  const unfit = (what: string) =>
    new UnfitForJson(`json: error calling MarshalJSON for type time.Time: Time.MarshalJSON: ${what}`);
  if (year < 0 || year > 9999) throw unfit('year outside of range [0,9999]');
  if (Math.abs(offset) >= 24 * 3600) throw unfit('timezone hour outside of range [0,23]');
  return `"${formatGoTime(time, '2006-01-02T15:04:05.999999999Z07:00')}"`;
}

type Field = readonly [name: string, value: GoValue];

function encodeFields(fields: readonly Field[], depth: number): string {
  return `{${fields.map(([name, value]) => `${encodeText(name)}:${encode(value, depth)}`).join(',')}}`;
}

/** Fields without a JSON name are left out. */
function encodeStruct({ type, values }: GoStruct, depth: number): string {
  const fields = type.json.flatMap((name, index): Field[] => (name === undefined ? [] : [[name, values[index]]]));
  return encodeFields(fields, depth);
}

function encode(value: GoValue, depth = 0): string {
  if (depth > MAX_DEPTH) throw new CallError('a value is nested too deeply');
  if (value === undefined || value === null) return 'null';
  if (typeof value === 'string') return encodeText(value);
  if (typeof value === 'number') return encodeNumber(value);
  if (typeof value === 'boolean' || typeof value === 'bigint') return String(value);
  if (value instanceof SafeText) return encodeText(value.text);
  if (value instanceof GoInt) return String(value.value);
  if (value instanceof GoTime) return encodeTime(value);
  if (value instanceof GoZone) return '{}';
  if (value instanceof GoList) return `[${value.items.map((item) => encode(item, depth + 1)).join(',')}]`;
  if (value instanceof GoMap)
    return encodeFields(
      value.sortedKeys.map((key) => [key, value.entries.get(key)]),
      depth + 1,
    );
  return encodeStruct(value instanceof GoPointer ? value.target : value, depth + 1);
}

/** Formats a value like Go's json.Marshal; the refusals are Go's. Throws a CallError when a value is nested too deeply. */
export function encodeJson(value: GoValue): Outcome<string> {
  try {
    return accepted(encode(value));
  } catch (error) {
    if (error instanceof UnfitForJson) return refused(error.message);
    throw error;
  }
}
