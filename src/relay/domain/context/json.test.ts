import assert from 'node:assert/strict';
import { test } from 'node:test';
import { contextFrom } from '../testdata/lookup.ts';
import { individualOf, kindsOf } from './context.ts';
import { readContextText } from './json.ts';

/** [text, why go-sdk-common 3.2 refuses it, without the position that it names; null where it does not]. */
const TEXTS: readonly (readonly [string, string | null])[] = [
  ['null', 'expected object, got null'],
  ['1', 'expected object, got number'],
  ['[]', 'expected object, got array'],
  ['{}', '"key" property not found in JSON context object'],
  ['{"kind":null,"key":"a"}', 'expected string, got null'],
  ['{"kind":true}', 'expected string, got boolean'],
  ['{"kind":"","key":"a"}', 'context kind cannot be empty'],
  ['{"kind":"org"}', '"key" property not found in JSON context object'],
  ['{"kind":"org","key":null}', 'context key must not be null'],
  ['{"kind":"org","key":true}', 'expected string or null, got boolean'],
  ['{"kind":"org","key":""}', 'context key must not be empty'],
  ['{"kind":"kind","key":"a"}', '"kind" is not a valid context kind'],
  ['{"kind":"ørg","key":"a"}', 'context kind contains disallowed characters'],
  ['{"kind":"multi"}', 'multi-context must contain at least one kind'],
  ['{"kind":"multi","org":null}', 'expected object, got null'],
  ['{"kind":"multi","org":true}', 'expected object, got boolean'],
  ['{"kind":"multi","org":{}}', '"key" property not found in JSON context object'],
  ['{"kind":"multi","org":{"key":""},"user":{"key":"b"}}', 'context key must not be empty'],
  ['{"kind":"multi","multi":{"key":"b"}}', 'single context cannot have the kind "multi"'],
  [
    '{"kind":"multi","kind2":{"key":"b","kind":"user"},"user":{"key":"c"}}',
    'multi-context cannot have same kind more than once',
  ],
  ['{"kind":"multi","":{"key":"b"}}', null],
  ['{"key":null}', 'expected string, got null'],
  ['{"key":3}', 'expected string, got number'],
  ['{"key":""}', null],
  ['{"name":"x"}', '"key" property not found in JSON context object'],
  ['{"kind":"user","key":"a","name":3}', 'expected string or null, got number'],
  ['{"kind":"user","key":"a","anonymous":null}', 'expected boolean, got null'],
  ['{"kind":"user","key":"a","anonymous":"yes"}', 'expected boolean, got string'],
  ['{"kind":"user","key":"a","_meta":3}', 'expected object or null, got number'],
  ['{"kind":"user","key":"a","_meta":{"privateAttributes":3}}', 'expected array or null, got number'],
  ['{"kind":"user","key":"a","_meta":{"privateAttributes":[3]}}', 'expected string, got number'],
  ['{"key":"a","anonymous":null}', null],
  ['{"key":"a","anonymous":3}', 'expected boolean or null, got number'],
  ['{"key":"a","email":3}', 'expected string or null, got number'],
  ['{"key":"a","custom":3}', 'expected object or null, got number'],
  ['{"key":"a","custom":null}', null],
  ['{"key":"a","privateAttributeNames":[null]}', 'expected string, got null'],
  ['{"key":"a","secondary":3}', 'expected string or null, got number'],
  ['{"kind":""}', 'context kind cannot be empty'],
  ['{"kind":"kind"}', '"key" property not found in JSON context object'],
  ['{"kind":"kind","key":""}', '"kind" is not a valid context kind'],
  ['{"kind":"org","key":"a","name":null,"_meta":null}', null],
];

test('a context is refused where Go refuses it, in its words', () => {
  for (const [text, expected] of TEXTS) {
    const context = readContextText(text);
    assert.equal(context.ok ? null : context.reason, expected, text);
  }
});

test('invalid JSON is refused, and none of it is quoted', () => {
  for (const text of ['', '{', '{"key":"secret"', '{"key":secret}', '\uFEFF{"key":"a"}']) {
    assert.deepEqual(readContextText(text), { ok: false, reason: 'the context is not valid JSON' }, text);
  }
});

const attributesOf = (json: object, kind = 'user') =>
  Object.fromEntries([...(individualOf(contextFrom(json), kind)?.attributes ?? [])].sort());

test('a context has its non-null attributes, including built-in ones', () => {
  const json = {
    kind: 'org',
    key: 'k',
    name: 'N',
    a: 1,
    b: null,
    '': 2,
    _meta: { privateAttributes: ['a'] },
    custom: { x: 1 },
  };
  const expected = { a: 1, anonymous: false, custom: { x: 1 }, key: 'k', kind: 'org', name: 'N' };
  assert.deepEqual(attributesOf(json, 'org'), expected);
  assert.deepEqual(attributesOf({ kind: 'user', key: 'k', name: null, anonymous: true }), {
    anonymous: true,
    key: 'k',
    kind: 'user',
  });
});

test('names of Object.prototype are attributes like others', () => {
  const text = '{"kind":"user","key":"k","__proto__":1,"constructor":"c","toString":"t"}';
  const context = readContextText(text);
  assert.ok(context.ok);
  const attributes = context.value.individuals[0]?.attributes;
  assert.deepEqual(
    [attributes?.get('__proto__'), attributes?.get('constructor'), attributes?.get('toString')],
    [1, 'c', 't'],
  );
  const kinds = readContextText('{"kind":"multi","__proto__":{"key":"a"},"constructor":{"key":"b"}}');
  assert.ok(kinds.ok);
  assert.deepEqual(kindsOf(kinds.value), ['__proto__', 'constructor']);
});

test('a user of the old format has the properties of custom, and no unknown ones', () => {
  const json = {
    key: 'k',
    name: 'N',
    email: 'e',
    ip: null,
    other: 1,
    custom: { a: [1], n: null, key: 'x', kind: 'y', name: 'z', anonymous: true, _meta: 1 },
  };
  assert.deepEqual(attributesOf(json), { a: [1], anonymous: false, email: 'e', key: 'k', kind: 'user', name: 'N' });
});

test('of an attribute and its namesake in custom the later one counts', () => {
  assert.equal(attributesOf({ key: 'k', email: 'own', custom: { email: 'custom' } }).email, 'custom');
  assert.equal(attributesOf({ key: 'k', custom: { email: 'custom' }, email: 'own' }).email, 'own');
  assert.equal(attributesOf({ key: 'k', email: 'own', custom: { email: null } }).email, undefined);
});

test('a secondary key is one in the old format only', () => {
  const secondaryOf = (json: object) => contextFrom(json).individuals[0]?.secondary;
  assert.equal(secondaryOf({ key: 'k', secondary: 's' }), 's');
  assert.equal(secondaryOf({ key: 'k', secondary: '' }), '');
  assert.equal(secondaryOf({ key: 'k', secondary: null }), undefined);
  assert.equal(secondaryOf({ kind: 'user', key: 'k', secondary: 's' }), undefined);
  assert.equal(attributesOf({ kind: 'user', key: 'k', secondary: 's' }).secondary, 's');
});

test('the fully qualified key is different for every kind and key', () => {
  const cases: readonly (readonly [object, string])[] = [
    [{ key: 'a:b%c' }, 'a:b%c'],
    [{ kind: 'user', key: 'a:b' }, 'a:b'],
    [{ kind: 'org', key: 'a:b%c' }, 'org:a%3Ab%25c'],
    [{ kind: 'multi', user: { key: 'u:1' }, org: { key: 'o' } }, 'org:o:user:u%3A1'],
    [{ kind: 'multi', user: { key: 'u:1' } }, 'u:1'],
    [{ kind: 'multi', org: { key: 'o' } }, 'org:o'],
    [{ kind: 'multi', b: { key: '1' }, a: { key: '2' }, B: { key: '3' } }, 'B:3:a:2:b:1'],
  ];
  for (const [json, expected] of cases) assert.equal(contextFrom(json).fullyQualifiedKey, expected);
});

test('several kinds are sorted, and a single one is unwrapped', () => {
  const several = contextFrom({ kind: 'multi', user: { key: 'u' }, device: { key: 'd' }, org: { key: 'o' } });
  assert.deepEqual([several.kind, kindsOf(several)], ['multi', ['device', 'org', 'user']]);
  const single = contextFrom({ kind: 'multi', org: { key: 'o', a: 1 } });
  assert.deepEqual([single.kind, kindsOf(single)], ['org', ['org']]);
});
