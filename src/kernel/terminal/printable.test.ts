import assert from 'node:assert/strict';
import { test } from 'node:test';
import { printable, printableJson } from './printable.ts';

const HOSTILE: readonly string[] = [
  '\x1b]0;title\x07',
  '\x1b[2J',
  '\u009b2J',
  'a\rb',
  'a\nb',
  'a\u2028b',
  'a\u202eb',
  'a\u2066b',
  'ana\u200b',
  'ana\u2060',
  '\ufeffana',
  'ana\u061c',
  'ana\u{e0041}',
];

for (const text of HOSTILE) {
  test(`${JSON.stringify(text)} neither commands a terminal nor looks like another text`, () => {
    assert.match(printable(text), /^[ -~]+$/);
    assert.match(printableJson({ text }), /^[ -~]+$/);
    assert.deepEqual(JSON.parse(printableJson({ text })), { text });
  });
}

test('ordinary text stays as it is', () => {
  for (const text of ['ana', 'Zoë', '日本語', 'می\u200cخواهم', '👩\u200d💻', 'a b'])
    assert.equal(printable(text), text);
});

test('indented JSON keeps its lines', () => {
  assert.equal(printableJson({ a: '\u009b' }, 2), '{\n  "a": "\\u009b"\n}');
});
