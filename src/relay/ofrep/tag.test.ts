import assert from 'node:assert/strict';
import { test } from 'node:test';
import { OfrepTag } from './tag.ts';

const body = Buffer.from('{"context":{"targetingKey":"a"}}');
const tag = (revision: string, caller: readonly string[] = ['s', 'server'], inputs: Buffer = body) =>
  new OfrepTag({ caller, body: inputs }, revision);

test('an entity tag matches the same data', () => {
  const header = tag('1').of('flags');
  assert.equal(`"${tag('1').matchData(header)}"`, header);
  assert.equal(tag('2').matchData(header), undefined);
});

test('an entity tag matches its own answer, for any data', () => {
  const header = tag('1').of('flags');
  assert.equal(tag('2').matchesAnswer(header, 'flags'), true);
  assert.equal(tag('2').matchesAnswer(header, 'other flags'), false);
});

const others: readonly [what: string, other: OfrepTag][] = [
  ['another context', tag('1', ['s', 'server'], Buffer.from('{}'))],
  ['another sdkKind', tag('1', ['s', 'client'])],
  ['another environment', tag('1', ['t', 'server'])],
];
for (const [what, other] of others) {
  test(`${what}: the tag does not match`, () => {
    const header = tag('1').of('flags');
    assert.equal(other.matchData(header), undefined);
    assert.equal(other.matchesAnswer(header, 'flags'), false);
  });
}

test('a header without a tag of ours matches nothing, and * any answer', () => {
  for (const header of [undefined, '', '""', ',', 'W/""', '"."', '"x.y"', 'W/']) {
    assert.equal(tag('1').matchData(header), undefined);
    assert.equal(tag('1').matchesAnswer(header, 'flags'), false);
  }
  assert.equal(tag('1').matchesAnswer('*', 'flags'), true);
});
