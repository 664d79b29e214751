import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Matcher } from '../../../src/alerts/contract/wire.ts';
import {
  createMatcher,
  escapeRegExp,
  formatMatcher,
  formatMatchers,
  matchersOfLabels,
  matchesEverything,
  OPERATORS,
  parseFilterInput,
  parseMatchers,
} from './matcher-text.ts';

const eq = (name: string, value: string): Matcher => createMatcher(name, '=', value);

const readable: readonly [text: string, matchers: readonly Matcher[]][] = [
  ['', []],
  ['{}', []],
  ['a=b', [eq('a', 'b')]],
  ['a="b"', [eq('a', 'b')]],
  [' { a = "b" , c != d , } ', [eq('a', 'b'), createMatcher('c', '!=', 'd')]],
  ['{alertname="X", severity=~"a|b"}', [eq('alertname', 'X'), createMatcher('severity', '=~', 'a|b')]],
  ['a!~"x.*"', [createMatcher('a', '!~', 'x.*')]],
  ['a="b,c}"', [eq('a', 'b,c}')]],
  ['path=~"\\d+\\.log"', [createMatcher('path', '=~', '\\d+\\.log')]],
  ['a="line\\nnext \\"q\\" \\\\"', [eq('a', 'line\nnext "q" \\')]],
  ['"odd name"="v"', [eq('odd name', 'v')]],
  ['überwachung="ja"', [eq('überwachung', 'ja')]],
  ['a=', [eq('a', '')]],
  ['a=""', [eq('a', '')]],
  ['a=~b{2}', [createMatcher('a', '=~', 'b{2}')]],
  ['a=two words,b=c', [eq('a', 'two words'), eq('b', 'c')]],
];

for (const [text, matchers] of readable) {
  test(`reads ${text || 'nothing'}`, () => assert.deepEqual(parseMatchers(text), { matchers }));
}

const unreadable: readonly [text: string, problem: RegExp][] = [
  ['{a="b"', /closing } is missing/],
  ['a="b', /closing " is missing/],
  ['a', /expected =/],
  ['="b"', /expected a label name/],
  ['a="b" c="d"', /expected a comma before c="d"/],
  ['a="b",,c="d"', /expected a label name/],
  ['a=b"', /needs quotes/],
  ['a=b"c', /needs quotes/],
  ['{a="b"} or {c="d"}', /expected/],
];

for (const [text, problem] of unreadable) {
  test(`names the fault in ${text}`, () => {
    const parsed = parseMatchers(text);
    assert.ok('problem' in parsed, JSON.stringify(parsed));
    assert.match(parsed.problem, problem);
  });
}

test('any formatted matcher can be parsed again', () => {
  const texts = [
    '',
    'x',
    'a b',
    '"',
    '\\',
    '\\d',
    '\\n',
    '\n',
    '{',
    '}',
    ',',
    '=~',
    "'",
    '`',
    'é',
    '😀',
    '\\\\"',
    'a="b"',
  ];
  for (const name of texts.filter((text) => text !== '')) {
    for (const value of texts) {
      for (const operator of OPERATORS) {
        const matchers = [createMatcher(name, operator, value), eq('b', value)];
        assert.deepEqual(parseMatchers(formatMatchers(matchers)), { matchers });
      }
    }
  }
});

test('a name is quoted only if needed', () => {
  assert.equal(formatMatcher(eq('a.b', 'x')), 'a.b="x"');
  assert.equal(formatMatcher(eq('a b', 'x')), '"a b"="x"');
});

test('a bare word matches alerts with the word in their name', () => {
  assert.deepEqual(parseFilterInput(' disk.x '), { matchers: [createMatcher('alertname', '=~', '(?i).*disk\\.x.*')] });
  assert.deepEqual(parseFilterInput('a=b'), { matchers: [eq('a', 'b')] });
  assert.deepEqual(parseFilterInput('  '), { matchers: [] });
  assert.ok('problem' in parseFilterInput('two words'));
});

test('the matchers of labels begin with the name of the alert', () => {
  assert.deepEqual(matchersOfLabels({ b: '2', alertname: 'X', a: '1' }), [
    eq('alertname', 'X'),
    eq('a', '1'),
    eq('b', '2'),
  ]);
});

test('an escaped text matches itself and nothing else', () => {
  const text = 'a.b+c(d)[e]{f}|g^h$i\\j*k?';
  assert.match(text, new RegExp(`^${escapeRegExp(text)}$`));
  assert.doesNotMatch(text.replace('.', '-'), new RegExp(`^${escapeRegExp(text)}$`));
});

const breadth: readonly [text: string, everything: boolean][] = [
  ['{}', false],
  ['a=~".*"', true],
  ['alertname=~".+"', true],
  ['pod=~".+"', false],
  ['a=~"^(.*)$",alertname=~"(?i).+"', true],
  ['alertname!=""', true],
  ['severity!=""', false],
  ['alertname!="Watchdog"', false],
  ['a=~".*",b="c"', false],
  ['a=~".*x"', false],
  ['a!~".*"', false],
  ['a="b"', false],
];

for (const [text, everything] of breadth) {
  test(`${text} ${everything ? 'covers everything' : 'leaves something out'}`, () => {
    const parsed = parseMatchers(text);
    assert.equal('matchers' in parsed && matchesEverything(parsed.matchers), everything);
  });
}
