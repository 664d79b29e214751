import { DAY_MS, HOUR_MS, MINUTE_MS } from '../zone.ts';

const decoder = new TextDecoder();

export const BAD_TOKENS = -1;
export const NEGATIVE_TOKENS = -2;

/**
 * A count of tokens: 0 for empty and `-`; thousands may be grouped. BAD_TOKENS for anything but a whole number,
 * NEGATIVE_TOKENS below zero.
 */
export function readTokens(bytes: Uint8Array, start: number, end: number): number {
  if (end - start > 15) return readOddTokens(bytes, start, end);
  let value = 0;
  for (let at = start; at < end; at++) {
    const digit = (bytes[at] as number) - 48;
    if (digit < 0 || digit > 9) return readOddTokens(bytes, start, end);
    value = value * 10 + digit;
  }
  return value;
}

function readOddTokens(bytes: Uint8Array, start: number, end: number): number {
  const text = decoder.decode(bytes.subarray(start, end)).trim();
  if (text === '' || text === '-') return 0;
  if (/^-\d/.test(text)) return NEGATIVE_TOKENS;
  if (!/^(?:\d+|\d{1,3}([,.' \u00a0\u202f])\d{3}(?:\1\d{3})*)$/.test(text)) return BAD_TOKENS;
  const value = Number(text.replace(/\D/g, ''));
  return Number.isSafeInteger(value) ? value : BAD_TOKENS;
}

/** Reads the dates of many rows; dates of one day share the work. */
export class DateReader {
  /** Whether the last date had no time. */
  isDateOnly = false;
  #packed = -1;
  #midnight = 0;

  /** Epoch milliseconds of an ISO 8601 text, UTC if it has no offset. NaN for other texts. */
  read(bytes: Uint8Array, start: number, end: number): number {
    const length = end - start;
    this.isDateOnly = length === 10;
    if (length < 10 || bytes[start + 4] !== DASH || bytes[start + 7] !== DASH) return Number.NaN;
    const midnight = this.#midnightOf(number(bytes, start, 4), two(bytes, start + 5), two(bytes, start + 8));
    if (length === 10) return midnight;
    const gap = bytes[start + 10];
    if ((gap !== T && gap !== SPACE) || length < 16 || bytes[start + 13] !== COLON) return Number.NaN;
    const [hour, minute] = [two(bytes, start + 11), two(bytes, start + 14)];
    if (!(hour < 24 && minute < 60)) return Number.NaN;
    return midnight + hour * HOUR_MS + minute * MINUTE_MS + readRest(bytes, start + 16, end);
  }

  #midnightOf(year: number, month: number, day: number): number {
    const packed = year * 10_000 + month * 100 + day;
    if (packed === this.#packed) return this.#midnight;
    const midnight = Date.UTC(year, month - 1, day);
    const isReal = month >= 1 && month <= 12 && day >= 1 && new Date(midnight).getUTCDate() === day;
    if (!isReal) return Number.NaN;
    this.#packed = packed;
    this.#midnight = midnight;
    return midnight;
  }
}

const DASH = 45;
const COLON = 58;
const SPACE = 32;
const T = 84;

/** Seconds, their fraction and the offset of a time, as milliseconds. */
function readRest(bytes: Uint8Array, from: number, end: number): number {
  let at = from;
  let ms = 0;
  if (at < end && bytes[at] === COLON) {
    const second = at + 3 <= end ? two(bytes, at + 1) : Number.NaN;
    if (!(second < 60)) return Number.NaN;
    ms = second * 1000;
    at += 3;
    if (at < end && bytes[at] === 46) {
      let scale = 100;
      for (at++; at < end && isDigit(bytes[at] as number); at++) {
        ms += Math.floor(scale) * ((bytes[at] as number) - 48);
        scale /= 10;
      }
    }
  }
  if (at === end || (at + 1 === end && (bytes[at] === 90 || bytes[at] === 122))) return ms;
  return ms - readOffset(bytes, at, end);
}

/** `+02:00`, `+0200` or `+02` in milliseconds; NaN for other texts. */
function readOffset(bytes: Uint8Array, at: number, end: number): number {
  const sign = bytes[at] === 43 ? 1 : bytes[at] === DASH ? -1 : Number.NaN;
  const length = end - at;
  const minutesAt = bytes[at + 3] === COLON ? at + 4 : at + 3;
  if (length !== 3 && end !== minutesAt + 2) return Number.NaN;
  const minutes = length === 3 ? 0 : two(bytes, minutesAt);
  const offset = sign * (two(bytes, at + 1) * HOUR_MS + minutes * MINUTE_MS);
  return Math.abs(offset) < DAY_MS ? offset : Number.NaN;
}

function isDigit(byte: number): boolean {
  return byte >= 48 && byte <= 57;
}

function two(bytes: Uint8Array, at: number): number {
  const tens = (bytes[at] as number) - 48;
  const ones = (bytes[at + 1] as number) - 48;
  return tens >= 0 && tens <= 9 && ones >= 0 && ones <= 9 ? tens * 10 + ones : Number.NaN;
}

function number(bytes: Uint8Array, at: number, digits: number): number {
  let value = 0;
  for (let index = at; index < at + digits; index++) {
    if (!isDigit(bytes[index] as number)) return Number.NaN;
    value = value * 10 + (bytes[index] as number) - 48;
  }
  return value;
}
