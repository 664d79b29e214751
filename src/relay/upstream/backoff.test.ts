import assert from 'node:assert/strict';
import { test } from 'node:test';
import { UpstreamBackoff } from './backoff.ts';

const longestDelay = () => 0;
const shortestDelay = () => 1;

function waits(backoff: UpstreamBackoff, count: number): number[] {
  return Array.from({ length: count }, () => backoff.failed(0));
}

test('waits double from a second to half a minute', () => {
  assert.deepEqual(waits(new UpstreamBackoff(longestDelay), 7), [1000, 2000, 4000, 8000, 16_000, 30_000, 30_000]);
});

test('jitter removes up to half of a wait', () => {
  assert.deepEqual(waits(new UpstreamBackoff(shortestDelay), 6), [500, 1000, 2000, 4000, 8000, 15_000]);
  assert.equal(new UpstreamBackoff(shortestDelay).refused(0), 150_000);
});

test('thousands of failures do not overflow', () => {
  assert.equal(waits(new UpstreamBackoff(longestDelay), 5000).at(-1), 30_000);
});

test('a minute of good connection makes the next failure a first one', () => {
  const backoff = new UpstreamBackoff(longestDelay);
  waits(backoff, 4);
  backoff.succeeded(0);
  backoff.succeeded(50_000);
  assert.equal(backoff.failed(60_000), 1000);
});

test('a millisecond less does not', () => {
  const backoff = new UpstreamBackoff(longestDelay);
  waits(backoff, 3);
  backoff.succeeded(0);
  assert.equal(backoff.failed(59_999), 8000);
});

test('good connection time before a failure does not count after it', () => {
  const backoff = new UpstreamBackoff(longestDelay);
  backoff.succeeded(0);
  backoff.failed(1000);
  assert.equal(backoff.failed(120_000), 2000);
});

test('a refusal is tried again after five minutes, and lengthens no other wait', () => {
  const backoff = new UpstreamBackoff(longestDelay);
  assert.equal(backoff.refused(0), 300_000);
  assert.equal(backoff.failed(0), 1000);
});
