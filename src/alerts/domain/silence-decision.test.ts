import assert from 'node:assert/strict';
import { test } from 'node:test';
import { matcherOf, SECOND, START, silenceOf } from '../testing/parts.ts';
import type { Matcher } from './matcher/matcher.ts';
import { canUpdate, decideSilence, type PostedSilence, type Silence } from './silence.ts';

const NOW = START;
const NEW_ID = '99999999-9999-4999-8999-999999999999';
const KNOWN_ID = '11111111-1111-4111-8111-111111111111';
const MATCHERS = [matcherOf('a', '=', 'b'), matcherOf('c', '=~', 'd')];

/** Seconds relative to now. */
const at = (seconds: number) => NOW + seconds * SECOND;

function known(start: number, end: number): Silence {
  return silenceOf({ matchers: MATCHERS, startsAt: at(start), endsAt: at(end), updatedAt: at(-99) });
}

function posted(start: number | undefined, end: number): PostedSilence & { readonly endsAt: number } {
  return {
    id: KNOWN_ID,
    matchers: [],
    startsAt: start === undefined ? undefined : at(start),
    endsAt: at(end),
    createdBy: 'bob',
    comment: 'changed',
    annotations: { ticket: '7' },
  };
}

interface Case {
  readonly what: string;
  /** Start and end of the known silence, in seconds relative to now; absent for a new one. */
  readonly known?: readonly [number, number];
  readonly posted: readonly [number | undefined, number];
  readonly matchers?: readonly Matcher[];
  /** Whether the id stays, and the span that comes out of it. */
  readonly becomes: 'same id' | 'new id';
  readonly span: readonly [number, number];
  /** What the known silence turns into, where it does not stay as it is. */
  readonly replaced?: readonly [number, number];
}

const CASES: readonly Case[] = [
  { what: 'a new one', posted: [10, 20], becomes: 'new id', span: [10, 20] },
  { what: 'a new one without a start', posted: [undefined, 20], becomes: 'new id', span: [0, 20] },
  { what: 'a new one that started in the past', posted: [-10, 20], becomes: 'new id', span: [0, 20] },
  { what: 'an active one, unchanged', known: [-10, 20], posted: [-10, 20], becomes: 'same id', span: [-10, 20] },
  { what: 'an active one, longer', known: [-10, 20], posted: [-10, 99], becomes: 'same id', span: [-10, 99] },
  { what: 'an active one, shorter', known: [-10, 20], posted: [-10, 5], becomes: 'same id', span: [-10, 5] },
  { what: 'an active one, to end now', known: [-10, 20], posted: [-10, 0], becomes: 'same id', span: [-10, 0] },
  {
    what: 'an active one with its start moved within its second',
    known: [-10, 20],
    posted: [-9.001, 20],
    becomes: 'same id',
    span: [-9.001, 20],
  },
  {
    what: 'an active one with its start moved by a second',
    known: [-10, 20],
    posted: [-9, 20],
    becomes: 'new id',
    span: [0, 20],
    replaced: [-10, 0],
  },
  {
    what: 'an active one without a start',
    known: [-10, 20],
    posted: [undefined, 20],
    becomes: 'new id',
    span: [0, 20],
    replaced: [-10, 0],
  },
  {
    what: 'an active one, moved into the future',
    known: [-10, 20],
    posted: [10, 30],
    becomes: 'new id',
    span: [10, 30],
    replaced: [-10, 0],
  },
  { what: 'one that began within this second', known: [0, 20], posted: [0, 30], becomes: 'same id', span: [0, 30] },
  {
    what: 'one that began within this second, without a start',
    known: [0, 20],
    posted: [undefined, 30],
    becomes: 'same id',
    span: [0, 30],
  },
  { what: 'a pending one, later', known: [10, 20], posted: [30, 40], becomes: 'same id', span: [30, 40] },
  { what: 'a pending one, to begin now', known: [10, 20], posted: [0, 20], becomes: 'same id', span: [0, 20] },
  {
    what: 'a pending one without a start',
    known: [10, 20],
    posted: [undefined, 20],
    becomes: 'same id',
    span: [0, 20],
  },
  {
    what: 'a pending one, to begin in the past',
    known: [10, 20],
    posted: [-1, 20],
    becomes: 'new id',
    span: [0, 20],
    replaced: [0, 0],
  },
  { what: 'an expired one', known: [-20, -10], posted: [-20, 20], becomes: 'new id', span: [0, 20] },
  { what: 'one that expired at this instant', known: [-20, 0], posted: [-20, 20], becomes: 'new id', span: [0, 20] },
  {
    what: 'other matchers',
    known: [-10, 20],
    posted: [-10, 20],
    matchers: [matcherOf('a', '=', 'x'), matcherOf('c', '=~', 'd')],
    becomes: 'new id',
    span: [0, 20],
    replaced: [-10, 0],
  },
  {
    what: 'the same matchers in another order',
    known: [10, 20],
    posted: [10, 20],
    matchers: [...MATCHERS].reverse(),
    becomes: 'new id',
    span: [10, 20],
    replaced: [0, 0],
  },
  {
    what: 'a matcher of the same text and another kind',
    known: [-10, 20],
    posted: [-10, 20],
    matchers: [matcherOf('a', '=~', 'b'), matcherOf('c', '=~', 'd')],
    becomes: 'new id',
    span: [0, 20],
    replaced: [-10, 0],
  },
  {
    what: 'one matcher fewer',
    known: [-10, 20],
    posted: [-10, 20],
    matchers: MATCHERS.slice(0, 1),
    becomes: 'new id',
    span: [0, 20],
    replaced: [-10, 0],
  },
  {
    what: 'one matcher more',
    known: [-10, 20],
    posted: [-10, 20],
    matchers: [...MATCHERS, matcherOf('e', '=', 'f')],
    becomes: 'new id',
    span: [0, 20],
    replaced: [-10, 0],
  },
  {
    what: 'other matchers on an expired one',
    known: [-20, -10],
    posted: [-20, 20],
    matchers: MATCHERS.slice(0, 1),
    becomes: 'new id',
    span: [0, 20],
  },
];

for (const { what, known: knownSpan, posted: postedSpan, matchers = MATCHERS, becomes, span, replaced } of CASES) {
  test(`posting a silence, ${what}: ${becomes}`, () => {
    const before = knownSpan && known(...knownSpan);
    const decision = decideSilence(posted(...postedSpan), matchers, before, NOW, NEW_ID);
    assert.deepEqual(decision, {
      silence: {
        id: becomes === 'same id' ? KNOWN_ID : NEW_ID,
        matchers,
        startsAt: at(span[0]),
        endsAt: at(span[1]),
        updatedAt: NOW,
        createdBy: 'bob',
        comment: 'changed',
        annotations: { ticket: '7' },
      },
      replaced: before && replaced && { ...before, startsAt: at(replaced[0]), endsAt: at(replaced[1]), updatedAt: NOW },
    });
  });
}

test('an active silence cannot be updated to an end that is past', () => {
  assert.equal(canUpdate(known(-10, 20), MATCHERS, at(-10), NOW - 1, NOW), false);
  assert.equal(canUpdate(known(-10, 20), MATCHERS, at(-10), NOW, NOW), true);
});
