import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { parseSmarthost, portNumber, printSmarthost } from './smarthost.ts';

describe('the address of a mail server', () => {
  const addresses: readonly (readonly [string, object])[] = [
    ['mail.example.org:587', { host: 'mail.example.org', port: '587' }],
    ['[2001:db8::1]:25', { host: '2001:db8::1', port: '25' }],
    [':smtp', { host: '', port: 'smtp' }],
  ];
  for (const [written, expected] of addresses) {
    test(`${written} is read, and printed again`, () => {
      const parsed = parseSmarthost(written);
      assert.ok(parsed.ok);
      assert.deepEqual(parsed.value, expected);
      assert.equal(printSmarthost(parsed.value), written);
    });
  }

  const refusals: readonly (readonly [string, string])[] = [
    ['mail', 'address mail: missing port in address'],
    ['[::1]', 'address [::1]: missing port in address'],
    ['mail:', 'address "mail:": port cannot be empty'],
    ['::1:25', 'address ::1:25: too many colons in address'],
    ['[mail:25', 'address [mail:25: unexpected bracket in address'],
  ];
  for (const [written, reason] of refusals) {
    test(`${written} is refused`, () => assert.deepEqual(parseSmarthost(written), { ok: false, reason }));
  }
});

describe('a port', () => {
  const ports: readonly (readonly [string, number | undefined])[] = [
    ['25', 25],
    ['SMTPS', 465],
    ['submission', 587],
    ['65536', undefined],
    ['http', undefined],
    ['', undefined],
  ];
  for (const [written, number] of ports) {
    test(`${written} stands for ${number}`, () => assert.equal(portNumber(written), number));
  }
});
