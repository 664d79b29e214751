import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FakeClock } from '../../testing/fake/clock.ts';
import { createLog } from '../log.ts';
import { DatabaseClock } from './database-clock.ts';

function createClock() {
  const machine = new FakeClock();
  const lines: string[] = [];
  const log = createLog({ level: 'info', format: 'logfmt', clock: machine, write: (line) => void lines.push(line) });
  const clock = new DatabaseClock(machine, log);
  /** An answer with the database's time `aheadMs` before the machine's, of this round trip. */
  const answer = (aheadMs: number, roundTrip = 2, asymmetry = 0) => {
    const receivedAt = machine.monotonic();
    const databaseTime = machine.now() + aheadMs - roundTrip / 2 + asymmetry;
    clock.take({ databaseTime, sentAt: receivedAt - roundTrip, receivedAt });
  };
  return { machine, clock, lines, answer };
}

test('the time is that of the database, and goes on between answers', () => {
  const { machine, clock, answer } = createClock();
  answer(250);
  machine.advance(700);
  assert.equal(clock.now() - machine.now(), 250);
  assert.equal(clock.skewMs, -250);
});

test('the fastest of the last ten answers counts', () => {
  const { machine, clock, answer } = createClock();
  answer(100, 2);
  for (let slow = 0; slow < 9; slow++) answer(100, 900, 400);
  assert.equal(clock.now() - machine.now(), 100);
  answer(100, 900, 400);
  assert.equal(clock.now() - machine.now(), 500);
});

test('a step of the machine clock does not move the time', () => {
  const { machine, clock, answer } = createClock();
  answer(0);
  const before = clock.now();
  machine.jump(90_000);
  assert.equal(clock.now(), before);
  assert.equal(clock.skewMs, 90_000);
});

test('after a suspension, which monotonic time does not see, the wall clock counts until the next answer', () => {
  const { machine, clock, answer } = createClock();
  answer(250);
  machine.jump(3_600_000);
  clock.woke();
  assert.equal(clock.now() - machine.now(), 250);
  answer(240, 800);
  assert.equal(clock.now() - machine.now(), 240);
});

test('a skew beyond a second is logged once, and again when it comes back', () => {
  const { lines, answer } = createClock();
  const answers = (aheadMs: number) => {
    for (let count = 0; count < 12; count++) answer(aheadMs);
  };
  answers(900);
  assert.deepEqual(lines, []);
  answers(-2_500);
  assert.equal(lines.length, 1);
  assert.match(lines[0] ?? '', /level=WARN msg="the clock of this machine is 2\.5 s ahead of that of PostgreSQL/);
  answers(0);
  answers(5_000);
  assert.equal(lines.length, 2);
  assert.match(lines[1] ?? '', /5\.0 s behind that of PostgreSQL/);
});
