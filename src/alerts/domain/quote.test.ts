import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Random } from '../../testing/random.ts';
import { isWellFormed, quoteGo, unquoteGo } from './quote.ts';

test('a text is quoted as Go quotes it', () => {
  const cases: readonly (readonly [text: string, quoted: string])[] = [
    ['', '""'],
    ['plain text', '"plain text"'],
    ['say "hi"', '"say \\"hi\\""'],
    ['back\\slash', '"back\\\\slash"'],
    ["it's `so`", '"it\'s `so`"'],
    ['\x07\b\f\n\r\t\v', '"\\a\\b\\f\\n\\r\\t\\v"'],
    ['\0\x1b\x7f', '"\\x00\\x1b\\x7f"'],
    ['\u0080\u00a0\u00ad', '"\\u0080\\u00a0\\u00ad"'],
    ['é漢🙂', '"é漢🙂"'],
    ['a\u0301', '"a\u0301"'],
    ['\u2028\u202f\u3000\ufeff', '"\\u2028\\u202f\\u3000\\ufeff"'],
    ['\ue000\ufffd', '"\\ue000\ufffd"'],
    ['\u{e0001}\u{10ffff}', '"\\U000e0001\\U0010ffff"'],
    ['\ud83d', '"\\ufffd"'],
  ];
  for (const [text, quoted] of cases) assert.equal(quoteGo(text), quoted);
});

test('a quoted text is read as Go reads it', () => {
  const cases: readonly (readonly [quoted: string, text: string | undefined])[] = [
    ['""', ''],
    ['"a b\tc"', 'a b\tc'],
    ['"\\a\\b\\f\\n\\r\\t\\v\\\\\\""', '\x07\b\f\n\r\t\v\\"'],
    ['"\\x41\\u00e9\\U0001f642"', 'Aé🙂'],
    ['"\\101\\303\\251"', 'Aé'],
    ['"\\xf0\\x9f\\x99\\x82"', '🙂'],
    ['"\\xef\\xbb\\xbfa"', '\ufeffa'],
    ['"🙂\u2028"', '🙂\u2028'],
    ['"\\xf0\\x9f"', undefined],
    ['"\\xf0\\x9fa\\x99\\x82"', undefined],
    ['"\\xff"', undefined],
    ['"\\377"', undefined],
    ['"\\400"', undefined],
    ['"\\18"', undefined],
    ['"\\x4"', undefined],
    ['"\\u12"', undefined],
    ['"\\ud83d\\ude42"', undefined],
    ['"\\U00110000"', undefined],
    ['"\\w"', undefined],
    ['"\\d+"', undefined],
    ['"\\\'"', undefined],
    ['"a\nb"', undefined],
    ['"a"b"', undefined],
    ['"a\\"', undefined],
    ['"\\', undefined],
    ['"', undefined],
    ['', undefined],
    ['a', undefined],
    ['"a', undefined],
    ['a"', undefined],
    ['`a`', undefined],
    ["'a'", undefined],
    ['"\ud83d"', undefined],
  ];
  for (const [quoted, text] of cases) assert.equal(unquoteGo(quoted), text, quoted);
});

test('every quoted text is read back unchanged', () => {
  const random = new Random(11);
  const parts = [
    'a',
    '"',
    '\\',
    '\n',
    '\0',
    '\x7f',
    'é',
    '🙂',
    '\u{e0001}',
    '\u2028',
    '\ufeff',
    ' ',
    "'",
    '\\x41',
    '\\"',
  ];
  for (let round = 0; round < 2000; round++) {
    const text = Array.from({ length: random.int(0, 8) }, () => random.pick(parts)).join('');
    assert.equal(unquoteGo(quoteGo(text)), text);
  }
});

test('a text with half of a surrogate pair is not well-formed', () => {
  for (const text of ['', 'a', '🙂', '\ufffd']) assert.equal(isWellFormed(text), true);
  for (const text of ['\ud83d', 'a\ude42', '\ude42\ud83d']) assert.equal(isWellFormed(text), false);
});
