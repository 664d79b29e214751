import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assertLinear } from '../../testing/linear-time.ts';
import type { Json } from './json.ts';
import { compileOperator } from './operator.ts';

/** [operator, its values, what matches, what does not]. */
const CASES: readonly (readonly [string, readonly Json[], readonly Json[], readonly Json[]])[] = [
  ['in', ['a', 1, true], ['a', 1, true, 1.0], ['A', '1', 'true', 0, false, null, [], {}, ['a']]],
  ['in', [null, [], {}, ['a']], [], [null, [], {}, 'a', false, 0, '']],
  ['in', [0], [0, -0], [false, '', '0', null]],
  ['in', [], [], ['', 0, false]],
  ['startsWith', ['ab', 'x', 1], ['ab', 'abc', 'x'], ['a', 'cab', 1, 10, null, true]],
  ['startsWith', [''], ['', 'a'], [1, null]],
  ['endsWith', ['yz'], ['yz', 'xyz'], ['z', 'yza', 5]],
  ['contains', ['b', '😀'], ['abc', 'b', 'x😀y'], ['ac', '', 1, ['b']]],
  ['matches', ['^a.c$', '[0-9]{2}'], ['abc', 'x12y'], ['abcd', 'x1', 12, null]],
  ['matches', ['(?i)ABC', '\\Ax\\z'], ['xabcx', 'x'], ['xx', 'ab']],
  ['matches', ['(', 'a(?=b)', '(a)\\1', 'b'], ['b', 'ab'], ['a', 'aa', '(']],
  ['matches', [1, null], [], ['1', 'null']],
  ['lessThan', [1, 5, '9'], [4.9, 0, -1e300], [5, 6, '4', null, true]],
  ['lessThanOrEqual', [5], [5, 4], [5.1, '5']],
  ['greaterThan', [1, 5], [1.1, 5, 6], [1, 0, '6']],
  ['greaterThanOrEqual', [1, 5], [1, 6], [0.9, '1']],
  ['greaterThan', ['1'], [], [2, '2']],
  [
    'before',
    ['2020-01-01T00:00:00Z', 0],
    ['2019-12-31T23:59:59Z', -1, 1577836799999],
    [1577836800000, '2020-01-01', true, null],
  ],
  ['after', [1577836800000, 'never'], ['2020-01-01T00:00:00.000000001Z', 1577836800001], [1577836800000.9, '', [], {}]],
  ['after', ['0001-01-01T00:00:00Z'], [], ['2020-01-01T00:00:00Z']],
  ['before', ['2020-01-01T00:00:00Z'], ['0001-01-01T00:00:00Z'], []],
  ['semVerEqual', ['2.0', 'x'], ['2', '2.0.0', '2.0.0+b'], ['2.0.1', 'x', 2, null]],
  ['semVerLessThan', ['1.0', '2.0'], ['1.9.9', '2.0.0-rc.1'], ['2.0.0', '3', 1]],
  ['semVerGreaterThan', ['1.0', '2.0'], ['1.0.1', '2.0.0-rc.1'], ['1.0.0', '1.0.0-rc', 3]],
  ['nearly', ['a'], [], ['a']],
  ['', ['a'], [], ['a']],
  ['constructor', ['a'], [], ['a']],
];

test('an operator matches exactly its matching values', () => {
  for (const [operator, values, matching, others] of CASES) {
    const matches = compileOperator(operator, values);
    const where = (value: Json) => `${JSON.stringify(value)} ${operator} ${JSON.stringify(values)}`;
    for (const value of matching) assert.equal(matches(value), true, where(value));
    for (const value of others) assert.equal(matches(value), false, where(value));
  }
});

test('a pattern of catastrophic backtracking takes linear time', () => {
  const matches = compileOperator('matches', ['(a+)+$', '(a|a)*b', '(.*)*x']);
  assertLinear(
    'matches',
    (length) => `${'a'.repeat(length)}!`,
    (text) => assert.equal(matches(text), false),
  );
});
