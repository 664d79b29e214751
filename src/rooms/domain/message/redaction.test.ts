import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assertLinear } from '../../../testing/linear-time.ts';
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

test('a known key is redacted in any form', () => {
  assert.equal(redactSecrets('wrong key hunter2!x', 'hunter2!x'), 'wrong key [secret]');
});

test('a pattern that scans the rest of the text at every match is given up, and passes nothing', () => {
  const redact = createRedaction({ secrets: false, emails: false, patterns: ['(x|aa)*y|a'] });
  const lines = redact(`${'a'.repeat(30_000)}\nfine\nnaan`).split('\n');
  assert.deepEqual(lines, ['[redacted]', 'fine', '[redacted]']);
});

test('a pattern with exponential time elsewhere takes time linear in the text', () => {
  const rules = { secrets: false, emails: false, patterns: ['(a+)+$', '(.*)*x'] };
  assertLinear(
    'a line',
    (length) => `${'a'.repeat(length)}!`,
    (text) => createRedaction(rules)(text),
  );
});

test('the replacement of a pattern holds no references', () => {
  const redact = createRedaction({ secrets: false, emails: false, patterns: ['(b)'] });
  assert.equal(redact('abc'), 'a[redacted]c');
});
