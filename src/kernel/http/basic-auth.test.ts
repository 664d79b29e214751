import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { isBcryptHash, readBasicAuth } from './basic-auth.ts';

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
    test(`${header} has ${credentials ? `the user "${credentials.user}"` : 'no user'}`, () => {
      assert.deepEqual(readBasicAuth(header), credentials);
    });
  }
});

test('a bcrypt hash is distinguished from other texts', () => {
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
