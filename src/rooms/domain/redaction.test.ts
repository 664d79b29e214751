import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createRedaction, redactSecrets } from './redaction.ts';

const TEXTS: readonly (readonly [string, string])[] = [
  ['use sk-proj-Ab12_cd34 now', 'use [secret] now'],
  ['key sk-ab***********yz.', 'key [secret].'],
  ['Authorization: Bearer abcDEF123456', 'Authorization: Bearer [secret]'],
  ['basic QWxhZGRpbjpvcGVu', 'basic [secret]'],
  ['odr_0123456789abcdefghijABCDEFGHIJ0123456789abcdef', '[secret]'],
  ['whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw', '[secret]'],
  ['eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2lnbmF0dXJl', '[secret]'],
  ['AKIAABCDEFGHIJKLMNOP', '[secret]'],
  ['ghp_abcdefghijklmnopqrstuvwxyz0123456789', '[secret]'],
  ['-----BEGIN RSA PRIVATE KEY-----\nMIIE\n-----END RSA PRIVATE KEY-----', '[private key]'],
  ['the bearer of bad news', 'the bearer of bad news'],
  ['ask-me-anything', 'ask-me-anything'],
  ['a task-force of eyes', 'a task-force of eyes'],
];

for (const [text, expected] of TEXTS)
  test(`redaction of ${JSON.stringify(text)}`, () => assert.equal(redactSecrets(text), expected));

test('a key that is known is taken out whatever it looks like', () => {
  assert.equal(redactSecrets('wrong key hunter2!x', 'hunter2!x'), 'wrong key [secret]');
});

test('a pattern whose every match looks at all that follows ends soon, and lets nothing through', () => {
  const redact = createRedaction({ secrets: false, emails: false, patterns: ['(x|aa)*y|a'] });
  const startedAt = performance.now();
  const lines = redact(`${'a'.repeat(30_000)}\nfine\nnaan`).split('\n');
  assert.ok(performance.now() - startedAt < 30_000);
  assert.deepEqual(lines, ['[redacted]', 'fine', '[redacted]']);
});

test('a pattern that would take for ever elsewhere takes no time', () => {
  const redact = createRedaction({ secrets: false, emails: false, patterns: ['(a+)+$', '(.*)*x'] });
  const startedAt = performance.now();
  redact(`${'a'.repeat(20_000)}!`);
  assert.ok(performance.now() - startedAt < 5_000);
});

test('what a pattern is replaced by holds no references', () => {
  const redact = createRedaction({ secrets: false, emails: false, patterns: ['(b)'] });
  assert.equal(redact('abc'), 'a[redacted]c');
});
