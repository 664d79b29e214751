import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseClassicMatcher, parseClassicMatchers } from './parse-classic.ts';

function read(input: string): unknown {
  const parsed = parseClassicMatchers(input);
  return parsed.ok ? parsed.value.map(({ name, operator, value }) => [name, operator, value]) : parsed.reason;
}

test('a list is read with any braces, spaces and quotes', () => {
  const cases: readonly (readonly [input: string, matchers: readonly (readonly string[])[]])[] = [
    ['', []],
    ['{}', []],
    ['{', []],
    ['}', []],
    [' ', []],
    ['{foo=bar}', [['foo', '=', 'bar']]],
    ['{foo="bar"}', [['foo', '=', 'bar']]],
    ['{foo=~bar.*}', [['foo', '=~', 'bar.*']]],
    ['{foo!="bar"}', [['foo', '!=', 'bar']]],
    ['{foo!~"bar.*"}', [['foo', '!~', 'bar.*']]],
    ['foo=bar}', [['foo', '=', 'bar']]],
    ['{foo=bar', [['foo', '=', 'bar']]],
    [
      '{foo="bar", baz!="quux"}',
      [
        ['foo', '=', 'bar'],
        ['baz', '!=', 'quux'],
      ],
    ],
    [
      '{foo = "bar", dings != "bums", }',
      [
        ['foo', '=', 'bar'],
        ['dings', '!=', 'bums'],
      ],
    ],
    [
      'foo=bar,dings!=bums',
      [
        ['foo', '=', 'bar'],
        ['dings', '!=', 'bums'],
      ],
    ],
    [
      '{foo="bar,quux", job="job1"}',
      [
        ['foo', '=', 'bar,quux'],
        ['job', '=', 'job1'],
      ],
    ],
    ['{quote="She said: \\"Hi, all…\\""}', [['quote', '=', 'She said: "Hi, all…"']]],
    [
      'contains_quote != "\\"" , contains_comma !~ "foo,bar" , ',
      [
        ['contains_quote', '!=', '"'],
        ['contains_comma', '!~', 'foo,bar'],
      ],
    ],
    ['a:b=c', [['a:b', '=', 'c']]],
  ];
  for (const [input, matchers] of cases) assert.deepEqual(read(input), matchers, input);
});

test('a value without quotes may contain nearly any character', () => {
  const cases: readonly (readonly [input: string, operator: string, value: string])[] = [
    ['foo=', '=', ''],
    ['foo=""', '=', ''],
    ["foo='", '=', "'"],
    ['foo=`', '=', '`'],
    ['foo=\\"', '=', '"'],
    ['foo=bar\\"', '=', 'bar"'],
    ['foo=bar\\t', '=', 'bar\\t'],
    ['foo=bar\\n', '=', 'bar\n'],
    ['foo=bar\\', '=', 'bar\\'],
    ['foo=bar\\\\', '=', 'bar\\'],
    ['foo="bar\\d"', '=', 'bar\\d'],
    ['foo=~~~', '=~', '~~'],
    ['foo==\\\\=\\=\\"', '=', '=\\=\\="'],
    ['foo=!bar', '=', '!bar'],
    ['foo=}b', '=', '}b'],
    ['foo= a b \t', '=', 'a b'],
    ['foo=a\nb', '=', 'a\nb'],
    ['foo=" a "', '=', ' a '],
    ['foo=\u00a0a', '=', '\u00a0a'],
    ['foo=\v', '=', ''],
    ['foo=é🙂', '=', 'é🙂'],
    ['foo=\\🙂', '=', '\\🙂'],
  ];
  for (const [input, operator, value] of cases) assert.deepEqual(read(input), [['foo', operator, value]], input);
});

test('of two closing braces the first belongs to the value', () => {
  assert.deepEqual(read('{foo=bar}}'), [['foo', '=', 'bar}']]);
  assert.deepEqual(read('{foo=bar}},}'), [['foo', '=', 'bar}}']]);
  assert.deepEqual(read('{foo=,bar=}}'), [
    ['foo', '=', ''],
    ['bar', '=', '}'],
  ]);
});

test('a comma inside quotes keeps a backslash before it at work', () => {
  assert.deepEqual(read('a="x\\,",b="y"'), 'matcher value contains unescaped double quote: "x\\,",b="y"');
});

test('a refusal quotes the piece that is wrong', () => {
  const cases: readonly (readonly [input: string, reason: string])[] = [
    [',', 'bad matcher format: '],
    ['{,}', 'bad matcher format: '],
    ['a=b,,c=d', 'bad matcher format: '],
    ['a=b, , ', 'bad matcher format:  '],
    ['foo', 'bad matcher format: foo'],
    ['foo!bar', 'bad matcher format: foo!bar'],
    ['=bar', 'bad matcher format: =bar'],
    ['foo🙂=bar', 'bad matcher format: foo🙂=bar'],
    ['{invalid-name = "valid label"}', 'bad matcher format: invalid-name = "valid label"'],
    ['{{foo=', 'bad matcher format: {foo='],
    ['"{foo=\\"bar"}', 'bad matcher format: "{foo=\\"bar"'],
    ['"foo=\\"bar\\""', 'bad matcher format: "foo=\\"bar\\""'],
    ['"foo="bar""', 'bad matcher format: "foo="bar""'],
    ['job="value', 'matcher value contains unescaped double quote: "value'],
    ['job=value"', 'matcher value contains unescaped double quote: value"'],
    ['job="', 'matcher value contains unescaped double quote: "'],
    ['job="a\\"', 'matcher value contains unescaped double quote: "a\\"'],
    ['job="a"b"', 'matcher value contains unescaped double quote: "a"b"'],
    ['trickier==\\\\=\\=\\""', 'matcher value contains unescaped double quote: =\\\\=\\=\\""'],
    ['contains_unescaped_quote = foo"bar', 'matcher value contains unescaped double quote: foo"bar'],
    ['job=a\ud83d', 'matcher value not valid UTF-8: a\ud83d'],
    ['{foo=~"invalid[regexp"}', 'error parsing regexp: missing closing ]: `[regexp)$`'],
    ['a=~"(",b', 'error parsing regexp: missing closing ): `^(?:()$`'],
  ];
  for (const [input, reason] of cases) assert.equal(read(input), reason, input);
});

test('a single matcher has no braces to strip', () => {
  const single = parseClassicMatcher(' foo =~ "b{2}" ');
  assert.ok(single.ok);
  assert.equal(single.value.value, 'b{2}');
  assert.deepEqual(parseClassicMatcher('{foo=bar}'), { ok: false, reason: 'bad matcher format: {foo=bar}' });
  const braced = parseClassicMatcher('foo=bar}');
  assert.ok(braced.ok && braced.value.value === 'bar}');
});
