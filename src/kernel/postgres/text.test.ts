import assert from 'node:assert/strict';
import { test } from 'node:test';
import { decodeText, encodeText } from './text.ts';

const TEXTS = [
  '',
  '{}/{alertname="DiskFull"}:{cluster="eu"}',
  'a\0b\0',
  '\\',
  '\\0',
  '\\\\0\0\\',
  '\\u{d800}',
  'lone \ud800 and \udfff',
  'é 😀 \u{10ffff}',
];

for (const text of TEXTS) {
  test(`${JSON.stringify(text)} is the same after it was stored`, () => {
    const encoded = encodeText(text);
    assert.equal(decodeText(encoded), text);
    assert.ok(encoded.isWellFormed() && !encoded.includes('\0'), 'PostgreSQL can store it');
  });
}

test('different texts are stored as different ones', () => {
  assert.equal(new Set(TEXTS.map(encodeText)).size, TEXTS.length);
});
