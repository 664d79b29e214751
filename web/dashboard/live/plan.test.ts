import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  LIVE_TTL_MS,
  type LiveCoverage,
  OVERLAP_MS,
  planAgentFetches,
  planFetches,
  widerHours,
  windowHours,
} from './plan.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const NOW = 1000 * HOUR;
const cached: LiveCoverage = { from: NOW - 24 * HOUR, to: NOW, fetchedAt: NOW, newestAt: NOW - 2 * MINUTE };

test('nothing cached: everything wanted in one request, its start rounded down to the minute, without an end', () => {
  const plan = planFetches(undefined, NOW - HOUR + 1234, NOW, false);
  assert.deepEqual(plan, [{ from: NOW - HOUR, to: undefined }]);
  assert.deepEqual(planFetches(undefined, undefined, NOW, false), [{ from: undefined, to: undefined }]);
});

test('A.12: the cache is good for five minutes, not a moment longer', () => {
  assert.deepEqual(planFetches(cached, NOW - HOUR, NOW + LIVE_TTL_MS - 1, false), []);
  assert.equal(planFetches(cached, NOW - HOUR, NOW + LIVE_TTL_MS, false).length, 1);
});

test('A.12: a later fetch overlaps what there is by five minutes', () => {
  const [fetch] = planFetches(cached, NOW - HOUR, NOW + LIVE_TTL_MS, false);
  assert.deepEqual(fetch, { from: NOW - 2 * MINUTE - OVERLAP_MS, to: undefined });
});

test('of a longer range only the older side is fetched while the rest is fresh', () => {
  const plan = planFetches(cached, NOW - 48 * HOUR, NOW + MINUTE, false);
  assert.deepEqual(plan, [{ from: NOW - 48 * HOUR, to: NOW - 24 * HOUR + OVERLAP_MS }]);
  const [all] = planFetches(cached, undefined, NOW + MINUTE, false);
  assert.equal(all?.from, undefined);
  assert.deepEqual(planFetches({ ...cached, from: undefined }, undefined, NOW, false), []);
});

test('a refresh sends a request although the cache is fresh', () => {
  assert.equal(planFetches(cached, NOW - HOUR, NOW, true).length, 1);
});

test('A.3: the windows of count mode', () => {
  const days = [10, 11, 25, 50, 100, 250, 500, 1000, 1001].map((count) => (windowHours(count) ?? 0) / 24);
  assert.deepEqual(days, [2, 5, 5, 7, 14, 30, 90, 180, 365]);
  assert.equal(windowHours('all'), undefined);
});

test('a window with too few events doubles three times, and never beyond a year', () => {
  assert.equal(widerHours(48, 0), 96);
  assert.equal(widerHours(48, 3), undefined);
  assert.equal(widerHours(300 * 24, 0), 365 * 24);
  assert.equal(widerHours(365 * 24, 0), undefined);
});

test('of an assistant only changes are fetched, at any age, and what lies before without an overlap', () => {
  const known: LiveCoverage = { ...cached, version: 7 };
  const changes = { from: known.from, to: undefined, changedAfter: 7 };
  assert.deepEqual(planAgentFetches(undefined, NOW - HOUR + 1), [{ from: NOW - HOUR, to: undefined }]);
  assert.deepEqual(planAgentFetches(known, NOW - HOUR), [changes]);
  const earlier = { from: NOW - 48 * HOUR, to: NOW - 24 * HOUR - 1 };
  assert.deepEqual(planAgentFetches(known, NOW - 48 * HOUR), [changes, earlier]);
  assert.deepEqual(planAgentFetches(known, undefined), [changes, { ...earlier, from: undefined }]);
  assert.deepEqual(planAgentFetches({ ...known, from: undefined }, undefined), [{ ...changes, from: undefined }]);
});
