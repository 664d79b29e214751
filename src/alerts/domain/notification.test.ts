import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import { GROUP_HASH, notificationOf, notifiedAlert, resolvedAlert } from '../testing/notifier-parts.ts';
import { commonPairs, groupHash, notificationStatus, type Pairs } from './notification.ts';

test('a notification fires as long as any of its alerts does', () => {
  const [firing, resolved] = [notifiedAlert({ a: '1' }), resolvedAlert({ a: '2' })];
  assert.equal(notificationStatus([resolved, firing]), 'firing');
  assert.equal(notificationStatus([resolved, resolved]), 'resolved');
});

test('common labels and annotations are the pairs of every alert with the same value', () => {
  const cases: readonly (readonly [readonly Pairs[], Pairs])[] = [
    [[], {}],
    [[{ b: '1', a: '2' }], { b: '1', a: '2' }],
    [
      [
        { a: '1', b: '2' },
        { a: '1', b: '3' },
      ],
      { a: '1' },
    ],
    [[{ a: '1' }, {}], {}],
    [[{ a: '1', b: '2' }, { b: '2', c: '3' }, { b: '2' }], { b: '2' }],
    // Not what every object of JavaScript has.
    [[{ constructor: 'x', toString: 'y' }, { constructor: 'x' }], { constructor: 'x' }],
  ];
  for (const [all, expected] of cases) assert.deepEqual(commonPairs(all), expected);
});

test('the hash of a group is the sha256 of its key', () => {
  assert.equal(groupHash(notificationOf([])), GROUP_HASH);
  assert.equal(
    groupHash(notificationOf([], { groupKey: '{}:{a="é"}' })),
    createHash('sha256').update(Buffer.from('{}:{a="é"}')).digest('hex'),
  );
});
