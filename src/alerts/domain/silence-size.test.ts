import assert from 'node:assert/strict';
import { test } from 'node:test';
import { HOUR, matcherOf, START, silenceOf } from '../testing/parts.ts';
import type { Silence } from './silence.ts';
import { silenceSizeBytes } from './silence-size.ts';

// By hand: a field is its key (1), its length (1 up to 127, 2 beyond) and its bytes. a="b" is name 3 + pattern 3, as a
// message 8; it stands in the list of old (8) and in the first set (1 + 1 + 8 = 10). An instant of whole seconds is
// 1 + 5, as a message 8; there are three. Id 38, creator "ann" 5, comment "works" 7: 8 + 10 + 24 + 38 + 12 = 92.
// Around it the mesh's message: 1 + 1 + 92, and its expiry: 8.
const PLAIN_BYTES = 102;

test('a silence is as large as its protobuf message', () => {
  const cases: readonly (readonly [string, Partial<Silence>, bytes: number])[] = [
    ['plain', {}, PLAIN_BYTES],
    ['a type other than equality is 2 bytes, twice', { matchers: [matcherOf('a', '!=', 'b')] }, PLAIN_BYTES + 4],
    ['so is a regular expression', { matchers: [matcherOf('a', '=~', 'b')] }, PLAIN_BYTES + 4],
    ['and a negative one', { matchers: [matcherOf('a', '!~', 'b')] }, PLAIN_BYTES + 4],
    ['an empty pattern is not written', { matchers: [matcherOf('a', '!=', '')] }, PLAIN_BYTES + 4 - 6],
    ['texts count in UTF-8', { matchers: [matcherOf('é', '=', '😀')] }, PLAIN_BYTES + 2 * (1 + 3)],
    [
      'a second matcher is 8 bytes, twice',
      { matchers: [matcherOf('a', '=', 'b'), matcherOf('c', '=', 'd')] },
      PLAIN_BYTES + 16,
    ],
    ['no creator, no comment', { createdBy: '', comment: '' }, PLAIN_BYTES - 12],
    // One more byte for its own length, one more for that of the whole.
    ['a comment of 128 bytes', { comment: 'x'.repeat(128) }, PLAIN_BYTES - 7 + (2 + 128 + 1) + 1],
    // 1 ms is 1,000,000 ns: a key and 3 bytes.
    ['a start within a second', { startsAt: START + 1 }, PLAIN_BYTES + 4],
    // 999 ms is 999,000,000 ns: a key and 5 bytes.
    ['an end within a second, also when it is forgotten', { endsAt: START + HOUR + 999 }, PLAIN_BYTES + 12],
    ['a start at the epoch has no seconds', { startsAt: 0 }, PLAIN_BYTES - 6],
    // A negative number takes ten bytes; the rest of the second counts up from it: 999 ms.
    ['a start before it', { startsAt: -1 }, PLAIN_BYTES - 6 + 11 + 6],
    // The entry: name 3 + value 3, as a message 8.
    ['an annotation', { annotations: { k: 'v' } }, PLAIN_BYTES + 8],
    ['an annotation without a value, which a map writes all the same', { annotations: { k: '' } }, PLAIN_BYTES + 7],
  ];
  for (const [what, rest, bytes] of cases) assert.equal(silenceSizeBytes(silenceOf(rest), 120 * HOUR), bytes, what);
});

test('the retention counts through the instant that it leads to', () => {
  assert.equal(silenceSizeBytes(silenceOf(), 1), PLAIN_BYTES + 4);
});
