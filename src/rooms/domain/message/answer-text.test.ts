import assert from 'node:assert/strict';
import { test } from 'node:test';
import { addPiece, NO_ANSWER } from './answer-text.ts';

const join = (pieces: readonly string[], maxBytes = 1_000) =>
  pieces.reduce((answer, piece) => addPiece(answer, piece, maxBytes), NO_ANSWER);

test('pieces make the text, for any cut', () => {
  const text = 'a\r\nb\rc \u{1f600} d\u0000e';
  for (let at = 0; at <= text.length; at++) {
    const { text: joined } = join([text.slice(0, at), text.slice(at)]);
    assert.equal(joined, 'a\nb\nc \u{1f600} de', `cut at ${at}`);
  }
  assert.equal(join([...text.split('')]).text, 'a\nb\nc \u{1f600} de');
});

test('half of a surrogate pair is replaced', () =>
  assert.equal(join(['a\ud83d', 'b', '\ude00c']).text, 'a\ufffdb\ufffdc'));

test('text beyond the limit of a message is left out, between two code points', () => {
  const full = join(['ab', '\u{1f600}\u{1f600}', 'more'], 7);
  assert.deepEqual([full.text, full.bytes, full.isFull], ['ab\u{1f600}', 6, true]);
});
