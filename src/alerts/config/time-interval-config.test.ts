import assert from 'node:assert/strict';
import { test } from 'node:test';
import { stringify } from 'yaml';
import { isInside } from '../domain/time-interval.ts';
import { ConfigFault, ConfigNode } from './config-node.ts';
import measured from './testdata/time-intervals.json';
import { muteTimeIntervals, timeIntervals } from './time-interval-config.ts';

const read = (text: string) => timeIntervals.read(ConfigNode.parse(text)).map(({ value }) => value);
const interval = (fields: string) => `[{name: x, time_intervals: [{${fields}}]}]`;

test('ranges are read in all their forms, and printed in one', () => {
  const cases: readonly (readonly [fields: string, read: unknown, printed: unknown])[] = [
    ['', {}, {}],
    [
      'times: [{start_time: 09:00, end_time: "24:00"}]',
      { times: [{ startMinute: 540, endMinute: 1440 }] },
      { times: [{ start_time: '09:00', end_time: '24:00' }] },
    ],
    [
      'weekdays: [Monday:FRIDAY, sunday]',
      {
        weekdays: [
          { begin: 1, end: 5 },
          { begin: 0, end: 0 },
        ],
      },
      { weekdays: ['monday:friday', 'sunday'] },
    ],
    [
      'days_of_month: ["1:5", -3:-1, 31]',
      {
        daysOfMonth: [
          { begin: 1, end: 5 },
          { begin: -3, end: -1 },
          { begin: 31, end: 31 },
        ],
      },
      { days_of_month: ['1:5', '-3:-1', '31'] },
    ],
    [
      'months: [january:March, 12]',
      {
        months: [
          { begin: 1, end: 3 },
          { begin: 12, end: 12 },
        ],
      },
      { months: ['1:3', '12'] },
    ],
    ['years: [2020:2030]', { years: [{ begin: 2020, end: 2030 }] }, { years: ['2020:2030'] }],
    ['location: Europe/Berlin', { location: 'Europe/Berlin' }, { location: 'Europe/Berlin' }],
    ['location: ""', { location: 'UTC' }, { location: 'UTC' }],
    ['weekdays: []', { weekdays: [] }, { weekdays: [] }],
  ];
  const nothing = {
    times: undefined,
    weekdays: undefined,
    daysOfMonth: undefined,
    months: undefined,
    years: undefined,
  };
  for (const [fields, expected, printed] of cases) {
    const node = ConfigNode.parse(interval(fields));
    const value = timeIntervals.read(node);
    assert.deepEqual(
      value[0]?.value.timeIntervals,
      [{ ...nothing, location: undefined, ...(expected as object) }],
      fields,
    );
    assert.deepEqual(timeIntervals.print(value), [{ name: 'x', time_intervals: [printed] }], fields);
    const again = read(stringify(timeIntervals.print(value), { version: '1.1' }));
    assert.deepEqual(again, [value[0]?.value], fields);
  }
});

test('a range that makes no sense is refused with its line', () => {
  const cases: readonly (readonly [fields: string, message: string])[] = [
    ['times: [{start_time: "09:00"}]', 'both start and end times must be provided'],
    ['times: [{end_time: "09:00"}]', 'both start and end times must be provided'],
    ['times: [~]', 'both start and end times must be provided'],
    ['times: [{start_time: 9:00, end_time: 10:00}]', "couldn't parse timestamp 9:00, invalid format"],
    ['times: [{start_time: 09:00, end_time: 24:01}]', "couldn't parse timestamp 24:01, invalid format"],
    ['times: [{start_time: 09:60, end_time: 10:00}]', "couldn't parse timestamp 09:60, invalid format"],
    ['times: [{start_time: 09:00, end_time: 09:00}]', 'start time cannot be equal or greater than end time'],
    ['times: [{start_time: 10:00, end_time: 09:00}]', 'start time cannot be equal or greater than end time'],
    ['weekdays: [mon]', 'mon is not a valid weekday'],
    ['weekdays: [0]', '0 is not a valid weekday'],
    ['weekdays: [Friday:monday]', 'start day cannot be before end day'],
    ['weekdays: [monday:tuesday:Friday]', "couldn't parse range monday:tuesday:friday, invalid format"],
    ['days_of_month: [0]', '0 is not a valid day of the month: out of range'],
    ['days_of_month: [32]', '32 is not a valid day of the month: out of range'],
    ['days_of_month: ["-32:-1"]', '-32 is not a valid day of the month: out of range'],
    ['days_of_month: ["1:0"]', '0 is not a valid day of the month: out of range'],
    ['days_of_month: ["-1:1"]', 'end day must be negative if start day is negative'],
    ['days_of_month: ["5:1"]', 'end day 1 is always before start day 5'],
    ['days_of_month: ["-1:-3"]', 'end day -3 is always before start day -1'],
    ['days_of_month: ["28:-5"]', 'end day -5 is always before start day 28'],
    ['days_of_month: [first]', '"first" is not a whole number'],
    ['months: [smarch]', 'smarch is not a valid month'],
    ['months: [13]', '13 is not a valid month'],
    ['months: ["december:january"]', 'end month january is before start month december'],
    ['months: ["3:1"]', 'end month january is before start month march'],
    ['years: ["2030:2020"]', 'end year 2020 is before start year 2030'],
    ['location: Europe/Atlantis', 'unknown time zone Europe/Atlantis'],
    [
      'day: [1]',
      'field day not found in type config.plain; it may be one of times, weekdays, days_of_month, months, years, location',
    ],
  ];
  for (const [fields, message] of cases) {
    const text = `- name: x\n  time_intervals:\n  - {${fields}}`;
    assert.throws(
      () => read(text),
      (error) => error instanceof ConfigFault && error.message === `line 3: ${message}`,
      `${fields}: ${message}`,
    );
  }
});

test('an interval needs a name, under its old name too', () => {
  const text = '- time_intervals: [{}]\n- name: ""\n';
  assert.throws(
    () => read(text),
    /^Error: line 1: missing name in time interval\nline 2: missing name in time interval$/,
  );
  const node = ConfigNode.parse(text);
  assert.throws(() => muteTimeIntervals.read(node), /^Error: line 1: missing name in mute time interval\n/);
});

test('an instant lies inside the same intervals as in Alertmanager', () => {
  // Measured with Alertmanager's own timeinterval package, on the wall clock of the location.
  for (const { interval: fields, at, inside } of measured) {
    const [named] = read(JSON.stringify([{ name: 'x', time_intervals: [fields] }]));
    const found = named?.timeIntervals.some((one) => isInside(one, Date.parse(at)));
    assert.equal(found, inside, `${JSON.stringify(fields)} ${at}`);
  }
  assert.ok(measured.length > 400);
});
