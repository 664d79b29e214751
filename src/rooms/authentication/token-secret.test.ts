import assert from 'node:assert/strict';
import { test } from 'node:test';
import { hashTokenSecret, inspectTokenSecret, makeTokenSecret, newSecret } from './token-secret.ts';

test('a secret is odr_, 40 digits of base62, and 6 that check them', () => {
  const secret = makeTokenSecret();
  assert.match(secret, /^odr_[0-9A-Za-z]{46}$/);
  assert.equal(inspectTokenSecret(secret), 'whole');
});

test('the checksum is the CRC-32 of the digits, in base62', () => {
  const zeros = makeTokenSecret((size) => new Uint8Array(size));
  assert.equal(zeros, `odr_${'0'.repeat(40)}2kaqcA`);
});

test('a typo at any place is found without a lookup', () => {
  const secret = makeTokenSecret();
  for (let at = 4; at < secret.length; at++) {
    const other = secret[at] === 'x' ? 'y' : 'x';
    assert.equal(inspectTokenSecret(secret.slice(0, at) + other + secret.slice(at + 1)), 'mistyped', `at ${at}`);
  }
  assert.equal(inspectTokenSecret(secret.slice(0, -1)), 'mistyped');
  assert.equal(inspectTokenSecret(`${secret}x`), 'mistyped');
});

test('a foreign token is not called mistyped', () => {
  for (const text of ['', 'sk-123', 'Bearer', 'a long secret of somebody'])
    assert.equal(inspectTokenSecret(text), 'foreign');
});

test('each digit is as likely as the others', () => {
  let next = 0;
  const every = makeTokenSecret((size) => Uint8Array.from({ length: size }, () => next++ % 256));
  assert.equal(every.slice(4, 44), '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcd');
  const high = makeTokenSecret((size) => Uint8Array.from({ length: size }, (_, i) => (i % 2 === 0 ? 255 : 61)));
  assert.equal(high.slice(4, 44), 'z'.repeat(40));
});

test('only a hash and the first digits are kept', () => {
  const { secret, hash, prefix } = newSecret();
  assert.equal(hash, hashTokenSecret(secret));
  assert.match(hash, /^[0-9a-f]{64}$/);
  assert.equal(prefix, secret.slice(0, 8));
});
