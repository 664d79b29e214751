import assert from 'node:assert/strict';
import { test } from 'node:test';
import { splitLongText } from './long-text.ts';

test('an ordinary text is shown whole', () => {
  for (const text of ['', 'a', 'a\nb\n', 'a'.repeat(16_384), 'a\n'.repeat(1000)])
    assert.deepEqual(splitLongText(text), { shown: text, rest: '' });
});

test('nothing of a long text is lost, and its first part is bounded', () => {
  const texts = [
    'a'.repeat(65_000),
    'a\n'.repeat(32_000),
    '\n'.repeat(65_000),
    `a${'😀'.repeat(16_000)}`,
    `${'a'.repeat(99)}\n`.repeat(600),
    `${'a'.repeat(100)}\n${'b'.repeat(60_000)}`,
  ];
  for (const text of texts) {
    const { shown, rest } = splitLongText(text);
    assert.equal(shown + rest, text);
    assert.equal(rest === '', false);
    assert.equal(shown.length <= 16_384 && shown.length > 1_000 - 1, true, `${shown.length}`);
    assert.equal(shown.split('\n').length <= 1001, true);
    assert.equal(shown.isWellFormed(), true);
  }
});

test('a long text is parted at a line’s end if it has one', () => {
  const { shown, rest } = splitLongText(`${'a'.repeat(99)}\n`.repeat(600));
  assert.equal(shown.endsWith('\n') && rest.startsWith('a'), true);
});
