import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Alert, Silence, SilenceState } from '../../../src/alerts/contract/wire.ts';
import { createMatcher } from '../parts/matcher-text.ts';
import { countSilenced, silenceHasWords, splitSilences } from './list.ts';

function silence(id: string, state: SilenceState): Silence {
  return {
    id,
    matchers: [createMatcher('alertname', '=', 'DiskFull')],
    startsAt: '',
    endsAt: '',
    updatedAt: '',
    createdBy: 'Mira Holt',
    comment: 'disk swap\nOPS-12',
    status: { state },
  };
}

test('silences are split by state in the order of the server', () => {
  const split = splitSilences([
    silence('a', 'active'),
    silence('b', 'expired'),
    silence('c', 'active'),
    silence('d', 'pending'),
  ]);
  assert.deepEqual(
    split.active.map(({ id }) => id),
    ['a', 'c'],
  );
  assert.deepEqual(
    split.pending.map(({ id }) => id),
    ['d'],
  );
  assert.deepEqual(
    split.expired.map(({ id }) => id),
    ['b'],
  );
});

const searches: readonly [words: string, found: boolean][] = [
  ['', true],
  ['ops-12', true],
  ['MIRA  swap', true],
  ['alertname="disk', true],
  ['abc-1', true],
  ['mira jonas', false],
];

for (const [words, found] of searches) {
  test(`the words "${words}" ${found ? 'find' : 'do not find'} the silence`, () => {
    assert.equal(silenceHasWords(silence('abc-1', 'active'), words), found);
  });
}

test('an alert counts for each silence that holds it', () => {
  const alert = (...silencedBy: string[]) => ({ status: { silencedBy } }) as unknown as Alert;
  assert.deepEqual(
    [...countSilenced([alert('a'), alert(), alert('a', 'b')])],
    [
      ['a', 2],
      ['b', 1],
    ],
  );
});
