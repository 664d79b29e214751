import assert from 'node:assert/strict';
import { test } from 'node:test';
import { stringify } from 'yaml';
import { ConfigFault, ConfigNode } from './config-node.ts';
import {
  bool,
  duration,
  goDuration,
  integer,
  type Kind,
  list,
  object,
  oneOf,
  optional,
  secret,
  secretUrl,
  text,
  url,
  withDefault,
} from './kind.ts';

function read<T>(kind: Kind<T>, yaml: string): T | string {
  try {
    return kind.read(ConfigNode.parse(yaml));
  } catch (error) {
    if (error instanceof ConfigFault) return error.message;
    throw error;
  }
}

type Cases = readonly (readonly [kind: Kind<never>, yaml: string, value: unknown, printed?: unknown])[];

test("a value is read as its field's kind, and its printed form is read as the same value", () => {
  const cases = [
    [text, '2', '2'],
    [text, 'true', 'true'],
    [text, '"a: b"', 'a: b'],
    [secret, 'x', 'x', '<secret>'],
    [secret, '""', '', ''],
    [bool, 'yes', true],
    [bool, 'Off', false],
    [integer, '-12', -12],
    [integer, '1_000', 1000],
    [integer, '0x1F', 31],
    [integer, '0b101', 5],
    [integer, '017', 15],
    [integer, '+0', 0],
    [integer, '10.0', 10],
    [integer, '1e3', 1000],
    [integer, '-1_0.7', -10],
    [duration, '1h30m', 5_400_000, '1h30m'],
    [duration, '0', 0, '0s'],
    [goDuration, '1.5s', 1500, '1.5s'],
    [goDuration, '36h', 129_600_000, '36h0m0s'],
    [goDuration, '90s', 90_000, '1m30s'],
    [goDuration, '500ms', 500, '0.5s'],
    [goDuration, '1us', 0.001, '0.000001s'],
    [goDuration, '-1m', -60_000, '-1m0s'],
    [url, 'http://a/b?c', 'http://a/b?c'],
    [url, 'http://u%25@a/%2F?d=100%', 'http://u%25@a/%2F?d=100%'],
    [url, 'HTTPS://a', 'HTTPS://a'],
    [secretUrl, 'http://a/b', 'http://a/b', '<secret>'],
    [secretUrl, '<secret>', '<secret>', '<secret>'],
    [oneOf('', 'a'), 'a', 'a'],
  ] as unknown as Cases;
  for (const [kind, yaml, value, printed = value] of cases) {
    assert.deepEqual(read(kind, yaml), value, yaml);
    assert.deepEqual(kind.print(value as never), printed, yaml);
    if (printed !== '<secret>') assert.deepEqual(read(kind, stringify(printed, { version: '1.1' })), value, yaml);
  }
});

test('a value of another kind is refused', () => {
  const cases = [
    [text, '[a]', 'expected a text, found a list'],
    [text, '{a: b}', 'expected a text, found a mapping'],
    [list(text), 'a', 'expected a list, found a scalar'],
    [object({}), '[a]', 'expected a mapping of fields, found a list'],
    [bool, '"true"', 'expected true or false, found "true"'],
    [bool, '1', 'expected true or false, found "1"'],
    [integer, '.inf', 'expected a whole number, found ".inf"'],
    [integer, '1e30', 'expected a whole number, found "1e30"'],
    [integer, '9007199254740993', 'expected a whole number, found "9007199254740993"'],
    [duration, '""', 'empty duration string'],
    [duration, '10', 'not a valid duration string: "10"; write for instance 5m or 1h30m'],
    [duration, '1h1h', 'not a valid duration string: "1h1h"; write for instance 5m or 1h30m'],
    [duration, '1m1h', 'not a valid duration string: "1m1h"; write for instance 5m or 1h30m'],
    [duration, '-1m', 'not a valid duration string: "-1m"; write for instance 5m or 1h30m'],
    [duration, '5 minutes', 'unknown unit " minutes" in duration "5 minutes"'],
    [duration, '1.5h', 'unknown unit "." in duration "1.5h"'],
    [duration, '300y', 'duration out of range'],
    [goDuration, '10', 'not a valid duration string: "10"; write for instance 10s or 1m30s'],
    [url, 'ftp://a', 'unsupported scheme "ftp" for URL'],
    [url, 'a', 'unsupported scheme "" for URL'],
    [url, '""', 'unsupported scheme "" for URL'],
    [url, 'http://', 'missing host for URL'],
    [url, 'http:///a', 'missing host for URL'],
    [url, 'http:a', 'missing host for URL'],
    [url, 'http://u:p@/a', 'missing host for URL'],
    [url, '"http://a b/"', 'the host of the URL is not valid'],
    [url, 'http://u:p%w@a/', 'invalid URL escape; write a percent sign as %25'],
    [url, 'http://a/%2', 'invalid URL escape; write a percent sign as %25'],
    [oneOf('', 'a', 'b'), 'c', 'expected one of "", a, b, found "c"'],
  ] as unknown as readonly (readonly [kind: Kind<unknown>, yaml: string, message: string])[];
  for (const [kind, yaml, message] of cases) assert.equal(read(kind, yaml), `line 1: ${message}`, yaml);
});

test('a URL is printed without the password in it, and can be read again', () => {
  const printed = url.print('https://u:p%25@a:1/b?c=d:e@f');
  assert.deepEqual([printed, read(url, String(printed))], ['https://u:xxxxx@a:1/b?c=d:e@f', printed]);
});

const nested = object(
  {
    a_b: withDefault(text, 'x'),
    c_2d: optional(list(text)),
    on: withDefault(bool, true),
    off: withDefault(bool, false),
  },
  ({ aB }) => (aB === 'wrong' ? { field: 'a_b', message: 'a_b is wrong' } : undefined),
);

test('a mapping has its fields or their defaults; off, zero and empty values are not printed', () => {
  assert.deepEqual(read(nested, '{}'), { aB: 'x', c2d: undefined, on: true, off: false });
  assert.deepEqual(nested.print({ aB: 'x', c2d: undefined, on: true, off: false }), { a_b: 'x', on: true });
  assert.deepEqual(nested.print({ aB: '', c2d: [], on: false, off: true }), {
    a_b: '',
    c_2d: [],
    on: false,
    off: true,
  });
  const printedAgain = read(nested, JSON.stringify(nested.print({ aB: '', c2d: [], on: false, off: true })));
  assert.deepEqual(printedAgain, { aB: '', c2d: [], on: false, off: true });
});

test('all that is wrong with a mapping is said, each with its line; the whole is judged when its parts are right', () => {
  assert.equal(
    read(nested, 'x: 1\na_b: wrong\nc_2d: [[], a, {}]\non: perhaps\n'),
    [
      'line 1: field x not found in type config.plain; it may be one of a_b, c_2d, on, off',
      'line 3: expected a text, found a list',
      'line 3: expected a text, found a mapping',
      'line 4: expected true or false, found "perhaps"',
    ].join('\n'),
  );
  assert.equal(read(nested, 'on: true\na_b: wrong\n'), 'line 2: a_b is wrong');
});

test('a list may refuse empty items', () => {
  assert.equal(read(list(text, 'missing name'), '- a\n-\n- ~\n'), 'line 2: missing name\nline 3: missing name');
});
