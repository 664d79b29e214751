import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { hashSync } from 'bcryptjs';
import { FakeClock } from '../testing/fake-clock.ts';
import { isBcryptHash, PasswordCheck, readBasicAuth } from './basic-auth.ts';
import type { Clock } from './clock.ts';

const encode = (text: string) => Buffer.from(text).toString('base64');

describe('an Authorization header', () => {
  const headers: readonly (readonly [string | undefined, { user: string; password: string } | undefined])[] = [
    [`Basic ${encode('ann:secret')}`, { user: 'ann', password: 'secret' }],
    [`bAsIc ${encode('ann:a:b')}`, { user: 'ann', password: 'a:b' }],
    [`Basic ${encode(':')}`, { user: '', password: '' }],
    [`Basic ${encode('änn:ö')}`, { user: 'änn', password: 'ö' }],
    [`Basic ${encode('ann')}`, undefined],
    ['Basic ann:secret', undefined],
    [`Bearer ${encode('ann:secret')}`, undefined],
    ['Basic', undefined],
    ['', undefined],
    [undefined, undefined],
  ];
  for (const [header, credentials] of headers) {
    test(`${header} holds ${credentials ? `the user "${credentials.user}"` : 'no user'}`, () => {
      assert.deepEqual(readBasicAuth(header), credentials);
    });
  }
});

test('a bcrypt hash is told from what is none', () => {
  const rest = 'a'.repeat(53);
  for (const good of [`$2y$10$${rest}`, `$2a$04$${rest}`, `$2b$31$${rest}`]) assert.ok(isBcryptHash(good), good);
  for (const bad of [
    '',
    'secret',
    `$2y$03$${rest}`,
    `$2y$32$${rest}`,
    `$2x$10$${rest}`,
    `$1$10$${rest}`,
    `$2y$10$${rest}a`,
  ])
    assert.equal(isBcryptHash(bad), false, bad);
});

/** Compares `hash of X` with X, when it is told to go on. */
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

const USERS = new Map([['ann', 'hash of a']]);

describe('a password', () => {
  test('is looked at once, whatever the verdict', async () => {
    const { clock, looks, passwords, release } = startHeld();
    for (const [password, verdict] of [
      ['a', 'welcome'],
      ['x', 'refused'],
    ] as const) {
      const first = passwords.check({ user: 'ann', password }, USERS);
      const meanwhile = passwords.check({ user: 'ann', password }, USERS);
      await release();
      assert.equal(await first, verdict);
      assert.equal(await meanwhile, verdict);
      assert.equal(passwords.check({ user: 'ann', password }, USERS), verdict);
      clock.advance(100);
    }
    assert.deepEqual(looks, ['a with hash of a', 'x with hash of a']);
  });

  test('is looked at again when the hash has changed', async () => {
    const { passwords, release } = startHeld();
    const before = passwords.check({ user: 'ann', password: 'a' }, USERS);
    await release();
    assert.equal(await before, 'welcome');
    const after = passwords.check({ user: 'ann', password: 'a' }, new Map([['ann', 'hash of b']]));
    await release();
    assert.equal(await after, 'refused');
  });

  test('of a user who is not known is compared, too, and refused even if it is right for another', async () => {
    const { looks, passwords, release } = startHeld();
    const verdict = passwords.check({ user: 'bob', password: 'a' }, USERS);
    await release();
    assert.equal(await verdict, 'refused');
    assert.deepEqual(looks, ['a with hash of a']);
    const known = passwords.check({ user: 'ann', password: 'a' }, USERS);
    assert.notEqual(known, 'refused');
  });

  test('waits for the one before, and 100 ms longer after a wrong one', async () => {
    const { clock, looks, passwords, release } = startHeld();
    const wrong = passwords.check({ user: 'ann', password: 'x' }, USERS);
    const right = passwords.check({ user: 'ann', password: 'a' }, USERS);
    await nextTurn();
    assert.equal(looks.length, 1);
    await release();
    assert.equal(await wrong, 'refused');
    clock.advance(99);
    await nextTurn();
    assert.equal(looks.length, 1);
    clock.advance(1);
    await release();
    assert.equal(await right, 'welcome');
  });

  test('is not looked at while 32 others wait; one that is known is', async () => {
    const { passwords, release } = startHeld();
    const known = passwords.check({ user: 'ann', password: 'a' }, USERS);
    await release();
    await known;
    const waiting = Array.from({ length: 32 }, (_, i) => passwords.check({ user: 'ann', password: `x${i}` }, USERS));
    assert.ok(waiting.every((verdict) => typeof verdict !== 'string'));
    assert.equal(passwords.check({ user: 'ann', password: 'y' }, USERS), 'busy');
    assert.equal(passwords.check({ user: 'ann', password: 'a' }, USERS), 'welcome');
  });

  test('that is right stays known however many wrong ones come', async () => {
    const passwords = new PasswordCheck(impatient, async (password, hash) => hash === `hash of ${password}`);
    await passwords.check({ user: 'ann', password: 'a' }, USERS);
    for (let i = 0; i < 150; i++) await passwords.check({ user: 'ann', password: `x${i}` }, USERS);
    assert.equal(passwords.check({ user: 'ann', password: 'a' }, USERS), 'welcome');
    assert.equal(passwords.check({ user: 'ann', password: 'x149' }, USERS), 'refused');
    assert.notEqual(passwords.check({ user: 'ann', password: 'x0' }, USERS), 'refused');
  });

  test('whose comparing fails is refused, and looked at again', async () => {
    let looks = 0;
    const passwords = new PasswordCheck(new FakeClock(), async () => {
      looks++;
      throw new Error('no');
    });
    assert.equal(await passwords.check({ user: 'ann', password: 'a' }, USERS), 'refused');
    assert.notEqual(passwords.check({ user: 'ann', password: 'a' }, USERS), 'refused');
    assert.equal(looks, 1);
  });

  test('is compared with bcrypt', async () => {
    const users = new Map([
      ['ann', hashSync('secret', 4)],
      // As htpasswd writes it.
      ['carol', hashSync('carols', 5).replace('$2b$', '$2y$')],
    ]);
    const passwords = new PasswordCheck(impatient);
    assert.equal(await passwords.check({ user: 'ann', password: 'secret' }, users), 'welcome');
    assert.equal(await passwords.check({ user: 'ann', password: 'Secret' }, users), 'refused');
    assert.equal(await passwords.check({ user: 'dave', password: 'secret' }, users), 'refused');
    assert.equal(await passwords.check({ user: 'carol', password: 'carols' }, users), 'welcome');
  });
});
