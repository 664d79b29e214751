import { GoTime, type GoZone } from '../value.ts';
import { daysFromEpoch, SECONDS_PER_DAY } from './calendar.ts';
import { UTC_ZONE } from './zone/zone.ts';

export { formatGoDuration, humanizeDuration } from './duration.ts';
export { formatGoTime, goTimeString } from './format.ts';
export { parseGoTime } from './parse.ts';
export { loadZone, localZone, UTC_ZONE } from './zone/zone.ts';

/** 0001-01-01 00:00:00 UTC, in seconds since the epoch. */
const ZERO_SECONDS = -62_135_596_800;

/** Go's zero time, which prints as `0001-01-01 00:00:00 +0000 UTC`. */
export const ZERO_TIME = new GoTime(ZERO_SECONDS, 0, UTC_ZONE);

/** The instant `ms` milliseconds after the Unix epoch, to the nanosecond. */
export function timeOfMs(ms: number, zone: GoZone = UTC_ZONE): GoTime {
  const whole = Math.floor(ms);
  const seconds = Math.floor(whole / 1000);
  const nanoseconds = (whole - seconds * 1000) * 1e6 + Math.floor((ms - whole) * 1e6);
  return new GoTime(seconds, nanoseconds, zone);
}

export interface ClockReading {
  readonly hour: number;
  readonly minute: number;
  readonly second: number;
  readonly nanoseconds: number;
}

/** A time from date and time of day in a zone; numbers may be out of range, as in Go's time.Date. */
export function timeOnClock(year: number, month: number, day: number, clock: ClockReading, zone: GoZone): GoTime {
  const carry = Math.floor(clock.nanoseconds / 1e9);
  const shown =
    daysFromEpoch(year, month, day) * SECONDS_PER_DAY + clock.hour * 3600 + clock.minute * 60 + clock.second + carry;
  const near = zone.at(shown).offset;
  const offset = near === 0 ? 0 : zone.at(shown - near).offset;
  return new GoTime(shown - offset, clock.nanoseconds - carry * 1e9, zone);
}

/** Nanoseconds from the Unix epoch to a time. */
export const unixNanoseconds = (time: GoTime): bigint =>
  BigInt(time.seconds) * 1_000_000_000n + BigInt(time.nanoseconds);

/** The time `ns` nanoseconds later, in the same zone. */
export function addNanoseconds(time: GoTime, ns: bigint): GoTime {
  const seconds = ns / 1_000_000_000n;
  const sum = time.nanoseconds + Number(ns % 1_000_000_000n);
  const carry = Math.floor(sum / 1e9);
  return new GoTime(time.seconds + Number(seconds) + carry, sum - carry * 1e9, time.zone);
}

export const isZeroTime = (time: GoTime): boolean => time.seconds === ZERO_SECONDS && time.nanoseconds === 0;

/** Negative if `a` is earlier, 0 for the same instant. */
export const compareTimes = (a: GoTime, b: GoTime): number => a.seconds - b.seconds || a.nanoseconds - b.nanoseconds;

export const inZone = (time: GoTime, zone: GoZone): GoTime => new GoTime(time.seconds, time.nanoseconds, zone);
