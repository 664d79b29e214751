import { CallError, type Method } from '../callable.ts';
import { stringMethod } from '../printf/value.ts';
import { durationOf, GoInt, GoTime, type GoValue, GoZone } from '../value.ts';
import {
  absoluteDuration,
  clampDuration,
  durationIn,
  formatGoDuration,
  roundDuration,
  truncateDuration,
} from './duration.ts';
import { formatGoTime, goTimeString, type WallTime, wallTimeOf } from './format.ts';
import { addNanoseconds, compareTimes, inZone, isZeroTime, timeOnClock, unixNanoseconds } from './time.ts';
import { localZone, UTC_ZONE } from './zone/zone.ts';

const MICROSECOND = 1000n;
const MILLISECOND = 1_000_000n;
const SECOND = 1_000_000_000n;

/** Seconds from the zero time, the origin of rounding, to the epoch. */
const ZERO_BEFORE_EPOCH = 62_135_596_800n;

const nanosecondsOf = (value: GoValue): bigint => (value instanceof GoInt ? value.value : 0n);
const int64 = (value: bigint): GoInt => new GoInt('int64', BigInt.asIntN(64, value));
const floorDivide = (value: bigint, by: bigint): bigint => (value - (((value % by) + by) % by)) / by;

function timeOf(value: GoValue): GoTime {
  if (value instanceof GoTime) return value;
  throw new CallError('not a time');
}

/** A method without arguments that reads a part of the date or time of day. */
function shown(read: (wall: WallTime) => GoValue): Method<GoTime> {
  return { parameters: [], call: (time) => read(wallTimeOf(time)) };
}

function compared(decide: (order: number) => GoValue): Method<GoTime> {
  return { parameters: ['time.Time'], call: (time, [other]) => decide(compareTimes(time, timeOf(other))) };
}

function sinceEpoch(unit: bigint): Method<GoTime> {
  return { parameters: [], call: (time) => int64(floorDivide(unixNanoseconds(time), unit)) };
}

/** Templates cannot call functions with several results. */
const several = (name: string, count: number): Method<never> => ({
  parameters: [],
  uncallable: `function ${name} has ${count} return values; should be 1 or 2`,
  call: () => undefined,
});

const pairOf = (name: string, second: string): Method<never> => ({
  parameters: [],
  uncallable: `invalid function signature for ${name}: second return value should be error; is ${second}`,
  call: () => undefined,
});

function stepsFromZero(time: GoTime, step: bigint): bigint {
  const sinceZero = unixNanoseconds(time) + ZERO_BEFORE_EPOCH * SECOND;
  return ((sinceZero % step) + step) % step;
}

function truncated(time: GoTime, step: bigint): GoTime {
  return step <= 0n ? time : addNanoseconds(time, -stepsFromZero(time, step));
}

function rounded(time: GoTime, step: bigint): GoTime {
  if (step <= 0n) return time;
  const rest = stepsFromZero(time, step);
  return addNanoseconds(time, rest * 2n < step ? -rest : step - rest);
}

function isSummerTime(time: GoTime): boolean {
  const { year, offset } = wallTimeOf(time);
  const clock = { hour: 0, minute: 0, second: 0, nanoseconds: 0 };
  const offsetIn = (month: number) => time.zone.at(timeOnClock(year, month, 15, clock, time.zone).seconds).offset;
  return offset > Math.min(offsetIn(1), offsetIn(7));
}

function addDate(time: GoTime, [years, months, days]: readonly GoValue[]): GoTime {
  const wall = wallTimeOf(time);
  return timeOnClock(wall.year + Number(years), wall.month + Number(months), wall.day + Number(days), wall, time.zone);
}

function moved(time: GoTime, zone: GoValue): GoTime {
  if (zone instanceof GoZone) return inZone(time, zone);
  throw new CallError('time: missing Location in call to Time.In');
}

const difference = (a: GoTime, b: GoTime): GoInt => durationOf(clampDuration(unixNanoseconds(a) - unixNanoseconds(b)));

/** The methods of time.Time. */
export const TIME_METHODS: ReadonlyMap<string, Method<GoTime>> = new Map<string, Method<GoTime>>([
  ['Format', { parameters: ['string'], call: (time, [layout]) => formatGoTime(time, String(layout)) }],
  ['String', { parameters: [], call: goTimeString }],
  ['UTC', { parameters: [], call: (time) => inZone(time, UTC_ZONE) }],
  ['Local', { parameters: [], call: (time) => inZone(time, localZone()) }],
  ['In', { parameters: ['*time.Location'], call: (time, [zone]) => moved(time, zone) }],
  ['Location', { parameters: [], call: (time) => time.zone }],
  ['Unix', sinceEpoch(SECOND)],
  ['UnixMilli', sinceEpoch(MILLISECOND)],
  ['UnixMicro', sinceEpoch(MICROSECOND)],
  ['UnixNano', sinceEpoch(1n)],
  ['Add', { parameters: ['time.Duration'], call: (time, [ns]) => addNanoseconds(time, nanosecondsOf(ns)) }],
  ['Sub', { parameters: ['time.Time'], call: (time, [other]) => difference(time, timeOf(other)) }],
  ['AddDate', { parameters: ['int', 'int', 'int'], call: addDate }],
  ['Truncate', { parameters: ['time.Duration'], call: (time, [step]) => truncated(time, nanosecondsOf(step)) }],
  ['Round', { parameters: ['time.Duration'], call: (time, [step]) => rounded(time, nanosecondsOf(step)) }],
  ['Before', compared((order) => order < 0)],
  ['After', compared((order) => order > 0)],
  ['Equal', compared((order) => order === 0)],
  ['Compare', compared((order) => BigInt(Math.sign(order)))],
  ['IsZero', { parameters: [], call: isZeroTime }],
  ['IsDST', { parameters: [], call: isSummerTime }],
  ['Year', shown((wall) => BigInt(wall.year))],
  ['Month', shown((wall) => new GoInt('time.Month', BigInt(wall.month)))],
  ['Day', shown((wall) => BigInt(wall.day))],
  ['YearDay', shown((wall) => BigInt(wall.yearDay))],
  ['Weekday', shown((wall) => new GoInt('time.Weekday', BigInt(wall.weekday)))],
  ['Hour', shown((wall) => BigInt(wall.hour))],
  ['Minute', shown((wall) => BigInt(wall.minute))],
  ['Second', shown((wall) => BigInt(wall.second))],
  ['Nanosecond', shown((wall) => BigInt(wall.nanoseconds))],
  ['Date', several('Date', 3)],
  ['Clock', several('Clock', 3)],
  ['ISOWeek', pairOf('ISOWeek', 'int')],
  ['Zone', pairOf('Zone', 'int')],
  ['ZoneBounds', pairOf('ZoneBounds', 'time.Time')],
]);

function inUnits(unit: bigint): Method<GoInt> {
  return { parameters: [], call: ({ value }) => durationIn(value, unit) };
}

function wholeUnits(unit: bigint): Method<GoInt> {
  return { parameters: [], call: ({ value }) => int64(value / unit) };
}

function stepped(change: (ns: bigint, step: bigint) => bigint): Method<GoInt> {
  return {
    parameters: ['time.Duration'],
    call: ({ value }, [step]) => durationOf(change(value, nanosecondsOf(step))),
  };
}

/** The methods of time.Duration. */
export const DURATION_METHODS: ReadonlyMap<string, Method<GoInt>> = new Map<string, Method<GoInt>>([
  ['String', { parameters: [], call: ({ value }) => formatGoDuration(value) }],
  ['Hours', inUnits(3600n * SECOND)],
  ['Minutes', inUnits(60n * SECOND)],
  ['Seconds', inUnits(SECOND)],
  ['Milliseconds', wholeUnits(MILLISECOND)],
  ['Microseconds', wholeUnits(MICROSECOND)],
  ['Nanoseconds', wholeUnits(1n)],
  ['Round', stepped(roundDuration)],
  ['Truncate', stepped(truncateDuration)],
  ['Abs', { parameters: [], call: ({ value }) => durationOf(absoluteDuration(value)) }],
]);

/** The methods of time.Month, time.Weekday and *time.Location. */
export const NAME_METHODS: ReadonlyMap<string, Method<GoInt | GoZone>> = new Map([
  ['String', { parameters: [], call: (value: GoInt | GoZone) => stringMethod(value) }],
]);
