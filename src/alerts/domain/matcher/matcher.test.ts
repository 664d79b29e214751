import assert from 'node:assert/strict';
import { test } from 'node:test';
import { compileUnanchored } from '../../../kernel/regexp/regexp.ts';
import {
  compareMatchers,
  createMatcher,
  createSilenceMatcher,
  filterMatches,
  type Matcher,
  type MatchOperator,
  matchesEmpty,
  printMatcher,
  printMatchers,
  sameMatcher,
} from './matcher.ts';

function make(name: string, operator: MatchOperator, value: string): Matcher {
  const created = createMatcher(name, operator, value);
  assert.ok(created.ok);
  return created.value;
}

test('a matcher is satisfied by the values of its operator', () => {
  const cases: readonly (readonly [MatchOperator, pattern: string, value: string, expected: boolean])[] = [
    ['=', 'bar', 'bar', true],
    ['=', 'bar', 'foo-bar', false],
    ['=', '', '', true],
    ['=', 'foo\nbar', 'foo\nbar', true],
    ['=', '~!="', '~!="', true],
    ['=', 'b.r', 'bar', false],
    ['!=', 'bar', 'bar', false],
    ['!=', 'bar', 'foo-bar', true],
    ['!=', 'bar', '', true],
    ['=~', 'bar', 'bar', true],
    ['=~', 'bar', 'foo-bar', false],
    ['=~', '.*bar', 'foo-bar', true],
    ['=~', 'foo.bar', 'foo-bar', true],
    ['=~', 'foo\\.bar', 'foo-bar', false],
    ['=~', 'foo\\.bar', 'foo.bar', true],
    ['=~', 'foo.bar', 'foo\nbar', false],
    ['=~', '(?s)foo.bar', 'foo\nbar', true],
    ['=~', '', '', true],
    ['=~', '', 'a', false],
    ['!~', 'bar', 'bar', false],
    ['!~', 'bar', 'foo-bar', true],
    ['!~', '.*bar', 'foo-bar', false],
    ['!~', '.+', '', true],
  ];
  for (const [operator, pattern, value, expected] of cases) {
    assert.equal(make('a', operator, pattern).matches(value), expected, `${operator} ${pattern} on ${value}`);
  }
});

test('a matcher is refused only for a bad regular expression, with its anchors in the reason', () => {
  const reason = 'error parsing regexp: missing closing ): `^(?:(foo)$`';
  assert.deepEqual(createMatcher('a', '=~', '(foo'), { ok: false, reason });
  assert.deepEqual(createMatcher('a', '!~', '(foo'), { ok: false, reason });
  assert.ok(createMatcher('', '=', '(foo').ok);
});

test('a matcher of a silence is refused with the regular expression as it was posted', () => {
  const refusals: readonly (readonly [value: string, reason: string])[] = [
    ['(foo', 'missing closing ): `(foo`'],
    ['a)(?:b', 'unexpected ): `a)(?:b`'],
    ['\\Qa', 'missing closing ): `^(?:\\Qa)$`'],
  ];
  for (const [value, reason] of refusals) {
    assert.deepEqual(createSilenceMatcher('a', '=~', value), { ok: false, reason: `error parsing regexp: ${reason}` });
  }
  assert.ok(createSilenceMatcher('a', '=', '(foo').ok);
  const created = createSilenceMatcher('a', '!~', 'b.*');
  assert.ok(created.ok && created.value.matches('a') && !created.value.matches('bc'));
});

test('matchers are ordered by name, value and operator, as their UTF-8 bytes are', () => {
  const ordered = [
    make('a', '=', 'a'),
    make('a', '!=', 'a'),
    make('a', '=~', 'a'),
    make('a', '!~', 'a'),
    make('a', '=', 'aa'),
    make('a', '=', 'b'),
    make('ab', '=', 'a'),
    make('b', '=', '\uffee'),
    make('b', '=', '🙂'),
    make('\uffee', '=', 'a'),
    make('🙂', '=', 'a'),
  ];
  for (const [i, a] of ordered.entries()) {
    for (const [j, b] of ordered.entries()) {
      assert.equal(Math.sign(compareMatchers(a, b)), Math.sign(i - j), `${printMatcher(a)} ${printMatcher(b)}`);
      assert.equal(sameMatcher(a, b), i === j);
    }
  }
  assert.ok(sameMatcher(make('a', '=~', 'x.*'), make('a', '=~', 'x.*')));
});

test('a matcher is written so that it can be read back', () => {
  const cases: readonly (readonly [string, MatchOperator, string, written: string])[] = [
    ['foo', '=', 'bar', 'foo="bar"'],
    ['foo', '!=', 'bar', 'foo!="bar"'],
    ['foo', '=~', 'bar', 'foo=~"bar"'],
    ['foo', '!~', 'bar', 'foo!~"bar"'],
    ['foo', '=', 'back\\slash', 'foo="back\\\\slash"'],
    ['foo', '=', 'double"quote', 'foo="double\\"quote"'],
    ['foo', '=', 'new\nline', 'foo="new\\nline"'],
    ['foo', '=', 'tab\tstop', 'foo="tab\tstop"'],
    ['foo', '=', '🙂', 'foo="🙂"'],
    ['foo!', '!=', 'bar', '"foo!"!="bar"'],
    ['foo🙂', '=', 'bar', 'foo🙂="bar"'],
    ['foo bar', '=', 'baz', '"foo bar"="baz"'],
    ['foo\u0085', '=', 'tab\tstop', '"foo\\u0085"="tab\\tstop"'],
    ['\ufeff', '=', '', '\ufeff=""'],
    ['a"b', '=~', '\\d', '"a\\"b"=~"\\\\d"'],
  ];
  for (const [name, operator, value, written] of cases)
    assert.equal(printMatcher(make(name, operator, value)), written);
  for (const reserved of '{}!=~,\\"\'` \t\n\v\f\r\u0085\u00a0\u1680\u2003\u2028\u2029\u202f\u205f\u3000') {
    assert.ok(printMatcher(make(`a${reserved}`, '=', 'b')).startsWith('"'), JSON.stringify(reserved));
  }
});

test('a list of matchers is written in braces, with commas and without spaces', () => {
  assert.equal(printMatchers([]), '{}');
  assert.equal(printMatchers([make('a', '=', 'b'), make('c', '=~', 'd')]), '{a="b",c=~"d"}');
});

test('a positive matcher that accepts the empty value matches empty, a negative one never does', () => {
  const cases: readonly (readonly [MatchOperator, string, boolean])[] = [
    ['=', '', true],
    ['=', 'a', false],
    ['=~', '', true],
    ['=~', '.*', true],
    ['=~', 'a|', true],
    ['=~', 'a*b?', true],
    ['=~', '^$', true],
    ['=~', '.+', false],
    ['=~', 'a', false],
    ['!=', '', false],
    ['!=', 'a', false],
    ['!~', '', false],
    ['!~', 'a', false],
  ];
  for (const [operator, value, expected] of cases) {
    assert.equal(matchesEmpty(make('a', operator, value)), expected, `${operator} ${value}`);
  }
});

test('on the empty value a pattern finds exactly its whole matches', () => {
  for (const value of [
    '',
    'a?',
    '(a|b)*',
    '\\b',
    '\\B',
    '(?m)^$',
    '$^',
    'a|^',
    '\\z\\A',
    '[a]',
    '(?i)x{0}',
    '()',
    '\\n?',
  ]) {
    const raw = compileUnanchored(value);
    assert.equal(matchesEmpty(make('a', '=~', value)), raw.ok && raw.pattern.test(''), value);
  }
});

test('a filter with an empty value matches only the right presence of the label', () => {
  const cases: readonly (readonly [MatchOperator, pattern: string, value: string | undefined, expected: boolean])[] = [
    ['=', '', undefined, true],
    ['=', '', 'x', false],
    ['=~', '', undefined, true],
    ['=~', '', 'x', false],
    ['!=', '', undefined, false],
    ['!=', '', 'x', true],
    ['!~', '', undefined, false],
    ['!~', '', 'x', true],
    ['=', 'x', undefined, false],
    ['=', 'x', 'x', true],
    ['!=', 'x', undefined, true],
    ['!=', 'x', 'x', false],
    ['=~', '.*', undefined, true],
    ['=~', '.+', undefined, false],
    ['!~', '.+', undefined, true],
    ['!~', 'x|y', 'y', false],
  ];
  for (const [operator, pattern, value, expected] of cases) {
    assert.equal(filterMatches(make('a', operator, pattern), value), expected, `${operator}"${pattern}" on ${value}`);
  }
});
