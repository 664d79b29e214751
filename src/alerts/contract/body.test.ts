import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readJson } from './body.ts';

const read = (text: string | Buffer, name: 'alerts' | 'silence' = 'alerts') => readJson(Buffer.from(text), name);

test('an empty body, one of white space and a null count as no body', () => {
  for (const text of ['', ' ', '\n\t\r ', 'null', ' null ', 'null []']) {
    assert.deepEqual(read(text), { ok: false, reason: 'alerts in body is required' }, JSON.stringify(text));
    assert.deepEqual(read(text, 'silence'), { ok: false, reason: 'silence in body is required' });
  }
});

test('the first JSON value is read, and the rest is ignored', () => {
  const cases: readonly (readonly [string, unknown])[] = [
    ['[]', []],
    [' {"a":1}\n', { a: 1 }],
    ['[] x', []],
    ['[]]', []],
    ['[1][2]', [1]],
    ['{"a":"}"}{', { a: '}' }],
    ['7 8', 7],
    ['"x""y"', 'x'],
    ['"x"', 'x'],
  ];
  for (const [text, value] of cases) assert.deepEqual(read(text), { ok: true, value }, text);
});

test('invalid JSON is refused with the cause', () => {
  for (const text of [
    '{',
    '[',
    'nonsense',
    '{"a":}',
    '[1,]',
    "{'a':1}",
    '{"a":1',
    '\u0000',
    'NaN',
    '"\n"',
    ']',
    '[} []',
  ]) {
    const outcome = read(text);
    assert.ok(!outcome.ok, text);
    assert.match(outcome.reason, /^parsing alerts body from "" failed, because ./, text);
  }
  const outcome = read('{', 'silence');
  assert.match(outcome.ok ? '' : outcome.reason, /^parsing silence body from "" failed, because ./);
});

test('invalid UTF-8 becomes the replacement character', () => {
  const bytes = Buffer.from([0x22, 0x61, 0xff, 0xc3, 0x22]);
  assert.deepEqual(read(bytes), { ok: true, value: 'a\ufffd\ufffd' });
});

test('a deep body is read, or refused, but does not break the reader', () => {
  const deep = `${'['.repeat(200_000)}${']'.repeat(200_000)}`;
  assert.ok(read(deep).ok);
  assert.ok(!read('['.repeat(200_000)).ok);
});
