import assert from 'node:assert/strict';
import { test } from 'node:test';
import { matcherOf } from '../testing/parts.ts';
import type { MatchOperator } from './matcher/matcher.ts';
import { receiverMatches } from './receiver.ts';

test('every matcher must match the labels of a receiver, including its name', () => {
  const cases: readonly (readonly [readonly (readonly [string, MatchOperator, string])[], boolean])[] = [
    [[], true],
    [[['name', '=', 'team-a']], true],
    [[['name', '=', 'team']], false],
    [[['name', '=~', 'team-.*']], true],
    [[['name', '!=', 'team-a']], false],
    [[['name', '!~', 'team-b']], true],
    [[['tier', '=', 'gold']], true],
    [[['tier', '=', 'tin']], false],
    [[['toString', '!=', '']], false],
    [[['owner', '=', 'x']], false],
    [[['owner', '!=', 'x']], true],
    [[['owner', '=', '']], true],
    [[['owner', '!=', '']], false],
    [[['name', '!=', '']], true],
    [
      [
        ['name', '=~', 'team.*'],
        ['name', '!=', 'team-a'],
      ],
      false,
    ],
  ];
  for (const [matchers, expected] of cases) {
    const made = matchers.map((matcher) => matcherOf(...matcher));
    assert.equal(receiverMatches({ name: 'team-a', tier: 'gold' }, made), expected, JSON.stringify(matchers));
  }
});
