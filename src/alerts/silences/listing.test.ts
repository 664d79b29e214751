import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Matcher } from '../domain/matcher/matcher.ts';
import type { Silence } from '../domain/silence.ts';
import { MINUTE, matcherOf, START, silenceOf } from '../testing/parts.ts';
import { SilenceListing } from './listing.ts';

const ALL = { active: true, pending: true, expired: true };

/** Id and state of the listed silences. */
function list(listing: SilenceListing, now: number, filter: readonly Matcher[] = [], states = ALL): readonly string[] {
  return listing.select(filter, states, now).map((json) => {
    const { id, status } = JSON.parse(json) as { id: string; status: { state: string } };
    return `${id} ${status.state}`;
  });
}

const span = (id: string, start: number, end: number) =>
  silenceOf({ id, startsAt: START + start * MINUTE, endsAt: START + end * MINUTE });

test('the order and the states follow the time, without a report of a change', () => {
  const silences = [span('a', 0, 4), span('b', 1, 3), span('c', 2, 9), span('d', -2, -1)];
  const listing = new SilenceListing(() => silences);
  const at = (minutes: number) => list(listing, START + minutes * MINUTE);
  assert.deepEqual(at(0), ['a active', 'b pending', 'c pending', 'd expired']);
  assert.deepEqual(at(0.999), ['a active', 'b pending', 'c pending', 'd expired']);
  assert.deepEqual(at(1), ['b active', 'a active', 'c pending', 'd expired']);
  assert.deepEqual(at(2), ['b active', 'a active', 'c active', 'd expired']);
  assert.deepEqual(at(3), ['a active', 'c active', 'b expired', 'd expired']);
  assert.deepEqual(at(4), ['c active', 'a expired', 'b expired', 'd expired']);
  assert.deepEqual(at(99), ['c expired', 'a expired', 'b expired', 'd expired']);
});

test('a change is listed once it is reported to the listing', () => {
  const silences = new Map<string, Silence>([['a', span('a', 0, 4)]]);
  const listing = new SilenceListing(() => silences.values());
  assert.deepEqual(list(listing, START), ['a active']);
  silences.set('b', span('b', 0, 2));
  silences.set('a', { ...span('a', 0, 4), comment: 'changed' });
  listing.invalidate();
  assert.deepEqual(list(listing, START), ['b active', 'a active']);
  assert.match(listing.select([], ALL, START)[1] ?? '', /"comment":"changed"/);
  silences.clear();
  listing.invalidate();
  assert.deepEqual(list(listing, START), []);
});

test('unchanged silences are not printed anew', () => {
  const silences = [span('a', 0, 4), span('b', 1, 3)];
  const listing = new SilenceListing(() => silences);
  const [before] = listing.select([], ALL, START);
  silences.push(span('c', 0, 1));
  listing.invalidate();
  assert.ok(listing.select([], ALL, START).some((json) => json === before));
});

test('selections are counted, and the silences that they look at', () => {
  const silences = [span('a', 0, 4), span('b', 1, 3), span('c', -2, -1)];
  const listing = new SilenceListing(() => silences);
  list(listing, START);
  list(listing, START, [matcherOf('a', '=', 'no such')]);
  assert.deepEqual([listing.queries.count, listing.scanned], [2, 6]);
  assert.ok(listing.queries.sum > 0);
});

test('each state can be left out', () => {
  const listing = new SilenceListing(() => [span('a', -1, 1), span('p', 1, 2), span('e', -2, -1)]);
  const without = (states: Partial<typeof ALL>) => list(listing, START, [], { ...ALL, ...states });
  assert.deepEqual(without({ active: false }), ['p pending', 'e expired']);
  assert.deepEqual(without({ pending: false }), ['a active', 'e expired']);
  assert.deepEqual(without({ expired: false }), ['a active', 'p pending']);
  assert.deepEqual(without({ active: false, pending: false, expired: false }), []);
});

test('a filter compares the matchers of a silence as written, not their matches', () => {
  const exact = silenceOf({ id: 'exact', matchers: [matcherOf('a', '=', 'b'), matcherOf('c', '!=', 'd')] });
  const regex = silenceOf({ id: 'regex', endsAt: START + 2, matchers: [matcherOf('a', '=~', 'b')] });
  const listing = new SilenceListing(() => [exact, regex]);
  const cases: readonly (readonly [filter: readonly Matcher[], ids: readonly string[]])[] = [
    [[], ['regex', 'exact']],
    [[matcherOf('a', '=', 'b')], ['exact']],
    [[matcherOf('a', '=~', 'b')], ['regex']],
    [[matcherOf('c', '!=', 'd')], ['exact']],
    [[matcherOf('c', '!=', 'd'), matcherOf('a', '=', 'b')], ['exact']],
    [[matcherOf('a', '=', 'b'), matcherOf('a', '=~', 'b')], []],
    [[matcherOf('a', '!=', 'x')], []],
    [[matcherOf('a', '=~', '.*')], []],
    [[matcherOf('z', '=', '')], []],
  ];
  for (const [filter, ids] of cases) {
    const expected = ids.map((id) => `${id} active`);
    assert.deepEqual(list(listing, START, filter), expected);
  }
});
