import { isUtf8 } from 'node:buffer';
import type { Json } from '../domain/json.ts';

/** Of arrays and objects within each other, as each level takes memory. */
const MAX_DEPTH = 1_000_000;

/** Positions of the opening bracket and after each element. */
interface Places {
  readonly opening: number;
  readonly ends: readonly number[];
}

/** The events of a post: a JSON array that is checked, but parsed only if its events are not just passed on. */
export class EventArray {
  readonly #bytes: Buffer;
  #places: Places | undefined;
  #events: readonly Json[] | undefined;

  private constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  /** Undefined if the bytes are not a JSON array, or are nested too deeply. */
  static read(received: Buffer): EventArray | undefined {
    const array = new EventArray(isUtf8(received) ? received : Buffer.from(received.toString()));
    array.#places = findPlaces(array.#bytes);
    return array.#places && array;
  }

  /** The same for events that are parsed in any case, which checks them too. */
  static parse(received: Buffer): EventArray | undefined {
    // Shorter bytes are not nested too deeply.
    if (received.length > MAX_DEPTH) return EventArray.read(received);
    const array = new EventArray(received);
    array.#events = parseArray(received);
    return array.#events && array;
  }

  /** Number of events. */
  get count(): number {
    return this.#events?.length ?? this.#found().ends.length;
  }

  /** Parsed once; the caller must not change the events. */
  parse(): readonly Json[] {
    this.#events ??= JSON.parse(this.#bytes.toString()) as readonly Json[];
    return this.#events;
  }

  /** Parses only the events whose text contains `word`. */
  parseWith(word: string): readonly Json[] {
    if (!this.#bytes.includes(word)) return [];
    const { opening, ends } = this.#found();
    return ends.flatMap((end, index) => {
      // From the comma after the event before.
      const start = index === 0 ? opening + 1 : this.#bytes.indexOf(COMMA, ends[index - 1]) + 1;
      const event = this.#bytes.subarray(start, end);
      return event.includes(word) ? [JSON.parse(event.toString()) as Json] : [];
    });
  }

  /** The text of the first events with the commas between them, as received. */
  first(count: number): Buffer {
    const { opening, ends } = this.#found();
    const end = count < ends.length ? ends[count - 1] : this.#bytes.lastIndexOf(CLOSING_BRACKET);
    return this.#bytes.subarray(opening + 1, end);
  }

  #found(): Places {
    this.#places ??= findPlaces(this.#bytes);
    if (!this.#places) throw new Error('events that were parsed are no JSON array');
    return this.#places;
  }
}

function parseArray(bytes: Buffer): readonly Json[] | undefined {
  try {
    const value = JSON.parse(bytes.toString()) as Json;
    return Array.isArray(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

// Each function takes the position where it begins and returns the one after its end. JSON.parse does the same and makes
// objects of it, which costs three times as much.

const FAULT = -1;
const QUOTE = 0x22;
const COMMA = 0x2c;
const MINUS = 0x2d;
const POINT = 0x2e;
const COLON = 0x3a;
const OPENING_BRACKET = 0x5b;
const BACKSLASH = 0x5c;
const CLOSING_BRACKET = 0x5d;
const OPENING_BRACE = 0x7b;
const CLOSING_BRACE = 0x7d;
const ESCAPED = Buffer.from('"\\/bfnrt');
const TRUE = Buffer.from('true');
const FALSE = Buffer.from('false');
const NULL = Buffer.from('null');

function findPlaces(bytes: Buffer): Places | undefined {
  const opening = skipSpace(bytes, 0);
  if (bytes[opening] !== OPENING_BRACKET) return undefined;
  const ends: number[] = [];
  const end = scanArray(bytes, opening + 1, ends);
  return end !== FAULT && skipSpace(bytes, end) === bytes.length ? { opening, ends } : undefined;
}

function skipSpace(json: Buffer, from: number): number {
  let at = from;
  while (at < json.length && isSpace(json[at] as number)) at++;
  return at;
}

function isSpace(byte: number): boolean {
  return byte <= 0x20 && (byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09);
}

/** After the opening bracket. Notes where each element ends. Without recursion, as clients choose the depth. */
function scanArray(json: Buffer, from: number, ends: number[]): number {
  /** The containers around the position: objects, or arrays. */
  const isObject = [false];
  let at = skipSpace(json, from);
  /** Whether a value has ended or a container is empty, so that a comma or a closing one comes. */
  let isAtEnd = json[at] === CLOSING_BRACKET;
  for (;;) {
    if (isAtEnd && json[at] === COMMA) {
      at = skipSpace(json, at + 1);
      isAtEnd = false;
      continue;
    }
    if (isAtEnd) {
      if (json[at] !== closerOf(isObject)) return FAULT;
      isObject.pop();
      at++;
      if (isObject.length === 0) return at;
    } else {
      if (isObject.at(-1)) at = scanKey(json, at);
      if (at === FAULT || isObject.length > MAX_DEPTH) return FAULT;
      if (json[at] === OPENING_BRACE || json[at] === OPENING_BRACKET) {
        isObject.push(json[at] === OPENING_BRACE);
        at = skipSpace(json, at + 1);
        isAtEnd = json[at] === closerOf(isObject);
        continue;
      }
      at = scanScalar(json, at);
      if (at === FAULT) return FAULT;
    }
    if (isObject.length === 1) ends.push(at);
    at = skipSpace(json, at);
    isAtEnd = true;
  }
}

function closerOf(isObject: readonly boolean[]): number {
  return isObject.at(-1) ? CLOSING_BRACE : CLOSING_BRACKET;
}

/** `"key":` and white space. */
function scanKey(json: Buffer, from: number): number {
  if (json[from] !== QUOTE) return FAULT;
  const end = scanString(json, from + 1);
  if (end === FAULT) return FAULT;
  const colon = skipSpace(json, end);
  return json[colon] === COLON ? skipSpace(json, colon + 1) : FAULT;
}

/** A text, a number, or a word. */
function scanScalar(json: Buffer, at: number): number {
  const byte = json[at];
  if (byte === QUOTE) return scanString(json, at + 1);
  if (byte === MINUS || isDigit(byte)) return scanNumber(json, at);
  if (byte === 0x74) return scanWord(json, at, TRUE);
  if (byte === 0x66) return scanWord(json, at, FALSE);
  return scanWord(json, at, NULL);
}

function scanWord(json: Buffer, from: number, word: Buffer): number {
  for (let index = 0; index < word.length; index++) if (json[from + index] !== word[index]) return FAULT;
  return from + word.length;
}

/** After the opening quote. */
function scanString(json: Buffer, from: number): number {
  for (let at = from; at < json.length; at++) {
    const byte = json[at] as number;
    if (byte > BACKSLASH) continue;
    if (byte === QUOTE) return at + 1;
    if (byte < 0x20) return FAULT;
    if (byte !== BACKSLASH) continue;
    at++;
    if (json[at] === 0x75) {
      for (const last = at + 4; at < last; at++) if (!isHexDigit(json[at + 1])) return FAULT;
    } else if (!ESCAPED.includes(json[at] ?? 0)) return FAULT;
  }
  return FAULT;
}

/** `-0.5e+10` */
function scanNumber(json: Buffer, from: number): number {
  const start = json[from] === MINUS ? from + 1 : from;
  let at = scanDigits(json, start);
  if (at === start || (json[start] === 0x30 && at > start + 1)) return FAULT;
  if (json[at] === POINT) {
    const fraction = at + 1;
    at = scanDigits(json, fraction);
    if (at === fraction) return FAULT;
  }
  if (json[at] !== 0x65 && json[at] !== 0x45) return at;
  const isSigned = json[at + 1] === MINUS || json[at + 1] === 0x2b;
  const exponent = at + (isSigned ? 2 : 1);
  at = scanDigits(json, exponent);
  return at === exponent ? FAULT : at;
}

function scanDigits(json: Buffer, from: number): number {
  let at = from;
  while (isDigit(json[at])) at++;
  return at;
}

function isDigit(byte: number | undefined): boolean {
  return byte !== undefined && byte >= 0x30 && byte <= 0x39;
}

function isHexDigit(byte: number | undefined): boolean {
  return isDigit(byte) || (byte !== undefined && (byte | 0x20) >= 0x61 && (byte | 0x20) <= 0x66);
}
