import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assertLinear } from '../../../src/testing/linear-time.ts';
import { withEmoji } from './emoji-codes.ts';

const CASES: readonly (readonly [text: string, shown: string])[] = [
  ['done :tada:', 'done \u{1f389}'],
  [':+1::tada:', '\u{1f44d}\u{1f389}'],
  ['a: :tada:', 'a: \u{1f389}'],
  [':no_such_emoji:', ':no_such_emoji:'],
  ['at 10:100:20', 'at 10:100:20'],
  ['std:fire:x', 'std:fire:x'],
  [':TADA:', ':TADA:'],
];
for (const [text, shown] of CASES)
  test(`“${text}” is shown as “${shown}”`, () => {
    assert.equal(withEmoji(text), shown);
  });

test('codes are replaced in linear time', () => {
  for (const piece of [':', ':a', ':tada', '::tada'])
    assertLinear(piece, (length) => piece.repeat(length / piece.length), withEmoji);
});
