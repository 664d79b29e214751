import type { Problem, Reading } from './parse.ts';
import { UTC_ZONE } from './zone/zone.ts';

/** The forms of an offset in a text; like Go, two-digit groups are checked after matching. */
function offsetGroups(element: string, text: string): readonly string[] | undefined {
  const colon = element.includes(':');
  const pairs = element.replace(/[^0-9]/g, '').length / 2;
  const groups: string[] = [];
  let at = 1;
  for (let pair = 0; pair < pairs; pair++) {
    if (pair > 0 && colon && text[at++] !== ':') return undefined;
    groups.push(text.slice(at, at + 2));
    at += 2;
  }
  return text.length < at ? undefined : [text.slice(0, at), ...groups];
}

/** Reads an offset from UTC: `-07:00`, or `Z` if the element begins with it. */
export function readOffset(reading: Reading, element: string): Problem {
  if (element.startsWith('Z') && reading.rest.startsWith('Z')) {
    reading.rest = reading.rest.slice(1);
    reading.zone = UTC_ZONE;
    return undefined;
  }
  const [taken, ...groups] = offsetGroups(element, reading.rest) ?? [];
  if (taken === undefined) return 'bad';
  const numbers: number[] = [];
  for (const group of groups) {
    if (!/^\d\d$/.test(group)) break;
    numbers.push(Number(group));
  }
  const [hours = 0, minutes = 0, seconds = 0] = numbers;
  if (seconds > 60) return { range: 'time zone offset second' };
  if (minutes > 60) return { range: 'time zone offset minute' };
  if (hours > 24) return { range: 'time zone offset hour' };
  if (numbers.length < groups.length || !/^[-+]/.test(taken)) return 'bad';
  const offset = (hours * 60 + minutes) * 60 + seconds;
  reading.offset = taken.startsWith('-') ? -offset : offset;
  reading.rest = reading.rest.slice(taken.length);
  return undefined;
}

/** The length of an offset such as `+3` or `-11`; 0 if it is invalid or exceeds a day. */
function signedHours(text: string): number {
  const match = /^[-+](\d+)/.exec(text);
  return match && Number(match[1]) <= 23 ? match[0].length : 0;
}

function zoneNameLength(text: string): number {
  if (/^(?:ChST|MeST)/.test(text)) return 4;
  if (text.startsWith('GMT')) return 3 + signedHours(text.slice(3));
  if (text.length >= 3 && /^[-+]/.test(text)) return signedHours(text);
  const letters = (/^[A-Z]{0,6}/.exec(text) as RegExpExecArray)[0];
  if (letters.length === 3) return 3;
  if (letters.length === 4) return letters.endsWith('T') || letters === 'WITA' ? 4 : 0;
  return letters.length === 5 && letters.endsWith('T') ? 5 : 0;
}

/** Reads the name of a zone's time: `CET`, `GMT+3`, `+03`. */
export function readZoneName(reading: Reading): Problem {
  if (reading.rest.startsWith('UTC')) {
    reading.rest = reading.rest.slice(3);
    reading.zone = UTC_ZONE;
    return undefined;
  }
  const length = zoneNameLength(reading.rest);
  if (length === 0) return 'bad';
  reading.zoneName = reading.rest.slice(0, length);
  reading.rest = reading.rest.slice(length);
  return undefined;
}

/** Reads a fraction of a second: exactly `digits` of them, or as many as there are, possibly none. */
export function readFraction(reading: Reading, digits: number | undefined): Problem {
  if (digits === undefined) {
    const match = /^[.,](\d+)/.exec(reading.rest);
    if (!match) return undefined;
    reading.nanoseconds = Number((match[1] as string).slice(0, 9).padEnd(9, '0'));
    reading.rest = reading.rest.slice(match[0].length);
    return undefined;
  }
  const text = reading.rest.slice(1, 1 + digits);
  if (text.length < digits || !/^[.,]/.test(reading.rest)) return 'bad';
  const kept = text.slice(0, 9);
  if (!/^[-+]?\d*$/.test(kept)) return 'bad';
  const value = Number(kept.replace(/^[-+]$/, '0')) * 10 ** (9 - kept.length);
  if (value < 0) return { range: 'fractional second' };
  reading.nanoseconds = Math.abs(value);
  reading.rest = reading.rest.slice(1 + digits);
  return undefined;
}
