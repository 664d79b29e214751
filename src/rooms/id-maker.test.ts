import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { test } from 'node:test';
import { FakeClock } from '../testing/fake/clock.ts';
import { createIdMaker } from './id-maker.ts';

const UUID_V7 = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

test('ids are UUIDs of version 7 that say when they were made', () => {
  const clock = new FakeClock('2026-03-14T09:00:00Z');
  const newId = createIdMaker(clock, randomBytes);
  for (let index = 0; index < 200; index++) assert.match(newId(), UUID_V7);
  assert.equal(Number.parseInt(newId().replace('-', '').slice(0, 12), 16), clock.now());
});

test('each id is greater than the one before, within a millisecond and after the clock went back too', () => {
  let now = 1_000_000;
  const clock = new FakeClock();
  const newId = createIdMaker(
    { ...clock, now: () => now, monotonic: () => now, after: () => () => {}, every: () => () => {} },
    randomBytes,
  );
  let last = '';
  for (let index = 0; index < 20_000; index++) {
    if (index % 9_000 === 8_999) now -= 5_000;
    if (index % 1_000 === 0) now += 1;
    const id = newId();
    assert.ok(id > last, `${last} and then ${id}`);
    last = id;
  }
});

test('the random part of an id is taken from the source of random bytes', () => {
  const newId = createIdMaker(new FakeClock(0), (size) => new Uint8Array(size).fill(0xff));
  assert.equal(newId().slice(19), 'bfff-ffffffffffff');
});
