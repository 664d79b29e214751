import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FakeClock } from '../../testing/fake/clock.ts';
import type { Caller } from '../domain/caller.ts';
import { fullBucket, takeOne } from '../domain/rate-bucket.ts';
import { makeUser } from '../domain/user/new-user.ts';
import { FailedSignIns, RateBuckets, UserRateLimits } from './rate-limits.ts';

const caller = (tokenId: string): Caller => ({
  user: makeUser('ana', 0),
  kind: 'user',
  isAdmin: false,
  scopes: new Set(),
  roomIds: null,
  tokenId,
  expiresAt: null,
});

test('a user posts 30 at once, and then 10 a second', () => {
  const clock = new FakeClock();
  const limits = new UserRateLimits(clock, (_, id) => id);
  const ana = 'ana';
  for (let i = 0; i < 30; i++) assert.equal(limits.take(ana, 'post').refusal, undefined, `post ${i}`);
  const { refusal, headers } = limits.take(ana, 'post');
  assert.equal(refusal?.code, 'rate_limited');
  assert.equal(refusal?.retryAfterS, 0.1);
  assert.deepEqual(headers, { ratelimit: '"post";r=0;t=3', 'ratelimit-policy': '"post";q=30;w=3' });
  clock.advance(1000);
  for (let i = 0; i < 10; i++) assert.equal(limits.take(ana, 'post').refusal, undefined);
  assert.ok(limits.take(ana, 'post').refusal);
});

test('limits are separate for each user and for each kind', () => {
  const limits = new UserRateLimits(new FakeClock(), (_, id) => id);
  while (!limits.take('a', 'search').refusal);
  assert.equal(limits.take('b', 'search').refusal, undefined);
  assert.equal(limits.take('a', 'post').refusal, undefined);
});

test('a room accepts 100 writes a second, of all members together, under any of its names', () => {
  const clock = new FakeClock();
  const limits = new UserRateLimits(clock, (_, name) => (name === 'nowhere' ? undefined : 'room'));
  for (let i = 0; i < 100; i++) assert.equal(limits.takeRoom(caller('a'), i % 2 ? 'ops' : 'room'), undefined);
  assert.equal(limits.takeRoom(caller('a'), 'ops')?.code, 'rate_limited');
  assert.equal(limits.takeRoom(caller('a'), 'nowhere'), undefined);
  clock.advance(10);
  assert.equal(limits.takeRoom(caller('a'), 'room'), undefined);
  assert.ok(limits.takeRoom(caller('a'), 'room'));
});

test('typing may be announced before every allowed post, and has a limit of its own', () => {
  const clock = new FakeClock();
  const limits = new UserRateLimits(clock, (_, id) => id);
  for (let posts = 0; posts < 130; posts++) {
    if (posts >= 30) clock.advance(100);
    assert.equal(limits.take('a', 'typing').refusal, undefined, `notice ${posts}`);
    assert.equal(limits.take('a', 'post').refusal, undefined, `post ${posts}`);
  }
  assert.match(limits.take('a', 'typing').refusal?.reason ?? '', /kind typing: 10 a second, 30 at once/);
});

test('no second of a bucket exceeds its burst and its refill', () => {
  const rate = { perSecond: 5, burst: 7 };
  const bucket = fullBucket(rate, 0);
  let given = 0;
  for (let now = 0; now <= 10_000; now += 13) if (takeOne(bucket, rate, now) === undefined) given++;
  assert.ok(given <= 7 + 50 && given >= 7 + 49, String(given));
});

test('a clock that goes back refills nothing', () => {
  const rate = { perSecond: 1, burst: 1 };
  const bucket = fullBucket(rate, 10_000);
  assert.equal(takeOne(bucket, rate, 10_000), undefined);
  assert.equal(takeOne(bucket, rate, 5000), 1);
  assert.equal(takeOne(bucket, rate, 6000), undefined);
});

test('20 failed sign-ins of an address are one too many', () => {
  const clock = new FakeClock();
  const failures = new FailedSignIns(clock);
  for (let i = 0; i < 20; i++) assert.equal(failures.failed('10.0.0.1'), undefined);
  assert.equal(failures.failed('10.0.0.1')?.code, 'rate_limited');
  assert.equal(failures.failed('10.0.0.2'), undefined);
  clock.advance(60_000);
  assert.equal(failures.failed('10.0.0.1'), undefined);
});

test('any number of addresses uses bounded memory', () => {
  const clock = new FakeClock();
  const buckets = new RateBuckets({ perSecond: 1, burst: 2 }, clock);
  for (let i = 0; i < 120_000; i++) buckets.take(`address ${i}`);
  assert.ok(buckets.size <= 50_000, String(buckets.size));
});

test('all addresses of a /64 network of IPv6 share the failures of one address', () => {
  const failures = new FailedSignIns(new FakeClock());
  for (let i = 0; i < 20; i++) assert.equal(failures.failed(`2001:db8:1:2::${i.toString(16)}`), undefined);
  assert.equal(failures.failed('2001:db8:1:2:ffff::1')?.code, 'rate_limited');
  assert.equal(failures.failed('2001:db8:1:3::1'), undefined);
});
