import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseUtf8Matcher, parseUtf8Matchers } from './parse-utf8.ts';

/** What a list came to: name, operator and value of each matcher, or the reason of the refusal. */
function read(input: string): unknown {
  const parsed = parseUtf8Matchers(input);
  return parsed.ok ? parsed.value.map(({ name, operator, value }) => [name, operator, value]) : parsed.reason;
}

test('an input without matchers is an empty list', () => {
  for (const input of ['', '{}', ' ', ' { } ', '\n']) assert.deepEqual(read(input), [], input);
});

test('a matcher is read with and without braces, quotes and a last comma', () => {
  const values: readonly (readonly [written: string, operator: string, value: string])[] = [
    ['=bar', '=', 'bar'],
    ['!=bar', '!=', 'bar'],
    ['=~[a-z]+', '=~', '[a-z]+'],
    ['!~[a-z]+', '!~', '[a-z]+'],
    ['=🙂', '=', '🙂'],
    ['=🙂bar', '=', '🙂bar'],
    ['="bar"', '=', 'bar'],
    ['!="bar"', '!=', 'bar'],
    ['=~"[a-z]+"', '=~', '[a-z]+'],
    ['=~"\\\\d+"', '=~', '\\d+'],
    ['="🙂"', '=', '🙂'],
    ['="\\xf0\\x9f\\x99\\x82"', '=', '🙂'],
    ['="\\U0001f642"', '=', '🙂'],
    ['="bar\\n"', '=', 'bar\n'],
    ['="bar\\t"', '=', 'bar\t'],
    ['="\\"bar\\""', '=', '"bar"'],
    ['="bar\\\\"', '=', 'bar\\'],
    ['=""', '=', ''],
    ['="a,b{}=~"', '=', 'a,b{}=~'],
    [' = bar', '=', 'bar'],
    ['=a:b-c/d', '=', 'a:b-c/d'],
  ];
  for (const [written, operator, value] of values) {
    for (const name of ['foo', '"foo"']) {
      for (const input of [
        `{${name}${written}}`,
        `{${name}${written},}`,
        `${name}${written}`,
        `${name}${written} , `,
      ]) {
        assert.deepEqual(read(input), [['foo', operator, value]], input);
      }
    }
  }
});

test('a name may be any text', () => {
  const names: readonly (readonly [written: string, name: string])[] = [
    ['name-with-dashes', 'name-with-dashes'],
    ['foo🙂', 'foo🙂'],
    ['0', '0'],
    ['"a b"', 'a b'],
    ['"{}"', '{}'],
    ['"a\\"b"', 'a"b'],
    ['""', ''],
  ];
  for (const [written, name] of names) assert.deepEqual(read(`{${written}=x}`), [[name, '=', 'x']], written);
});

test('matchers of a list keep their order', () => {
  const expected = [
    ['foo', '=', 'bar'],
    ['bar', '!=', 'baz'],
  ];
  for (const input of [
    '{foo=bar,bar!=baz}',
    '{foo="bar",bar!="baz"}',
    'foo=bar,bar!=baz',
    'foo = "bar" , bar!="baz",',
  ]) {
    assert.deepEqual(read(input), expected, input);
  }
});

test('a refusal names the columns and the expected token', () => {
  const operators = "expected an operator such as '=', '!=', '=~' or '!~'";
  const cases: readonly (readonly [input: string, reason: string])[] = [
    [',', '0:1: unexpected ,: expected label name'],
    ['{,}', '1:2: unexpected ,: expected label name'],
    ['=', '0:1: unexpected =: expected label name'],
    ['{', '0:1: end of input: expected close brace'],
    ['{ ', '0:1: end of input: expected close brace'],
    ['}', '0:1: }: expected opening brace'],
    ['foo=bar}', '0:8: }: expected opening brace'],
    ['foo=bar,}', '0:9: }: expected opening brace'],
    ['{foo=bar', '0:8: end of input: expected close brace'],
    ['{foo=bar, ', '0:9: end of input: expected close brace'],
    ['{{foo=', '1:2: unexpected {: expected label name'],
    ['foo', `end of input: ${operators}`],
    ['foo bar', `4:7: unexpected bar: ${operators}`],
    ['foo,', `3:4: unexpected ,: ${operators}`],
    ['foo=', 'end of input: expected label value'],
    ['{foo=}', '5:6: unexpected }: expected label value'],
    ['foo==bar', '4:5: unexpected =: expected label value'],
    ['{foo=:"bar"}', '6:11: unexpected "bar": expected a comma or close brace'],
    ['{foo=bar bar=baz}', '9:12: unexpected bar: expected a comma or close brace'],
    ['foo=bar,,', '8:9: unexpected ,: expected a matcher or close brace after comma'],
    ['{foo=bar,=}', '9:10: unexpected =: expected a matcher or close brace after comma'],
    ['{foo=bar}x', '9:10: x: expected end of input'],
    ['{foo=bar}}', '9:10: }: expected end of input'],
    ['{}~', '2:3: ~: invalid input: expected end of input'],
    ['~', '0:1: ~: invalid input'],
    ["{'a'=b}", "1:2: ': invalid input"],
    ['foo~bar', `3:4: ~: invalid input: ${operators}`],
    ['foo=`bar`', '4:5: `: invalid input: expected label value'],
    ['{foo=bar\\n}', '8:9: \\: invalid input: expected a comma or close brace'],
    ['!', "0:1: unexpected end of input, expected one of '=~'"],
    ['foo!', `3:4: unexpected end of input, expected one of '=~': ${operators}`],
    ['foo!bar', `3:4: !: expected one of '=~': ${operators}`],
    ['foo!!=bar', `3:4: !: expected one of '=~': ${operators}`],
    ['foo=!bar', "4:5: !: expected one of '=~': expected label value"],
    ['"foo', '0:4: "foo: missing end "'],
    ['foo="bar', '4:8: "bar: missing end ": expected label value'],
    ['foo="bar\\"', '4:10: "bar\\": missing end ": expected label value'],
    ['{foo="bar\\w"}', '5:12: "bar\\w": invalid input'],
    ['{"foo"=~"\\d+"}', '8:13: "\\d+": invalid input'],
    ['{"foo"="\\xf0\\x9f"}', '7:17: "\\xf0\\x9f": invalid input'],
    ['"\\xff"=a', '0:6: "\\xff": invalid input'],
    ['foo="a\nb"', '4:9: "a\nb": invalid input'],
    ['🙂=\ud83d', '2:3: \ud83d: invalid input'],
    ['🙂🙂 = =', '5:6: unexpected =: expected label value'],
    ['foo=~(', 'failed to create matcher: error parsing regexp: missing closing ): `^(?:()$`'],
  ];
  for (const [input, reason] of cases) assert.equal(read(input), reason, input);
});

test('whitespace is that of Unicode, and ends a word', () => {
  for (const space of ' \t\n\v\f\r\u0085\u00a0\u1680\u2009\u2028\u202f\u205f\u3000') {
    assert.deepEqual(read(`{${space}foo${space}=${space}bar${space}}`), [['foo', '=', 'bar']], JSON.stringify(space));
  }
  assert.deepEqual(read('foo=\ufeffbar\u200b'), [['foo', '=', '\ufeffbar\u200b']]);
});

test('for a single matcher, zero and two are refused', () => {
  const reasonOf = (input: string) => {
    const parsed = parseUtf8Matcher(input);
    return parsed.ok ? `${parsed.value.name}${parsed.value.operator}${parsed.value.value}` : parsed.reason;
  };
  assert.equal(reasonOf('{foo=bar,}'), 'foo=bar');
  assert.equal(reasonOf(''), 'no matchers');
  assert.equal(reasonOf('{}'), 'no matchers');
  assert.equal(reasonOf('foo=bar,bar=baz'), 'expected 1 matcher, found 2');
  assert.equal(reasonOf('foo="\\xf0\\x9f"'), '4:14: "\\xf0\\x9f": invalid input');
});
