import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CallError } from '../callable.ts';
import { formatValue } from '../printf/printf.ts';
import {
  assertSame,
  timeFrom,
  valueFrom,
  type WrittenTime,
  type WrittenValue,
  zoneNamed,
} from '../testdata/go-printf-values.ts';
// What Go 1.26 and prometheus/common 0.70 gave for each case.
import measured from '../testdata/go-time-cases.json' with { type: 'json' };
import { durationOf, GoInt, type GoValue, typeNameOf } from '../value.ts';
import { DURATION_METHODS, NAME_METHODS, TIME_METHODS } from './methods.ts';
import {
  formatGoDuration,
  formatGoTime,
  goTimeString,
  humanizeDuration,
  parseGoTime,
  timeOfMs,
  UTC_ZONE,
  ZERO_TIME,
} from './time.ts';

interface ParseCase {
  readonly layout: string;
  readonly text: string;
  readonly error?: string;
  readonly at?: readonly [seconds: number, nanoseconds: number];
  readonly zone?: readonly [name: string, abbreviation: string, offset: number];
}

interface DurationCase {
  readonly ns: string;
  readonly text: string;
  readonly humanized: string;
  readonly hours: number;
  readonly minutes: number;
  readonly seconds: number;
  readonly milliseconds: string;
  readonly abs: string;
  readonly steps: readonly (readonly [step: string, rounded: string, truncated: string])[];
}

interface Cases {
  readonly formats: readonly { readonly at: WrittenTime; readonly layout: string; readonly text: string }[];
  readonly parses: readonly ParseCase[];
  readonly durations: readonly DurationCase[];
  readonly humanized: readonly { readonly value: WrittenValue; readonly text?: string; readonly error?: string }[];
  readonly methods: readonly {
    readonly at: WrittenTime;
    readonly method: string;
    readonly args: readonly WrittenValue[];
    readonly type: string;
    readonly text: string;
  }[];
}

const cases: Cases = measured as unknown as Cases;

test('times are written by layouts as Go writes them', () => {
  assertSame(cases.formats, ({ at, layout, text }) => [formatGoTime(timeFrom(at), layout), text]);
});

test('times are read by layouts as Go reads them, or refused in its words', () => {
  assertSame(cases.parses, ({ layout, text, error, at, zone }) => {
    const parsed = parseGoTime(layout, text);
    if (!parsed.ok) return [parsed.reason, error];
    const { seconds, nanoseconds, zone: found } = parsed.value;
    const { abbreviation, offset } = found.at(seconds);
    return [
      [
        [seconds, nanoseconds],
        [found.name, abbreviation, offset],
      ],
      error ?? [at, zone],
    ];
  });
});

test('the methods of times give values of the types that Go gives', () => {
  assertSame(cases.methods, ({ at, method, args, type, text }) => {
    const value = TIME_METHODS.get(method)?.call(timeFrom(at), args.map(valueFrom));
    return [
      [typeNameOf(value), formatValue(value)],
      [type, text],
    ];
  });
});

function callOnDuration(ns: bigint, method: string, ...args: bigint[]): GoValue {
  return DURATION_METHODS.get(method)?.call(durationOf(ns), args.map(durationOf));
}

const countOf = (value: GoValue): string => (value instanceof GoInt ? String(value.value) : 'no integer');

test('durations print, convert and round as in Go', () => {
  assertSame(cases.durations, (c) => {
    const ns = BigInt(c.ns);
    const humanized = humanizeDuration(durationOf(ns));
    return [
      {
        ns: c.ns,
        text: formatGoDuration(ns),
        hours: callOnDuration(ns, 'Hours'),
        minutes: callOnDuration(ns, 'Minutes'),
        seconds: callOnDuration(ns, 'Seconds'),
        milliseconds: countOf(callOnDuration(ns, 'Milliseconds')),
        abs: countOf(callOnDuration(ns, 'Abs')),
        steps: c.steps.map(([step]) => [
          step,
          countOf(callOnDuration(ns, 'Round', BigInt(step))),
          countOf(callOnDuration(ns, 'Truncate', BigInt(step))),
        ]),
        humanized: humanized.ok ? humanized.value : humanized.reason,
      },
      {
        ns: c.ns,
        text: c.text,
        hours: c.hours,
        minutes: c.minutes,
        seconds: c.seconds,
        milliseconds: c.milliseconds,
        abs: c.abs,
        steps: c.steps,
        humanized: c.humanized,
      },
    ];
  });
});

test('humanizeDuration takes numbers, texts of numbers and durations, and refuses all else in Go’s words', () => {
  assertSame(cases.humanized, ({ value, text, error }) => {
    const humanized = humanizeDuration(valueFrom(value));
    return [humanized.ok ? humanized.value : humanized.reason, error ?? text];
  });
});

test('the zero time prints as year 1', () => {
  assert.equal(goTimeString(ZERO_TIME), '0001-01-01 00:00:00 +0000 UTC');
  assert.equal(TIME_METHODS.get('IsZero')?.call(ZERO_TIME, []), true);
});

test('milliseconds before and after the epoch become times with their fractions', () => {
  assert.equal(goTimeString(timeOfMs(-1)), '1969-12-31 23:59:59.999 +0000 UTC');
  assert.equal(goTimeString(timeOfMs(1_700_000_000_123)), '2023-11-14 22:13:20.123 +0000 UTC');
  assert.equal(goTimeString(timeOfMs(0.25)), '1970-01-01 00:00:00.00025 +0000 UTC');
  assert.equal(goTimeString(timeOfMs(-0.25)), '1969-12-31 23:59:59.99975 +0000 UTC');
  assert.equal(timeOfMs(999.999_999_999).nanoseconds, 999_999_999);
});

test('months, weekdays and zones print as their names', () => {
  const nameOf = (value: GoInt) => NAME_METHODS.get('String')?.call(value, []);
  assert.equal(nameOf(new GoInt('time.Month', 12n)), 'December');
  assert.equal(nameOf(new GoInt('time.Weekday', 6n)), 'Saturday');
  assert.equal(NAME_METHODS.get('String')?.call(zoneNamed('Europe/Berlin'), []), 'Europe/Berlin');
});

test('a time cannot be moved to no zone', () => {
  assert.throws(
    () => TIME_METHODS.get('In')?.call(ZERO_TIME, [undefined]),
    new CallError('time: missing Location in call to Time.In'),
  );
});

test('a time keeps its instant when it is shown elsewhere', () => {
  const berlin = timeFrom([1_720_000_000, 5, 'Europe/Berlin']);
  const utc = TIME_METHODS.get('UTC')?.call(berlin, []);
  assert.deepEqual(utc, timeFrom([1_720_000_000, 5, 'UTC']));
  assert.equal(TIME_METHODS.get('Location')?.call(berlin, []), berlin.zone);
  assert.equal(TIME_METHODS.get('Equal')?.call(berlin, [utc]), true);
});

test('methods of several results say why templates cannot call them', () => {
  const reasons = ['Date', 'Clock', 'Zone', 'ISOWeek'].map((name) => TIME_METHODS.get(name)?.uncallable);
  assert.deepEqual(reasons, [
    'function Date has 3 return values; should be 1 or 2',
    'function Clock has 3 return values; should be 1 or 2',
    'invalid function signature for Zone: second return value should be error; is int',
    'invalid function signature for ISOWeek: second return value should be error; is int',
  ]);
});

test('a layout of many letters is read in time that grows with its length', () => {
  const layout = `${'_'.repeat(50_000)}${'.0'.repeat(20_000)}`;
  assert.equal(formatGoTime(timeOfMs(0, UTC_ZONE), layout).length > 50_000, true);
});
