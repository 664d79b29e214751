import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  anyText,
  boolean,
  bytes,
  duration,
  hostName,
  interval,
  type Kind,
  listenAddress,
  listenPort,
  listOf,
  number,
  oneOf,
  optional,
  origin,
  serverUrl,
  text,
} from './kind.ts';

const level = oneOf(['debug', 'info', 'none']);
const size = bytes(0, 2 ** 31);
const url = serverUrl('https://chat.example.com');

type Row = readonly [name: string, kind: Kind<unknown, unknown>, written: unknown, expected: unknown];

const taken: readonly Row[] = [
  ['text', text, ' a b ', 'a b'],
  ['text', text, 5, '5'],
  ['any text', anyText, '', ''],
  ['any text', anyText, ' a ', ' a '],
  ...['true', '1', 'yes', 'TRUE', 'Yes', 'on', true].map((written): Row => ['boolean', boolean, written, true]),
  ...['false', '0', 'no', 'FALSE', 'off', false].map((written): Row => ['boolean', boolean, written, false]),
  ['word', level, 'info', 'info'],
  ['word', level, 'DEBUG', 'debug'],
  ['number', number(1), '1000', 1000],
  ['number', number(1), 999_999_999_999_999, 999_999_999_999_999],
  ['port', listenPort, '0', 0],
  ['port', listenPort, '65535', 65_535],
  ['duration', duration, '0', 0],
  ['duration', duration, '1h30m', 5_400_000],
  ['duration', duration, '1.5h', 5_400_000],
  ['duration', duration, '5d', 432_000_000],
  ['interval', interval, '1ms', 1],
  ['interval', interval, '15m', 900_000],
  ['size', size, '65536', 65_536],
  ['size', size, '64KiB', 65_536],
  ['size', size, '1 gb', 1e9],
  ['URL', url, 'https://chat.example.com/', 'https://chat.example.com'],
  ['origin', origin, 'https://A.example/', 'https://a.example'],
  ['host', hostName, 'Chat.Example.com', 'chat.example.com'],
  ['host', hostName, '10.0.0.1', '10.0.0.1'],
  ['host', hostName, '[::1]', '::1'],
  ['host', hostName, '::1', '::1'],
  ['address', listenAddress, ':9093', { host: undefined, port: 9093 }],
  ['optional', optional(listenAddress), '', undefined],
  ['optional', optional(listenAddress), '[::1]:1', { host: '::1', port: 1 }],
  ['list', listOf(hostName), 'a, b', ['a', 'b']],
  ['list', listOf(hostName), ['a', 'b,c'], ['a', 'b', 'c']],
];
for (const [name, kind, written, value] of taken)
  test(`${name}: ${JSON.stringify(written)} is ${JSON.stringify(value)}`, () =>
    assert.deepEqual(kind.read(written), { ok: true, value }));

const refused: readonly (readonly [string, Kind<unknown, unknown>, unknown, RegExp])[] = [
  ['text', text, ' ', /^write a text$/],
  ['text', text, ['a'], /^write a text$/],
  ['boolean', boolean, 'maybe', /^write true or false$/],
  ['boolean', boolean, 'constructor', /^write true or false$/],
  ['word', level, 'loud', /^write debug, info or none$/],
  ['word', level, '', /^write debug/],
  ['number', number(1), '0', /^write a whole number of at least 1$/],
  ['number', number(1), '-1', /whole number/],
  ['number', number(1), '1.5', /whole number/],
  ['number', number(1), '1e3', /whole number/],
  ['number', number(1), '', /whole number/],
  ['number', number(1), '9999999999999999', /whole number/],
  ['number', number(1), [1], /whole number/],
  ['port', listenPort, '65536', /^write a whole number from 0 to 65535$/],
  ['duration', duration, '-1s', /such as 90s, 15m or 120h/],
  ['duration', duration, '5 minutes', /such as 90s, 15m or 120h/],
  ['duration', duration, '', /such as/],
  ['interval', interval, '0', /at least 1ms/],
  ['interval', interval, '999us', /at least 1ms/],
  ['interval', interval, 'soon', /such as 90s/],
  ['size', size, '3GiB', /^write a size from 0 to 2147483648 bytes/],
  ['size', size, '5 parsecs', /^write a size/],
  ['URL', url, 'ftp://x', /^write an http or https URL without a name or password, such as https:\/\/chat/],
  ['URL', url, 'https://a:b@c', /without a name or password/],
  ['URL', url, 'https://a?b', /^write/],
  ['origin', origin, '*', /^write an origin without a path/],
  ['origin', origin, 'https://a.example/path', /without a path/],
  ['host', hostName, 'a:80', /without a port/],
  ['host', hostName, 'a b', /without a port/],
  ['address', listenAddress, 'vsock://:9093', /\(vsock\) are not supported/],
  ['address', listenAddress, '9093', /such as :9093, 127\.0\.0\.1:9093 or \[::1\]:9093/],
  ['list', listOf(hostName), 'a,,b', /^write a name or address/],
  ['list', listOf(hostName), '', /^write a name or address/],
  ['list', listOf(hostName), [['a']], /^write a name or address/],
];
for (const [name, kind, written, reason] of refused)
  test(`${name}: ${JSON.stringify(written)} is refused, with the correct form`, () => {
    const outcome = kind.read(written);
    assert.ok(!outcome.ok);
    assert.match(outcome.reason, reason);
  });
