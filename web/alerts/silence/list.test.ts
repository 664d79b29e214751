import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Alert, Silence, SilenceState } from '../../../src/alerts/contract/wire.ts';
import { createMatcher } from '../parts/matcher-text.ts';
import { countSilenced, nextOrder, silenceHasWords, sortSilences, splitSilences } from './list.ts';

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

test('silences are sorted by a column, an acknowledgement by its limit; equal ones keep their order', () => {
  const ending = (id: string, endsAt: string, annotations = {}) => ({ ...silence(id, 'active'), endsAt, annotations });
  const silences = [
    ending('a', '2026-01-01T14:00:00Z'),
    ending('b', '2026-01-01T12:15:00Z', { acknowledged_until: '2026-01-02T12:00:00Z' }),
    ending('c', '2026-01-01T13:00:00Z'),
  ];
  const affected = new Map([
    ['a', 10],
    ['c', 9],
  ]);
  const sorted = (order: Parameters<typeof sortSilences>[1]) =>
    sortSilences(silences, order, affected)
      .map(({ id }) => id)
      .join('');
  assert.equal(sorted(undefined), 'abc');
  assert.equal(sorted({ column: 'ends', isDescending: false }), 'cab');
  assert.equal(sorted({ column: 'ends', isDescending: true }), 'bac');
  assert.equal(sorted({ column: 'alerts', isDescending: false }), 'bca');
  assert.equal(sorted({ column: 'creator', isDescending: true }), 'abc');
});

test('a column sorts ascending, descending, then not at all', () => {
  const first = nextOrder(undefined, 'ends');
  const second = nextOrder(first, 'ends');
  assert.deepEqual([first?.isDescending, second?.isDescending, nextOrder(second, 'ends')], [false, true, undefined]);
  assert.deepEqual(nextOrder(second, 'starts'), { column: 'starts', isDescending: false });
});
