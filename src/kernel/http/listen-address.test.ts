import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseListenAddress, printHostPort } from './listen-address.ts';

const good: readonly (readonly [text: string, host: string | undefined, port: number])[] = [
  [':9093', undefined, 9093],
  [':0', undefined, 0],
  ['localhost:9093', 'localhost', 9093],
  ['127.0.0.1:0', '127.0.0.1', 0],
  ['0.0.0.0:80', '0.0.0.0', 80],
  ['alerts-1.example.org:65535', 'alerts-1.example.org', 65_535],
  ['[::1]:9093', '::1', 9093],
  ['[::]:0', '::', 0],
  ['[fe80::1%eth0]:9093', 'fe80::1%eth0', 9093],
  ['[::ffff:127.0.0.1]:1', '::ffff:127.0.0.1', 1],
];

for (const [text, host, port] of good) {
  test(`${text} is a listen address`, () => assert.deepEqual(parseListenAddress(text), { host, port }));
}

const bad = ['', '9093', 'localhost', 'localhost:', ':65536', ':-1', ':1e3', ':999999', '::1:9093', '[::1]', '[]:1'];
const worse = ['a:b:1', 'a b:1', ' :1', ':1 ', 'http://localhost:1', '[::1:9093', '::1]:9093', ':٣'];

for (const text of [...bad, ...worse]) {
  test(`${JSON.stringify(text)} is not a listen address`, () => assert.equal(parseListenAddress(text), undefined));
}

test('a host and a port are printed so that they can be read again', () => {
  assert.equal(printHostPort('127.0.0.1', 9093), '127.0.0.1:9093');
  assert.equal(printHostPort('::1', 9093), '[::1]:9093');
  for (const [, host, port] of good) {
    if (host !== undefined) assert.deepEqual(parseListenAddress(printHostPort(host, port)), { host, port });
  }
});
