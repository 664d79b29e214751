import assert from 'node:assert/strict';
import { test } from 'node:test';
import { TimeIntervals } from './time-intervals.ts';

/** A Thursday, at noon. */
const AT = Date.parse('2026-01-01T12:00:00Z');
const thursdays = { weekdays: [{ begin: 4, end: 4 }] };
const fridays = { weekdays: [{ begin: 5, end: 5 }] };
const mornings = { times: [{ startMinute: 0, endMinute: 720 }] };

test('the names whose intervals contain the instant are returned, in the order of the arguments', () => {
  const intervals = new TimeIntervals([
    { name: 'fridays', intervals: [fridays] },
    { name: 'thursdays or mornings', intervals: [mornings, thursdays] },
    { name: 'mornings', intervals: [mornings] },
    { name: 'always', intervals: [{}] },
    { name: 'never', intervals: [] },
  ]);
  const all = ['never', 'always', 'mornings', 'thursdays or mornings', 'fridays', 'unknown'];
  assert.deepEqual(intervals.thatContain(all, AT), ['always', 'thursdays or mornings']);
  assert.deepEqual(intervals.thatContain(all, AT - 1), ['always', 'mornings', 'thursdays or mornings']);
  assert.deepEqual(intervals.thatContain([], AT), []);
});
