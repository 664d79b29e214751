import assert from 'node:assert/strict';
import { test } from 'node:test';
import { matchesAnything, printMatcher, readMatcher } from './matcher.ts';

test('printing and reading a matcher are inverse', () => {
  const texts = ['a="b"', 'a!="b"', 'a=~"x|y"', 'a!~"x\\"y\\\\z\\n"', '"a b"="c"', 'a=""'];
  for (const text of texts) {
    const matcher = readMatcher(text);
    assert.ok(matcher.ok, text);
    assert.equal(printMatcher(matcher.value), text);
  }
});

const ANYTHING: readonly (readonly [string, boolean])[] = [
  ['a=~".*"', true],
  ['a=~".+"', true],
  ['a=~"^(.*)$"', true],
  ['a=""', true],
  ['a!="b"', true],
  ['a!=""', true],
  ['a!~"b"', true],
  ['a=~"(?s:.*)"', true],
  ['a=~"[^~]*"', true],
  ['a=~"x|.*"', true],
  ['a=~""', true],
  ['a=~"web.*|db.*"', false],
  ['a=~"[a-z]+-[0-9]+"', false],
  ['a=~"("', false],
  ['a="b"', false],
  ['a=~"web.*"', false],
];
for (const [text, expected] of ANYTHING) {
  test(`the matcher ${text} ${expected ? 'excludes hardly any alert' : 'chooses'}`, () => {
    const matcher = readMatcher(text);
    assert.ok(matcher.ok);
    assert.equal(matchesAnything(matcher.value), expected);
  });
}
