import assert from 'node:assert/strict';
import { test } from 'node:test';
import { checkBody } from './text.ts';

const KEPT: readonly (readonly [what: string, text: string, body: string])[] = [
  ['plain words', 'deploy done', 'deploy done'],
  ['the line ends of Windows', 'a\r\nb\r\n', 'a\nb\n'],
  ['the line ends of old machines', 'a\rb\r\rc', 'a\nb\n\nc'],
  ['emoji of many code points', '👩‍👩‍👧‍👦🏴󠁧󠁢󠁳󠁣󠁴󠁿', '👩‍👩‍👧‍👦🏴󠁧󠁢󠁳󠁣󠁴󠁿'],
  ['text from right to left', 'שלום \u202eabc\u202c', 'שלום \u202eabc\u202c'],
  ['other control characters', '\u001b[31mred\u0007', '\u001b[31mred\u0007'],
  ['spaces alone', '  \n', '  \n'],
];

for (const [what, text, body] of KEPT) {
  test(`a body keeps ${what}`, () => {
    assert.deepEqual(checkBody(text, 65_536), { ok: true, value: body });
  });
}

test('a body may not hold U+0000 or half a surrogate pair', () => {
  for (const text of ['a\0b', '\ud83d', 'x\udc00y', '\udc00\ud800']) {
    const outcome = checkBody(text, 65_536);
    assert.ok(!outcome.ok && outcome.code === 'invalid_body' && outcome.path === 'body', JSON.stringify(text));
  }
});

test('a body is measured in bytes of UTF-8, after its line ends', () => {
  assert.ok(checkBody('x'.repeat(65_536), 65_536).ok);
  assert.ok(checkBody('é'.repeat(32_768), 65_536).ok);
  assert.ok(checkBody('😀'.repeat(16_384), 65_536).ok);
  assert.ok(checkBody('\r\n'.repeat(65_536), 65_536).ok);
  for (const text of ['x'.repeat(65_537), `${'é'.repeat(32_768)}x`, `${'😀'.repeat(16_384)}x`]) {
    const outcome = checkBody(text, 65_536);
    assert.ok(!outcome.ok && outcome.code === 'too_large');
  }
});
