import * as v from 'valibot';
import { readInstant } from '../domain/instant.ts';

/**
 * Also line separators, direction marks and invisible characters, which make names look alike. Joiners of letters and emoji
 * are allowed, as are the tags after a black flag that name a region.
 */
const CONTROL =
  /[\p{Cc}\p{Zl}\p{Zp}\u00ad\u061c\u115f\u1160\u180e\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\u2800\u3164\ufeff\uffa0]|(?<![\u{1f3f4}\u{e0020}-\u{e007e}])[\u{e0000}-\u{e007f}]/u;
/** Control characters but tab and line ends. */
const CONTROL_IN_PROSE = /(?![\t\n])\p{Cc}/u;

/** One line of a given number of code points, trimmed. */
export function lineSchema(min: number, max: number) {
  return v.pipe(
    v.string(),
    v.trim(),
    v.check((text) => isBetween(text, min, max), `must have ${min} to ${max} characters`),
    v.check((text) => !CONTROL.test(text), 'must not hold control or invisible characters'),
    v.check((text) => text.isWellFormed(), 'holds half of a surrogate pair'),
  );
}

/** Text of several lines, whose ends become LF. */
export function proseSchema(max: number) {
  return v.pipe(
    v.string(),
    v.transform((text) => text.replace(/\r\n?/g, '\n')),
    v.check((text) => isBetween(text, 0, max), `must have at most ${max} characters`),
    v.check((text) => !CONTROL_IN_PROSE.test(text), 'must not hold control characters'),
    v.check((text) => text.isWellFormed(), 'holds half of a surrogate pair'),
  );
}

export function intSchema(min: number, max: number) {
  const message = `must be a whole number from ${min} to ${max}`;
  return v.pipe(v.number(message), v.integer(message), v.minValue(min, message), v.maxValue(max, message));
}

/** An instant as RFC 3339; read as epoch milliseconds. */
export const instantSchema = v.pipe(
  v.string(),
  v.transform((text) => (text.includes(':') ? readInstant(text) : undefined)),
  v.number('must be a time such as 2030-01-31T12:00:00Z'),
);

/** An object with only these fields. Valibot's own schema accepts a list as an object without fields. */
export function objectSchema<const Entries extends v.ObjectEntries>(entries: Entries) {
  return v.pipe(
    v.custom<v.InferInput<v.StrictObjectSchema<Entries, undefined>>>((input) => isObject(input), 'must be an object'),
    v.strictObject(entries),
  );
}

function isObject(input: unknown): boolean {
  return typeof input === 'object' && input !== null && !Array.isArray(input);
}

/** A field of the server: accepted in a request, and ignored. */
export const ownedSchema = v.optional(v.unknown());

function isBetween(text: string, min: number, max: number): boolean {
  if (text.length < min || text.length > max * 2) return false;
  let count = 0;
  for (const _ of text) count++;
  return count >= min && count <= max;
}
