const MAX_TOKENS = 1e9;
const MIN_TIME = Date.UTC(2020, 0, 1);
const MAX_TIME = Date.UTC(2100, 0, 1);
const MAX_PATH_LENGTH = 4096;
const MAX_ID_LENGTH = 128;
const MAX_NAME_LENGTH = 100;
const PLAIN_ID = /^[\x21-\x7e]+$/;
const ISO_TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d/;

export type Fields = Readonly<Record<string, unknown>>;

/** The fields of a JSON object; undefined for all other values. */
export function fieldsOf(value: unknown): Fields | undefined {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : undefined;
}

/**
 * The JSON object in a line; undefined for everything else. Its texts are bytes, not characters (`textOf`): all but a
 * few are thrown away.
 */
export function parseLine(line: Buffer): Fields | undefined {
  try {
    return fieldsOf(JSON.parse(line.toString('latin1')));
  } catch {
    return undefined;
  }
}

/** Whether a line can be a whole JSON object, by its first and last bytes. */
export function isClosed(line: Buffer): boolean {
  return line[0] === 0x7b && line[line.length - 1] === 0x7d;
}

/** A count of tokens, 0 for an absent one; undefined for every other type and for numbers out of reason. */
export function countOf(value: unknown): number | undefined {
  if (value === undefined || value === null) return 0;
  return typeof value === 'number' && Number.isInteger(value) && value >= 0 && value <= MAX_TOKENS ? value : undefined;
}

/** Epoch milliseconds of an ISO text between 2020 and 2100. */
export function timeOf(value: unknown): number | undefined {
  if (typeof value !== 'string' || value.length > 40 || !ISO_TIME.test(value)) return undefined;
  const at = Date.parse(value);
  return at >= MIN_TIME && at < MAX_TIME ? at : undefined;
}

/** An id of printable ASCII without spaces, at most 128 characters. */
export function idOf(value: unknown): string | undefined {
  return typeof value === 'string' && value.length <= MAX_ID_LENGTH && PLAIN_ID.test(value) ? value : undefined;
}

/** A model's name in the characters and length of an id, else `unknown`. */
export function modelOf(value: unknown): string {
  const id = idOf(value);
  return id && id.length <= MAX_NAME_LENGTH ? id : 'unknown';
}

/** The characters of a text of `parseLine`; empty for other values. */
export function textOf(value: unknown): string {
  if (typeof value !== 'string') return '';
  // An escaped character is one already.
  return /^[\0-\xff]*$/.test(value) ? Buffer.from(value, 'latin1').toString('utf8') : value;
}

/** The last segment of a path (of any platform), printable and of bounded length; empty for a longer path. */
export function lastSegment(path: string): string {
  if (path.length > MAX_PATH_LENGTH) return '';
  return printable(
    path
      .replace(/[/\\]+$/, '')
      .split(/[/\\]/)
      .at(-1) ?? '',
  );
}

/** A text without control characters and lone surrogates, at most 100 characters. */
export function printable(text: string): string {
  return text
    .slice(0, MAX_NAME_LENGTH)
    .toWellFormed()
    .replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, '')
    .trim();
}
