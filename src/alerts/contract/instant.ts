import { accepted, type Outcome } from '../../kernel/outcome.ts';

/** Without seconds only the zone Z is allowed; after a space, seconds are required and a zone is not allowed. */
const PATTERN =
  /^(\d{4})-(\d\d)-(\d\d)(?:(?:T(?=.{5}(?:Z?$|:))| (?=[\d:.,]{8,}$))(\d\d):(\d\d)(?::(\d\d)(?:[.,](\d+))?)?(Z|[+-](?:[01]\d|2[0-4]):?[0-5]\d)?)?$/;

/** The usual form, which Date.parse reads alike: days that every month has. */
const COMMON = /^[12]\d{3}-(?:0[1-9]|1[0-2])-(?:0[1-9]|1\d|2[0-8])T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d{3})?Z$/;

/** Go's zero time: on the wire it stands for an absent time. */
const ZERO_TIME = -62_135_596_800_000;

/** The first and last instant whose UTC year has four digits. */
const FIRST = -62_167_219_200_000;
const LAST = 253_402_300_799_999;

/**
 * Reads a date-time in any form that go-openapi's strfmt takes (RFC 3339, without seconds, without zone, a bare date),
 * in epoch milliseconds; a missing zone is UTC. Go's zero time is read as undefined, the empty text as the epoch.
 */
export function readInstant(text: string): Outcome<number | undefined, object> {
  if (COMMON.test(text)) return accepted(Date.parse(text));
  if (text === '') return accepted(0);
  const match = PATTERN.exec(text);
  if (!match) return { ok: false };
  const [, year, month, day, hour = '0', minute = '0', second = '0', fraction = '', zone = 'Z'] = match;
  const date = new Date(0);
  date.setUTCFullYear(Number(year), Number(month) - 1, Number(day));
  date.setUTCHours(Number(hour), Number(minute), Number(second), Number(`${fraction}000`.slice(0, 3)));
  // A month 13, 30 February or hour 25 has rolled over into another field.
  const rolledOver =
    date.getUTCMonth() + 1 !== Number(month) ||
    date.getUTCDate() !== Number(day) ||
    date.getUTCHours() !== Number(hour);
  if (rolledOver || Number(minute) > 59 || Number(second) > 59) return { ok: false };
  const at = date.getTime() - zoneOffsetMs(zone);
  if (at < FIRST || at > LAST) return { ok: false };
  return accepted(at === ZERO_TIME ? undefined : at);
}

function zoneOffsetMs(zone: string): number {
  if (zone === 'Z') return 0;
  const minutes = Number(zone.slice(1, 3)) * 60 + Number(zone.slice(-2));
  return (zone[0] === '-' ? -minutes : minutes) * 60_000;
}

/** The last texts: alerts that were posted together share their instants. */
const KNOWN_INSTANTS = 4096;
const knownAt = new Float64Array(KNOWN_INSTANTS).fill(Number.NaN);
const knownText: string[] = new Array(KNOWN_INSTANTS).fill('');

/** Formats an instant in UTC with milliseconds. */
export function formatInstant(at: number): string {
  const place = Math.abs(at % KNOWN_INSTANTS);
  if (knownAt[place] !== at) {
    knownText[place] = new Date(at).toISOString();
    knownAt[place] = at;
  }
  return knownText[place] as string;
}
