export const MINUTE_MS = 60_000;
export const HOUR_MS = 3_600_000;
export const DAY_MS = 86_400_000;

/** A span in which a zone's offset from UTC is constant. */
export interface OffsetSpan {
  readonly from: number;
  /** Exclusive; the last span has none. */
  readonly to: number;
  readonly offsetMs: number;
}

export function isZone(name: string): boolean {
  try {
    new Intl.DateTimeFormat('en-US', { timeZone: name });
    return true;
  } catch {
    return false;
  }
}

const zones = new Map<string, Zone>();

/** The zone of an IANA name, created once; UTC for an unknown name. */
export function zoneOf(name: string): Zone {
  let zone = zones.get(name);
  if (!zone) {
    zone = new Zone(isZone(name) ? name : 'UTC');
    zones.set(name, zone);
  }
  return zone;
}

/**
 * A zone's offsets as a table over the requested time: Intl is asked once per day, and a change is then searched to the
 * second.
 */
export class Zone {
  readonly name: string;
  readonly #format: Intl.DateTimeFormat;
  #spans: OffsetSpan[] = [];
  #from = Number.POSITIVE_INFINITY;
  #to = Number.NEGATIVE_INFINITY;

  constructor(name: string) {
    this.name = name;
    this.#format = new Intl.DateTimeFormat('en-US', {
      timeZone: name,
      hourCycle: 'h23',
      year: 'numeric',
      month: 'numeric',
      day: 'numeric',
      hour: 'numeric',
      minute: 'numeric',
      second: 'numeric',
    });
  }

  /** Spans that cover [from, to], in order; the first and last extend to infinity. */
  spans(from: number, to: number): readonly OffsetSpan[] {
    if (from < this.#from || to > this.#to) this.#extend(from, to);
    return this.#spans;
  }

  offsetAt(at: number): number {
    return spanAt(this.spans(at, at), at).offsetMs;
  }

  /** The wall clock's time at an instant, as if it were UTC. */
  localOf(at: number): number {
    return at + this.offsetAt(at);
  }

  /** The first instant at which the wall clock shows this time or, if it is skipped, the next shown time. */
  instantOf(local: number): number {
    for (const { from, to, offsetMs } of this.spans(local - DAY_MS, local + DAY_MS)) {
      const at = Math.max(local - offsetMs, from);
      if (at < to) return at;
    }
    return local;
  }

  #extend(from: number, to: number): void {
    const start = (Math.floor(Math.min(from, this.#from) / DAY_MS) - 32) * DAY_MS;
    const end = (Math.ceil(Math.max(to, this.#to) / DAY_MS) + 32) * DAY_MS;
    const changes: { at: number; offsetMs: number }[] = [];
    let offsetMs = this.#read(start);
    changes.push({ at: Number.NEGATIVE_INFINITY, offsetMs });
    for (let day = start; day < end; day += DAY_MS) {
      const next = this.#read(day + DAY_MS);
      if (next === offsetMs) continue;
      changes.push({ at: this.#searchChange(day, day + DAY_MS, offsetMs), offsetMs: next });
      offsetMs = next;
    }
    this.#spans = changes.map((change, index) => ({
      from: change.at,
      to: changes[index + 1]?.at ?? Number.POSITIVE_INFINITY,
      offsetMs: change.offsetMs,
    }));
    this.#from = start;
    this.#to = end;
  }

  #searchChange(before: number, after: number, offsetBefore: number): number {
    let [low, high] = [before, after];
    while (high - low > 1000) {
      const middle = Math.floor((low + high) / 2000) * 1000;
      if (this.#read(middle) === offsetBefore) low = middle;
      else high = middle;
    }
    return high;
  }

  #read(at: number): number {
    const numbers = this.#format.format(at).match(/\d+/g)?.map(Number) ?? [];
    const [month = 1, day = 1, year = 1970, hour = 0, minute = 0, second = 0] = numbers;
    return Date.UTC(year, month - 1, day, hour, minute, second) - Math.floor(at / 1000) * 1000;
  }
}

/** The span that holds an instant, by bisection. */
export function spanAt(spans: readonly OffsetSpan[], at: number): OffsetSpan {
  let [low, high] = [0, spans.length - 1];
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if ((spans[middle] as OffsetSpan).from <= at) low = middle;
    else high = middle - 1;
  }
  return spans[low] as OffsetSpan;
}

/** `YYYY-MM-DD` of a count of days since 1970-01-01. */
export function dayKeyOf(day: number): string {
  return new Date(day * DAY_MS).toISOString().slice(0, 10);
}

/** Days since 1970-01-01 of the local date at an instant. */
export function localDayAt(zone: Zone, at: number): number {
  return Math.floor(zone.localOf(at) / DAY_MS);
}

/** The first instant of a local date, given as days since 1970-01-01. */
export function startOfDay(zone: Zone, day: number): number {
  return zone.instantOf(day * DAY_MS);
}

export interface LocalMonth {
  readonly start: number;
  /** The first instant of the next month. */
  readonly end: number;
  /** 1 to 31 */
  readonly dayOfMonth: number;
  readonly days: number;
}

/** The zone's calendar month at an instant. */
export function monthAt(zone: Zone, at: number): LocalMonth {
  const local = new Date(zone.localOf(at));
  const [year, month] = [local.getUTCFullYear(), local.getUTCMonth()];
  return {
    start: zone.instantOf(Date.UTC(year, month, 1)),
    end: zone.instantOf(Date.UTC(year, month + 1, 1)),
    dayOfMonth: local.getUTCDate(),
    days: new Date(Date.UTC(year, month + 1, 0)).getUTCDate(),
  };
}

const LOCAL_TIME = /^(\d{4})-(\d{2})-(\d{2})(?:[T ](\d{2}):(\d{2})(?::(\d{2})(?:\.\d{1,3})?)?)?$/;

/**
 * First and last millisecond of a local time of a form: `YYYY-MM-DDTHH:MM` is one minute, `YYYY-MM-DD` one day.
 * Undefined for other texts.
 */
export function readLocalTime(zone: Zone, text: string): { readonly first: number; readonly last: number } | undefined {
  const parts = LOCAL_TIME.exec(text.trim());
  if (!parts) return undefined;
  const [year = 0, month = 0, date = 0, hour = 0, minute = 0] = parts.slice(1).map((part) => Number(part ?? 0));
  const local = Date.UTC(year, month - 1, date, hour, minute);
  const isReal = new Date(local).toISOString().startsWith(parts[0].slice(0, 10)) && hour < 24 && minute < 60;
  if (!isReal) return undefined;
  const isDay = parts[4] === undefined;
  const first = zone.instantOf(local);
  const last = isDay ? zone.instantOf(local + DAY_MS) - 1 : first + MINUTE_MS - 1;
  return { first, last };
}
