import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Random } from '../../../testing/random.ts';
import {
  createMatcher,
  type Matcher,
  type MatchOperator,
  printMatcher,
  printMatchers,
  sameMatcher,
} from './matcher.ts';
import { type MatcherMode, type ParseWarning, parseMatcher, parseMatchers } from './parse.ts';

/** What a parse came to, printed, or the reason of the refusal; and the warnings on the way. */
function readOne(input: string, mode: MatcherMode): { result: string; warnings: ParseWarning[] } {
  const warnings: ParseWarning[] = [];
  const parsed = parseMatcher(input, mode, (warning) => warnings.push(warning));
  return { result: parsed.ok ? printMatcher(parsed.value) : parsed.reason, warnings };
}

function readList(input: string, mode: MatcherMode): { result: string; warnings: ParseWarning[] } {
  const warnings: ParseWarning[] = [];
  const parsed = parseMatchers(input, mode, (warning) => warnings.push(warning));
  return { result: parsed.ok ? printMatchers(parsed.value) : parsed.reason, warnings };
}

test('input read alike by both parsers, or only by the UTF-8 one, has no warning', () => {
  const cases: readonly (readonly [input: string, matcher: string])[] = [
    ['foo=bar', 'foo="bar"'],
    ['foo=~"b.*"', 'foo=~"b.*"'],
    ['foo🙂=bar', 'foo🙂="bar"'],
    ['"foo bar"="a\\tb"', '"foo bar"="a\\tb"'],
  ];
  for (const [input, matcher] of cases) assert.deepEqual(readOne(input, 'fallback'), { result: matcher, warnings: [] });
  for (const input of ['', '{}']) assert.deepEqual(readList(input, 'fallback'), { result: '{}', warnings: [] });
  const list = readList('{foo🙂=bar,bar=baz🙂}', 'fallback');
  assert.deepEqual(list, { result: '{foo🙂="bar",bar="baz🙂"}', warnings: [] });
});

test('input read only by the classic parser is accepted, with a warning and the UTF-8 form', () => {
  const one = readOne('foo=!bar\\n', 'fallback');
  assert.equal(one.result, 'foo="!bar\\n"');
  assert.equal(one.warnings.length, 1);
  assert.equal(one.warnings[0]?.input, 'foo=!bar\\n');
  assert.equal(one.warnings[0]?.reason, "4:5: !: expected one of '=~': expected label value");
  assert.equal(one.warnings[0]?.suggestion, 'foo="!bar\\n"');
  const list = readList('{foo=!bar,bar=$baz\\n}', 'fallback');
  assert.equal(list.result, '{foo="!bar",bar="$baz\\n"}');
  assert.equal(list.warnings[0]?.suggestion, 'foo="!bar",bar="$baz\\n"');
  assert.equal(readOne('foo=~"\\d+"', 'fallback').result, 'foo=~"\\\\d+"');
  assert.equal(readOne('foo=a,b=~(', 'fallback').result, 'foo="a,b=~("');
});

test('where the parsers differ the classic result counts, with a warning', () => {
  const input = 'foo="\\xf0\\x9f\\x99\\x82"';
  const suggestion = 'foo="\\\\xf0\\\\x9f\\\\x99\\\\x82"';
  for (const { result, warnings } of [readOne(input, 'fallback'), readList(input, 'fallback')]) {
    assert.ok(result === suggestion || result === `{${suggestion}}`, result);
    const message = 'the classic and the UTF-8 matcher syntax differ on this input';
    assert.deepEqual(warnings, [{ message, input, suggestion }]);
  }
  assert.equal(readList('{a="\\t",b="c"}', 'fallback').result, '{a="\\\\t",b="c"}');
});

test('input invalid for both parsers is refused with the reason of the classic one', () => {
  const cases: readonly (readonly [input: string, reason: string])[] = [
    ['foo!bar', 'bad matcher format: foo!bar'],
    ['', 'bad matcher format: '],
    ['foo="a', 'matcher value contains unescaped double quote: "a'],
    ['foo=~(', 'error parsing regexp: missing closing ): `^(?:()$`'],
  ];
  for (const [input, reason] of cases) assert.equal(readOne(input, 'fallback').result, reason);
  assert.equal(readList('{foo!bar}', 'fallback').result, 'bad matcher format: foo!bar');
  assert.equal(readList('{,}', 'fallback').result, 'bad matcher format: ');
});

test('a single matcher in braces is refused, except by the classic parser in its own words', () => {
  for (const input of ['{foo=bar}', '{foo=bar', 'foo=bar}', '{}']) {
    for (const mode of ['fallback', 'utf8-strict'] as const) {
      assert.equal(readOne(input, mode).result, `unexpected open or close brace: ${input}`);
    }
  }
  assert.equal(readOne('{foo=bar}', 'classic').result, 'bad matcher format: {foo=bar}');
});

test('each strict mode reads its own syntax only and never warns', () => {
  const utf8 = 'foo="\\xf0\\x9f\\x99\\x82"';
  assert.deepEqual(readOne(utf8, 'utf8-strict'), { result: 'foo="🙂"', warnings: [] });
  assert.deepEqual(readOne(utf8, 'classic'), { result: 'foo="\\\\xf0\\\\x9f\\\\x99\\\\x82"', warnings: [] });
  assert.equal(readOne('foo=!bar', 'utf8-strict').result, "4:5: !: expected one of '=~': expected label value");
  assert.equal(readOne('foo🙂=bar', 'classic').result, 'bad matcher format: foo🙂=bar');
  assert.equal(readOne('a=b,c=d', 'utf8-strict').result, 'expected 1 matcher, found 2');
  assert.equal(readOne('a=b,c=d', 'classic').result, 'a="b,c=d"');
  assert.equal(readList('foo=}b', 'classic').result, '{foo="}b"}');
  assert.equal(readList('foo=}b', 'utf8-strict').result, '4:5: unexpected }: expected label value');
});

const PARTS = [
  ...['a', 'B', '_', ':', '0', '-', '.', 'é', '🙂', '\u{e0001}', '\ufeff', '\0', '\x7f', '\u200b'],
  ...[' ', '\t', '\n', '\r', '\v', '\u0085', '\u00a0', '\u2028', '\u3000'],
  ...['{', '}', '!', '=', '~', ',', '\\', '"', "'", '`', '\\n', '\\"', '\\\\', '\\x41', '\\u', '=~', '","', '}{'],
];
const OPERATORS: readonly MatchOperator[] = ['=', '!=', '=~', '!~'];

function randomText(random: Random, least: number): string {
  return Array.from({ length: random.int(least, 6) }, () => random.pick(PARTS)).join('');
}

/** A matcher with a nasty name and value; an equality matcher where the value is not a regular expression. */
function randomMatcher(random: Random): Matcher {
  const name = randomText(random, 1);
  const value = randomText(random, 0);
  const wanted = createMatcher(name, random.pick(OPERATORS), value);
  const created = wanted.ok ? wanted : createMatcher(name, '=', value);
  assert.ok(created.ok);
  return created.value;
}

test('any matcher is read back by the UTF-8 parser as it was written', () => {
  const random = new Random(21);
  for (let round = 0; round < 5000; round++) {
    const matcher = randomMatcher(random);
    const written = printMatcher(matcher);
    const read = parseMatcher(written, 'utf8-strict');
    assert.ok(read.ok, `${JSON.stringify(written)}: ${read.ok ? '' : read.reason}`);
    assert.ok(sameMatcher(read.value, matcher), JSON.stringify(written));
  }
});

test('any list of matchers is read back by the UTF-8 parser as it was written', () => {
  const random = new Random(22);
  for (let round = 0; round < 1500; round++) {
    const matchers = Array.from({ length: random.int(0, 5) }, () => randomMatcher(random));
    const written = printMatchers(matchers);
    const read = parseMatchers(written, 'utf8-strict');
    assert.ok(read.ok, `${JSON.stringify(written)}: ${read.ok ? '' : read.reason}`);
    assert.equal(read.value.length, matchers.length);
    assert.ok(
      read.value.every((matcher, i) => sameMatcher(matcher, matchers[i] as Matcher)),
      JSON.stringify(written),
    );
  }
});

test('any matcher with a classic name is read back alike by both parsers', () => {
  const random = new Random(23);
  for (let round = 0; round < 3000; round++) {
    const created = createMatcher(random.pick(['a', '_b1', 'Name']), random.pick(['=', '!=']), randomText(random, 0));
    assert.ok(created.ok);
    const written = printMatcher(created.value);
    for (const mode of ['classic', 'fallback'] as const) {
      assert.deepEqual(readOne(written, mode), { result: written, warnings: [] }, JSON.stringify(written));
      assert.deepEqual(
        readList(`{${written}}`, mode),
        { result: `{${written}}`, warnings: [] },
        JSON.stringify(written),
      );
    }
  }
});

test('long inputs are read in time that grows with their length', () => {
  const size = 200_000;
  const spaces = ' '.repeat(size);
  assert.equal(readOne(`a=b${spaces}c`, 'classic').result, `a="b${spaces}c"`);
  assert.equal(readOne(`${spaces}a${spaces}=${spaces}b${spaces}`, 'fallback').result, 'a="b"');
  assert.equal(readOne(`a="${'\\n'.repeat(size)}"`, 'fallback').result, `a="${'\\n'.repeat(size)}"`);
  const open = `"${'x'.repeat(size)}`;
  const reason = `2:${size + 3}: ${open}: missing end ": expected label value`;
  assert.equal(readOne(`a=${open}`, 'utf8-strict').result, reason);
});
