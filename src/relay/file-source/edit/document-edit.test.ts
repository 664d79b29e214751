import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parse } from 'yaml';
import type { Json } from '../../domain/json.ts';
import { editDocument } from './document-edit.ts';

const edits: [title: string, name: string, text: string, path: readonly string[], value: Json, edited: string][] = [
  [
    'a scalar of YAML, its remark kept',
    'f.yml',
    'flags:\n  # what it is\n  a:\n    on: true   # since May\n    variations: [ 1,2 ]\n',
    ['flags', 'a', 'on'],
    false,
    'flags:\n  # what it is\n  a:\n    on: false   # since May\n    variations: [ 1,2 ]\n',
  ],
  ['a number', 'f.yml', 'flagValues: {a: 1, b: 2}\n', ['flagValues', 'b'], 3, 'flagValues: {a: 1, b: 3}\n'],
  [
    'a text without quotes',
    'f.yml',
    'flagValues:\n  a: old one # x\n',
    ['flagValues', 'a'],
    'new one',
    'flagValues:\n  a: new one # x\n',
  ],
  [
    'a text that needs quotes',
    'f.yml',
    'flagValues:\n  a: b\n',
    ['flagValues', 'a'],
    'no: #1',
    'flagValues:\n  a: "no: #1"\n',
  ],
  [
    'a word that YAML takes for a boolean',
    'f.yml',
    'flagValues:\n  a: b\n',
    ['flagValues', 'a'],
    'true',
    'flagValues:\n  a: "true"\n',
  ],
  [
    'a block, by what fits into a line',
    'f.yml',
    'flags:\n  a:\n    fallthrough:\n      rollout:\n        variations:\n          - {variation: 0, weight: 1}\n    # after\n    on: true\n',
    ['flags', 'a', 'fallthrough'],
    { variation: 1 },
    'flags:\n  a:\n    fallthrough: { variation: 1 }\n    # after\n    on: true\n',
  ],
  [
    'a member that is missing in a block',
    'f.yml',
    'flags:\n  a:\n    # first\n    variations: [1]\n',
    ['flags', 'a', 'on'],
    true,
    'flags:\n  a:\n    # first\n    on: true\n    variations: [1]\n',
  ],
  [
    'a member that is missing in braces',
    'f.yml',
    'flags: {a: {variations: [1]}}\n',
    ['flags', 'a', 'on'],
    true,
    'flags: {a: {on: true, variations: [1]}}\n',
  ],
  ['a member of nothing', 'f.yml', 'flags: {a: {}}\n', ['flags', 'a', 'on'], true, 'flags: {a: { on: true }}\n'],
  [
    'a value of JSON in its own form',
    'f.json',
    '{\n   "flags": {"a":{ "on" :true,\n\t"variations":[1,  2]}}}',
    ['flags', 'a', 'on'],
    false,
    '{\n   "flags": {"a":{ "on" :false,\n\t"variations":[1,  2]}}}',
  ],
  [
    'a member that is missing in JSON',
    'f.json',
    '{\n  "flags": {\n    "a": {\n      "variations": [1]\n    }\n  }\n}\n',
    ['flags', 'a', 'on'],
    true,
    '{\n  "flags": {\n    "a": {\n      "on": true,\n      "variations": [1]\n    }\n  }\n}\n',
  ],
  [
    'an object of JSON',
    'f.json',
    '{"flagValues": {"a": {"b": 1}}}',
    ['flagValues', 'a'],
    { c: ['"'] },
    '{"flagValues": {"a": {"c":["\\""]}}}',
  ],
  [
    'a name with dots and quotes',
    'f.json',
    '{"flagValues": {"a.\\"b": 1}}',
    ['flagValues', 'a."b'],
    2,
    '{"flagValues": {"a.\\"b": 2}}',
  ],
];
for (const [title, name, text, path, value, edited] of edits) {
  test(`an edit replaces ${title} and nothing else`, () => {
    assert.equal(editDocument(name, text, { path, value }), edited);
  });
}

test('an edit of an anchored value does not change its aliases', () => {
  const text = '# top\nflags:\n  a: &one { on: true, variations: [1] }\n  b: *one\n';
  const edited = editDocument('f.yml', text, { path: ['flags', 'b'], value: { on: false } });
  assert.deepEqual(parse(edited), { flags: { a: { on: true, variations: [1] }, b: { on: false } } });
  assert.match(edited, /^# top\n/);
});
