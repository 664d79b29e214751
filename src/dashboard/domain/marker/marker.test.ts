import assert from 'node:assert/strict';
import { test } from 'node:test';
import { marker } from '../testdata/usage.ts';
import { appliesTo, countOverlaps, resolveMarkers } from './marker.ts';

const hour = (number: number) => `2026-06-01T${`${number}`.padStart(2, '0')}:00:00.000Z`;

function spans(...markers: Parameters<typeof resolveMarkers>[0]) {
  return resolveMarkers(markers).map(({ marker: { id }, from, to, isOpen }) => [
    id,
    new Date(from).getUTCHours(),
    Number.isFinite(to) ? new Date(to).getUTCHours() : to,
    isOpen,
  ]);
}

test('marker field end: null runs to the next marker of the same user, or without end', () => {
  const open = (id: string, at: number, user: string) => marker(id, hour(at), null, { user });
  assert.deepEqual(spans(open('d', 12, 'slope'), open('a', 8, 'info'), open('b', 9, 'slope'), open('c', 10, 'info')), [
    ['a', 8, 10, true],
    ['b', 9, 12, true],
    ['c', 10, Infinity, true],
    ['d', 12, Infinity, true],
  ]);
  assert.deepEqual(spans(open('a', 8, 'info'), open('b', 9, 'all'), open('c', 10, 'slope')), [
    ['a', 8, 9, true],
    ['b', 9, 10, true],
    ['c', 10, Infinity, true],
  ]);
  assert.deepEqual(spans(open('a', 8, 'all'), open('b', 8, 'all'), marker('c', hour(9), hour(10), { user: 'info' })), [
    ['a', 8, 9, true],
    ['b', 8, 9, true],
    ['c', 9, 10, false],
  ]);
});

test('markers that end before they begin, or begin at no time, have no interval', () => {
  const broken = [marker('a', hour(9), hour(9)), marker('b', hour(9), hour(8)), marker('c', 'soon', null)];
  assert.deepEqual(spans(...broken, marker('d', hour(9), 'later')), []);
});

test('a marker applies to its user’s events, and one for all to every user’s', () => {
  const ofInfo = marker('a', hour(1), null, { user: 'info' });
  const ofAll = marker('b', hour(1), null);
  assert.deepEqual(
    ['info', 'slope', 'all'].map((user) => appliesTo(ofInfo, user)),
    [true, false, true],
  );
  assert.deepEqual(
    ['info', 'slope', 'all'].map((user) => appliesTo(ofAll, user)),
    [true, true, true],
  );
});

test('overlaps are counted among markers that share a user', () => {
  const markers = resolveMarkers([
    marker('a', hour(8), hour(12), { user: 'info' }),
    marker('b', hour(9), hour(10), { user: 'slope' }),
    marker('c', hour(11), hour(13)),
    marker('d', hour(12), hour(14), { user: 'info' }),
  ]);
  assert.deepEqual(countOverlaps(markers), [1, 0, 2, 1]);
});
