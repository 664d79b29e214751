import { readFileSync } from 'node:fs';
import { accepted, type Outcome, refused } from '../../../../kernel/outcome.ts';
import { GoZone } from '../../value.ts';
import { calendarDayOf, daysFromEpoch, SECONDS_PER_DAY } from '../calendar.ts';
import { readZoneFile, type ZoneLookup } from './file.ts';
import { timeNamesOf } from './names.ts';
import type { ZonePeriod } from './rule.ts';

/** The usual folders of compiled time zones. */
const ZONE_FOLDERS = ['/usr/share/zoneinfo', '/usr/share/lib/zoneinfo', '/usr/lib/locale/TZ', '/etc/zoneinfo'] as const;

/** JavaScript's dates end this many milliseconds before and after the epoch. */
const MAX_DATE_MS = 8.64e15;

/** A zone with a fixed offset. */
export class FixedZone extends GoZone {
  readonly #period: ZonePeriod;

  /** `offset` in seconds east of UTC. */
  constructor(
    override readonly name: string,
    offset: number,
  ) {
    super();
    this.#period = { offset, abbreviation: name };
  }

  override at(): ZonePeriod {
    return this.#period;
  }
}

class NamedZone extends GoZone {
  constructor(
    override readonly name: string,
    override readonly at: ZoneLookup,
  ) {
    super();
  }
}

export const UTC_ZONE: GoZone = new FixedZone('UTC', 0);

function lookupFromSystem(name: string): ZoneLookup | undefined {
  for (const folder of ZONE_FOLDERS) {
    try {
      return readZoneFile(readFileSync(`${folder}/${name}`));
    } catch {
      // The system has its zones elsewhere, or none.
    }
  }
  return undefined;
}

function offsetOf(parts: readonly Intl.DateTimeFormatPart[]): number {
  const text = parts.find((part) => part.type === 'timeZoneName')?.value ?? '';
  const match = /([-+\u2212])(\d{1,2})(?::(\d{2}))?(?::(\d{2}))?$/.exec(text);
  if (!match) return 0;
  const seconds = Number(match[2]) * 3600 + Number(match[3] ?? 0) * 60 + Number(match[4] ?? 0);
  return match[1] === '+' ? seconds : -seconds;
}

function numericName(offset: number): string {
  const minutes = Math.floor(Math.abs(offset) / 60);
  const hours = String(Math.floor(minutes / 60)).padStart(2, '0');
  const rest = minutes % 60 === 0 ? '' : String(minutes % 60).padStart(2, '0');
  return `${offset < 0 ? '-' : '+'}${hours}${rest}`;
}

/**
 * A zone from the data of the JavaScript engine, which has offsets but hardly any names: today's names are used.
 * Undefined for an unknown zone.
 */
export function lookupFromEngine(name: string): ZoneLookup | undefined {
  let format: Intl.DateTimeFormat;
  try {
    format = new Intl.DateTimeFormat('en-US', { timeZone: name, timeZoneName: 'longOffset' });
  } catch {
    return undefined;
  }
  const names = timeNamesOf(name);
  const offsetAt = (ms: number) => {
    const at = Math.min(Math.max(ms, -MAX_DATE_MS), MAX_DATE_MS);
    return offsetOf(format.formatToParts(at));
  };
  return (seconds) => {
    const offset = offsetAt(seconds * 1000);
    // Only local mean time, before there were zones, differs from UTC by odd seconds.
    if (offset % 60 !== 0) return { offset, abbreviation: 'LMT' };
    if (!names) return { offset, abbreviation: numericName(offset) };
    const { year } = calendarDayOf(Math.floor(seconds / SECONDS_PER_DAY));
    const offsetOfMonth = (month: number) => offsetAt(daysFromEpoch(year, month, 15) * SECONDS_PER_DAY * 1000);
    const isSummer = offset > Math.min(offsetOfMonth(1), offsetOfMonth(7));
    return { offset, abbreviation: names[isSummer ? 1 : 0] };
  };
}

/** Cached zones; more than exist, as the engine accepts names in any case. */
const REMEMBERED_ZONES = 1000;
const known = new Map<string, GoZone>();

/** The characters of zone names; a name cannot leave the folder of zones. */
const isZoneName = (name: string): boolean => /^[A-Za-z0-9][\w+-]*(?:\/[A-Za-z0-9][\w+-]*)*$/.test(name);

/** The zone of the machine. */
export function localZone(): GoZone {
  let local = known.get('Local');
  if (!local) {
    const name = new Intl.DateTimeFormat().resolvedOptions().timeZone;
    const lookup = lookupFromSystem(name) ?? lookupFromEngine(name);
    local = new NamedZone('Local', lookup ?? (() => UTC_ZONE.at(0)));
    known.set('Local', local);
  }
  return local;
}

/** A zone by its IANA name; `Local`, and `` for UTC, as in Go's time.LoadLocation, whose texts the refusals have. */
export function loadZone(name: string): Outcome<GoZone> {
  if (name === '' || name === 'UTC') return accepted(UTC_ZONE);
  if (name === 'Local') return accepted(localZone());
  if (name.includes('..') || /^[/\\]/.test(name)) return refused('time: invalid location name');
  const loaded = known.get(name);
  if (loaded) return accepted(loaded);
  const lookup = isZoneName(name) ? (lookupFromSystem(name) ?? lookupFromEngine(name)) : undefined;
  if (!lookup) return refused(`unknown time zone ${name}`);
  const zone = new NamedZone(name, lookup);
  if (known.size >= REMEMBERED_ZONES) known.clear();
  known.set(name, zone);
  return accepted(zone);
}
