import assert from 'node:assert/strict';
import { test } from 'node:test';
import { EventArray } from './event-array.ts';

const isJsonArray = (text: string): boolean => {
  try {
    return Array.isArray(JSON.parse(text));
  } catch {
    return false;
  }
};

const VALUES = [
  ...['0', '-0', '10', '-1.5', '1e5', '1E+05', '1.0e-3', 'true', 'false', 'null', '""', '"a"', '{}', '[]'],
  ...['"\\u00e4\\n\\"\\\\\\/\\b\\f\\r\\t"', '"ä€😀"', '"\x7f"', '{"a":1}', '{ "a" : [ 1 , 2 ] , "b" : {"c":null} }'],
  // No JSON.
  ...[
    '',
    '01',
    '-',
    '+1',
    '.5',
    '1.',
    '1.e5',
    '1e',
    '1e+',
    '0x1',
    'NaN',
    'tru',
    'nulll',
    'True',
    '"',
    '"a',
    '"\\x"',
    '"\\u00g0"',
  ],
  ...[
    '"\\u12',
    '"\n"',
    '"\\"',
    "'a'",
    '{a:1}',
    '{"a"}',
    '{"a":}',
    '{"a":1,}',
    '{,}',
    '{"a" 1}',
    '[1,]',
    '[,1]',
    '[1 2]',
    '[',
  ],
  ...['{', '}', ']', '1 2', '//', '\u00a0', '\ufeff1', '\v'],
];

test('a text is a JSON array exactly if JSON.parse reads one', () => {
  const texts = VALUES.flatMap((value) => [
    value,
    `[${value}]`,
    ` [ ${value} ] `,
    `[1,${value}]`,
    `[${value},1]`,
    `[${value}`,
    `[${value}]]`,
    `[[${value}]]`,
    `[{"k":${value}}]`,
    `[{"k":${value},"l":1}]`,
  ]);
  for (const text of texts) {
    for (const events of [EventArray.read(Buffer.from(text)), EventArray.parse(Buffer.from(text))]) {
      assert.equal(events !== undefined, isJsonArray(text), text);
      if (!events) continue;
      assert.equal(events.count, JSON.parse(text).length, text);
      assert.deepEqual(events.parse(), JSON.parse(text));
    }
  }
});

test('every prefix of a post is refused', () => {
  const whole = Buffer.from('[{"kind":"feature","value":-1.5e3,"a":[true,null,"\\u00e4"]},{}]');
  assert.equal(EventArray.read(whole)?.count, 2);
  for (let length = 0; length < whole.length; length++)
    assert.equal(EventArray.read(whole.subarray(0, length)), undefined, `${length}`);
});

test('a changed byte is judged as by JSON.parse', () => {
  const text = '[{"k":-1.5e3,"a":[true,"\\u00e4\\n"]}, 12 ]';
  for (let at = 0; at < text.length; at++) {
    for (const char of ['"', '\\', '{', '}', '[', ']', ',', ':', ' ', '0', '9', '-', '.', 'e', 'u', 't', '\n', '\0']) {
      const changed = text.slice(0, at) + char + text.slice(at + 1);
      assert.equal(EventArray.read(Buffer.from(changed)) !== undefined, isJsonArray(changed), changed);
    }
  }
});

test('the first events are given in their bytes', () => {
  const bytes = Buffer.from(' [ 1.0 , {"a" : "]"},[2] ] ');
  for (const events of [EventArray.read(bytes), EventArray.parse(bytes)])
    assert.deepEqual(
      [1, 2, 3].map((count) => events?.first(count).toString()),
      [' 1.0', ' 1.0 , {"a" : "]"}', ' 1.0 , {"a" : "]"},[2] '],
    );
});

test('only the events with a word are parsed', () => {
  const events = EventArray.read(Buffer.from('[{"kind":"a","k":[1,2]} , {"kind":"summary","v":1},["summary"] ,"b"]'));
  assert.deepEqual(events?.parseWith('"summary"'), [{ kind: 'summary', v: 1 }, ['summary']]);
  assert.deepEqual(events?.parseWith('"other"'), []);
});

test('events are parsed once, for any number of readers', () => {
  const events = EventArray.read(Buffer.from('[{"kind":"identify"}]'));
  assert.ok(events);
  assert.equal(events.parse(), events.parse());
});

test('bytes that are not UTF-8 become replacement characters', () => {
  const events = EventArray.read(Buffer.from([0x5b, 0x22, 0xff, 0x22, 0x5d]));
  assert.equal(events?.first(1).toString(), '"\ufffd"');
});

test('deep nesting is no fault, up to a limit', () => {
  const deep = (depth: number) => Buffer.from('['.repeat(depth) + ']'.repeat(depth));
  assert.equal(EventArray.read(deep(200_000))?.count, 1);
  assert.equal(EventArray.read(deep(1_000_003)), undefined);
  assert.equal(EventArray.parse(deep(1_000_003)), undefined);
});
