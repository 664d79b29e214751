import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { hashSync } from 'bcryptjs';
import { FakeClock } from '../../testing/fake/clock.ts';
import type { Clock } from '../clock.ts';
import { compareHere } from './bcrypt-thread.ts';
import { PasswordCheck } from './password-check.ts';

/** Compares `hash of X` with X, on request. */
function startHeld() {
  const clock = new FakeClock();
  const looks: string[] = [];
  const held: (() => void)[] = [];
  const passwords = new PasswordCheck(clock, async (password, hash) => {
    looks.push(`${password} with ${hash}`);
    await new Promise<void>((resolve) => {
      held.push(resolve);
    });
    return hash === `hash of ${password}`;
  });
  const release = async () => {
    await nextTurn();
    for (const go of held.splice(0)) go();
    await nextTurn();
  };
  return { clock, looks, passwords, release };
}

/** Whose pauses are over at once. */
const impatient: Clock = {
  now: () => 0,
  monotonic: () => 0,
  every: () => () => {},
  after(_, action) {
    queueMicrotask(action);
    return () => {};
  },
};

const HERE = '192.0.2.1';
const USERS = new Map([['ann', 'hash of a']]);

describe('a password', () => {
  test('is compared once, whatever the result', async () => {
    const { clock, looks, passwords, release } = startHeld();
    for (const [password, outcome] of [
      ['a', 'correct'],
      ['x', 'wrong'],
    ] as const) {
      const first = passwords.check({ user: 'ann', password }, USERS, HERE);
      const meanwhile = passwords.check({ user: 'ann', password }, USERS, HERE);
      await release();
      assert.equal(await first, outcome);
      assert.equal(await meanwhile, outcome);
      assert.equal(passwords.check({ user: 'ann', password }, USERS, HERE), outcome);
      clock.advance(100);
    }
    assert.deepEqual(looks, ['a with hash of a', 'x with hash of a']);
  });

  test('is compared again when the hash has changed', async () => {
    const { passwords, release } = startHeld();
    const before = passwords.check({ user: 'ann', password: 'a' }, USERS, HERE);
    await release();
    assert.equal(await before, 'correct');
    const after = passwords.check({ user: 'ann', password: 'a' }, new Map([['ann', 'hash of b']]), HERE);
    await release();
    assert.equal(await after, 'wrong');
  });

  test('of an unknown user is compared, too, and refused even if it is right for another', async () => {
    const { looks, passwords, release } = startHeld();
    const outcome = passwords.check({ user: 'bob', password: 'a' }, USERS, HERE);
    await release();
    assert.equal(await outcome, 'wrong');
    assert.deepEqual(looks, ['a with hash of a']);
    const known = passwords.check({ user: 'ann', password: 'a' }, USERS, HERE);
    assert.notEqual(known, 'wrong');
  });

  test('waits for the one before', async () => {
    const { looks, passwords, release } = startHeld();
    const wrong = passwords.check({ user: 'ann', password: 'x' }, USERS, HERE);
    const right = passwords.check({ user: 'ann', password: 'a' }, USERS, HERE);
    await nextTurn();
    assert.equal(looks.length, 1);
    await release();
    assert.equal(await wrong, 'wrong');
    await release();
    assert.equal(await right, 'correct');
  });

  for (const [whose, user] of [
    ['an unknown user', 'bob'],
    ['a client that has failed of late', 'ann'],
  ] as const)
    test(`of ${whose} waits 25 ms after a wrong one; one of another client does not`, async () => {
      const { clock, looks, passwords, release } = startHeld();
      const wrong = passwords.check({ user: 'ann', password: 'x' }, USERS, HERE);
      await release();
      assert.equal(await wrong, 'wrong');
      const late = passwords.check({ user, password: 'a' }, USERS, HERE);
      await nextTurn();
      assert.equal(looks.length, 1);
      const reserved = passwords.check({ user: 'ann', password: 'a' }, USERS, '192.0.2.2');
      await release();
      assert.equal(await reserved, 'correct');
      clock.advance(24);
      await nextTurn();
      assert.equal(looks.length, 2);
      clock.advance(1);
      await release();
      assert.equal(await late, user === 'ann' ? 'correct' : 'wrong');
    });

  test('of a client that failed ten minutes ago has its reserved place again', async () => {
    const { clock, passwords, release } = startHeld();
    const wrong = passwords.check({ user: 'ann', password: 'x' }, USERS, HERE);
    await release();
    assert.equal(await wrong, 'wrong');
    clock.advance(600_000);
    const guess = passwords.check({ user: 'bob', password: 'y' }, USERS, HERE);
    await release();
    assert.equal(await guess, 'wrong');
    const right = passwords.check({ user: 'ann', password: 'a' }, USERS, HERE);
    await release();
    assert.equal(await right, 'correct');
  });

  test('is refused where 53 of its client wait, and a known one needs no place', async () => {
    const { passwords, release } = startHeld();
    const known = passwords.check({ user: 'ann', password: 'a' }, USERS, HERE);
    await release();
    assert.equal(await known, 'correct');
    const guess = (password: string, client = HERE) => passwords.check({ user: 'ann', password }, USERS, client);
    const waiting = Array.from({ length: 53 }, (_, i) => guess(`x${i}`));
    let isAnyDecided = false;
    void Promise.race(waiting).then(() => {
      isAnyDecided = true;
    });
    assert.equal(await guess('y'), 'busy');
    await nextTurn();
    assert.equal(isAnyDecided, false);
    assert.equal(guess('a'), 'correct');
    const other = guess('z', '192.0.2.2');
    await release();
    await release();
    await release();
    assert.equal(await other, 'wrong');
  });

  test('that is right stays known however many wrong ones come', async () => {
    const passwords = new PasswordCheck(impatient, async (password, hash) => hash === `hash of ${password}`);
    await passwords.check({ user: 'ann', password: 'a' }, USERS, HERE);
    for (let i = 0; i < 150; i++) await passwords.check({ user: 'ann', password: `x${i}` }, USERS, HERE);
    assert.equal(passwords.check({ user: 'ann', password: 'a' }, USERS, HERE), 'correct');
    assert.equal(passwords.check({ user: 'ann', password: 'x149' }, USERS, HERE), 'wrong');
    assert.notEqual(passwords.check({ user: 'ann', password: 'x0' }, USERS, HERE), 'wrong');
  });

  test('with a failed comparison is not a wrong one, and is compared again', async () => {
    let looks = 0;
    const passwords = new PasswordCheck(new FakeClock(), async () => {
      looks++;
      if (looks === 1) throw new Error('no');
      return true;
    });
    assert.equal(await passwords.check({ user: 'ann', password: 'a' }, USERS, HERE), 'failed');
    assert.equal(await passwords.check({ user: 'ann', password: 'a' }, USERS, HERE), 'correct');
  });

  test('is compared with bcrypt', async () => {
    const users = new Map([
      ['ann', hashSync('secret', 4)],
      // As htpasswd writes it.
      ['carol', hashSync('carols', 5).replace('$2b$', '$2y$')],
    ]);
    const passwords = new PasswordCheck(impatient, compareHere);
    assert.equal(await passwords.check({ user: 'ann', password: 'secret' }, users, HERE), 'correct');
    assert.equal(await passwords.check({ user: 'ann', password: 'Secret' }, users, HERE), 'wrong');
    assert.equal(await passwords.check({ user: 'dave', password: 'secret' }, users, HERE), 'wrong');
    assert.equal(await passwords.check({ user: 'carol', password: 'carols' }, users, HERE), 'correct');
  });
});
