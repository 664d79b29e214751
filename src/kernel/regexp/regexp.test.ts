import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ANCHORED, ANCHORED_REFUSALS, UNANCHORED, UNANCHORED_REFUSALS } from '../testdata/go-regexp.ts';
import { compileAnchored, compileReplacer, compileUnanchored, MAX_SOURCE, type PatternResult } from './regexp.ts';

function accept(result: PatternResult): (text: string) => boolean {
  assert.ok(result.ok, result.ok ? '' : result.reason);
  return result.pattern.test;
}

const reasonOf = (result: PatternResult | ReturnType<typeof compileReplacer>) =>
  result.ok ? 'accepted' : result.reason;

test('an anchored pattern matches the texts that Go matches, as a whole', () => {
  for (const [source, matching, others] of ANCHORED) {
    const matches = accept(compileAnchored(source));
    for (const text of matching) assert.equal(matches(text), true, `${source} on ${JSON.stringify(text)}`);
    for (const text of others) assert.equal(matches(text), false, `${source} on ${JSON.stringify(text)}`);
  }
});

test('an unanchored pattern matches the same texts as in Go', () => {
  for (const [source, matching, others] of UNANCHORED) {
    const matches = accept(compileUnanchored(source));
    for (const text of matching) assert.equal(matches(text), true, `${source} on ${JSON.stringify(text)}`);
    for (const text of others) assert.equal(matches(text), false, `${source} on ${JSON.stringify(text)}`);
  }
});

test('an anchored pattern that Go refuses is refused in its words, which quote the pattern with its anchors', () => {
  for (const [source, reason] of ANCHORED_REFUSALS) {
    assert.equal(reasonOf(compileAnchored(source)), `error parsing regexp: ${reason}`, source);
  }
});

test('an unanchored pattern that Go refuses is refused in its words', () => {
  for (const [source, reason] of UNANCHORED_REFUSALS) {
    assert.equal(reasonOf(compileUnanchored(source)), `error parsing regexp: ${reason}`, source);
  }
});

test('a pattern keeps the source that it was made of', () => {
  for (const source of ['a|b', 'a[bc]', '(?P<n>a)(?P<n>b)']) {
    const result = compileAnchored(source);
    assert.ok(result.ok);
    assert.equal(result.pattern.source, source);
  }
});

test('equal patterns share one automaton, and no other does', () => {
  const patternOf = (source: string) => {
    const result = compileAnchored(source);
    assert.ok(result.ok);
    return result.pattern;
  };
  const first = patternOf('host[0-9]+\\.(db|web)');
  assert.equal(patternOf('host[0-9]+\\.(db|web)'), first);
  assert.notEqual(patternOf('host[0-9]+\\.(db|app)'), first);
  const unanchored = compileUnanchored('^(?:host[0-9]+\\.(db|web))$');
  assert.ok(unanchored.ok);
  assert.equal(unanchored.pattern.source, '^(?:host[0-9]+\\.(db|web))$');
});

test('patterns of catastrophic backtracking are matched in time', () => {
  const long = 'a'.repeat(50_000);
  const cases: readonly (readonly [source: string, text: string, expected: boolean])[] = [
    ['(a+)+', `${long}!`, false],
    ['(a|a)*b', long, false],
    ['(.*)*x', long, false],
    ['(a*)*(a*)*(a*)*b', long, false],
    ['([a-z]+)*[0-9]', long, false],
    ['(a|aa)+', long, true],
    [`${'a?'.repeat(500)}${'a'.repeat(500)}`, 'a'.repeat(500), true],
    ['(.*?,){11}P', '1,2,3,4,5,6,7,8,9,10,11,12'.repeat(1000), false],
    ['.*(a|b)*a(a|b){13}c?', 'ab'.repeat(10_000), true],
    ['.*(a|b)*a(a|b){14}c?', 'ab'.repeat(10_000), false],
  ];
  for (const [source, text, expected] of cases) assert.equal(accept(compileAnchored(source))(text), expected, source);
});

test('a pattern stays correct when its automaton has more states than its cache', () => {
  const matches = accept(compileAnchored('.*a[ab]{13}'));
  let bits = 1;
  for (let round = 0; round < 3000; round++) {
    bits = (Math.imul(bits, 1664525) + 1013904223) >>> 0;
    const text = bits.toString(2).padStart(32, '0').replaceAll('0', 'a').replaceAll('1', 'b');
    assert.equal(matches(text), text[18] === 'a', text);
  }
});

test('a source of more than 10,000 characters is refused', () => {
  assert.equal(MAX_SOURCE, 10_000);
  assert.equal(accept(compileAnchored('a'.repeat(10_000)))('a'.repeat(10_000)), true);
  const reason = 'regular expression too long: 10001 characters (limit: 10000)';
  assert.equal(reasonOf(compileAnchored('a'.repeat(10_001))), reason);
  assert.equal(reasonOf(compileUnanchored('a'.repeat(10_001))), reason);
});

test('a short source of a huge program is refused', () => {
  for (const source of ['(x{1000}y){1}'.repeat(20), 'x{1000}'.repeat(21), '((ab?){30}){33}[cd]{900}'.repeat(10)]) {
    assert.equal(reasonOf(compileAnchored(source)), `error parsing regexp: expression too large: \`^(?:${source})$\``);
  }
  assert.equal(accept(compileAnchored('[a-z]{1,63}(\\.[a-z]{1,63}){0,8}'))('node.eu.example.com'), true);
});

test('a source that has half of a surrogate pair is refused', () => {
  assert.equal(reasonOf(compileAnchored('a\ud83d')), 'error parsing regexp: invalid UTF-8: `a\ud83d`');
  assert.equal(reasonOf(compileUnanchored('\ude00[a]')), 'error parsing regexp: invalid UTF-8: `\ude00[a]`');
});

test('every match is replaced by the same words, or the whole text when a search would take too long', () => {
  const compiled = compileReplacer('(a+)+b');
  assert.ok(compiled.ok);
  const { replace } = compiled.replacer;
  assert.equal(replace('xaab ab', '$1', { chars: 100 }), 'x$1 $1');
  const long = 'a'.repeat(50_000);
  assert.equal(replace(long, '', { chars: 100 }), long);
  assert.equal(replace('ab ab ab', '-', { chars: 12 }), '-');
  assert.equal(replace('x', '-', { chars: 0 }), 'x');
  assert.equal(reasonOf(compileReplacer('(')), reasonOf(compileUnanchored('(')));
  assert.equal(compileReplacer('x{1000}'.repeat(21)).ok, false);
});

test('deep and long sources are answered with a value, never with an exception', () => {
  const sources = ['(', '[', '\\', '(?:', '(?P<n>', '{', '[[:', '\\Q', 'a*', '()', '(?i)', '|', '^', '\\pL', 'é'];
  for (const piece of sources) {
    for (const compile of [compileAnchored, compileUnanchored]) {
      const source = piece.repeat(Math.floor(MAX_SOURCE / piece.length));
      assert.equal(typeof compile(source).ok, 'boolean', piece);
    }
  }
});
