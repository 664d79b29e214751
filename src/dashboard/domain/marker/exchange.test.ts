import assert from 'node:assert/strict';
import { test } from 'node:test';
import { marker, NOW } from '../testdata/usage.ts';
import { mergeMarkers, printMarkerStore, readMarkers, syncedOf, syncMarkers } from './exchange.ts';

const START = '2026-06-01T10:00:00.000Z';
const END = '2026-06-01T11:00:00.000Z';
const OLD = '2026-06-02T00:00:00.000Z';
const NEW = '2026-06-03T00:00:00.000Z';
const version = (id: string, updatedAt: string, note = '') => marker(id, START, END, { updatedAt, note });

test('rule A.10: a store document and a bare array are read alike, other documents are refused', () => {
  const known = version('a', OLD);
  for (const value of [[known], { version: 1, markers: [known] }, { markers: [known] }]) {
    assert.deepEqual(readMarkers(value, NOW), { markers: [known], skipped: [] });
  }
  for (const value of [null, 1, 'x', {}, { version: 2, markers: [] }, { version: 1, markers: {} }]) {
    assert.equal(readMarkers(value, NOW), undefined, JSON.stringify(value));
  }
});

test('invalid markers are skipped and reported; missing texts and times are filled in', () => {
  const least = { id: 'a', user: 'info', start: START };
  const read = readMarkers(
    [
      least,
      null,
      { ...least, id: '' },
      { ...least, user: 1 },
      { ...least, start: 'soon' },
      { ...least, end: 5 },
      { ...least, end: START },
      least,
    ],
    NOW,
  );
  const now = new Date(NOW).toISOString();
  assert.deepEqual(read?.markers, [
    { id: 'a', user: 'info', start: START, end: null, project: '', task: '', note: '', createdAt: now, updatedAt: now },
  ]);
  assert.deepEqual(
    read?.skipped.map(({ index, reason }) => [index, reason]),
    [
      [1, 'not-an-object'],
      [2, 'no-id'],
      [3, 'no-user'],
      [4, 'start'],
      [5, 'end'],
      [6, 'end-before-start'],
      [7, 'duplicate-id'],
    ],
  );
});

test('unknown fields stay', () => {
  const read = readMarkers([{ ...version('a', OLD), colour: 'red' }], NOW);
  assert.deepEqual(read?.markers[0], { ...version('a', OLD), colour: 'red' });
});

test('rule A.10: an import adds and updates by the newer updatedAt, and never deletes', () => {
  const own = [version('kept', OLD), version('old', OLD), version('new', NEW)];
  const merge = mergeMarkers(own, [
    version('old', NEW, 'x'),
    version('new', OLD, 'x'),
    version('added', OLD),
    version('kept', OLD, 'x'),
  ]);
  assert.deepEqual(merge.markers, [
    version('kept', OLD),
    version('old', NEW, 'x'),
    version('new', NEW),
    version('added', OLD),
  ]);
  assert.deepEqual([merge.added, merge.updated, merge.unchanged], [1, 1, 2]);
});

test('marker field id: on sync the newer updatedAt wins, and the server a tie', () => {
  const local = [version('tie', OLD, 'local'), version('mine', NEW, 'local'), version('theirs', OLD, 'local')];
  const server = [version('tie', OLD, 'server'), version('mine', OLD, 'server'), version('theirs', NEW, 'server')];
  const { markers, mustPut, synced } = syncMarkers(local, server, {});
  assert.deepEqual(
    markers.map(({ id, note }) => [id, note]),
    [
      ['tie', 'server'],
      ['mine', 'local'],
      ['theirs', 'server'],
    ],
  );
  assert.equal(mustPut, true);
  assert.deepEqual(synced, { tie: OLD, mine: NEW, theirs: NEW });
});

test('a sync restores no deleted marker: a deletion on one side since the last sync stays', () => {
  const both = [version('a', OLD), version('b', OLD)];
  const synced = syncedOf(both);
  const [a, b] = both as [(typeof both)[0], (typeof both)[0]];
  assert.deepEqual(syncMarkers(both, [a], synced), { markers: [a], synced: { a: OLD }, mustPut: false });
  assert.deepEqual(syncMarkers([b], both, synced), { markers: [b], synced: { b: OLD }, mustPut: true });
  const edited = version('a', NEW, 'edited since');
  assert.deepEqual(syncMarkers([edited, b], [b], synced).markers, [b, edited]);
  assert.deepEqual(syncMarkers([b], [edited, b], synced).markers, [edited, b]);
  const fresh = version('c', OLD);
  assert.deepEqual(syncMarkers([...both, fresh], both, synced).markers, [...both, fresh]);
  assert.deepEqual(syncMarkers(both, both, synced), { markers: both, synced, mustPut: false });
});

test('property: a second sync changes nothing', () => {
  const local = [version('a', NEW), version('b', OLD), version('d', OLD)];
  const server = [version('b', NEW), version('c', OLD)];
  const first = syncMarkers(local, server, { d: OLD });
  const second = syncMarkers(first.markers, first.markers, first.synced);
  assert.deepEqual(second, { ...first, mustPut: false });
});

test('a store is written by start, indented, and reads back the same', () => {
  const later = marker('a', '2026-06-05T00:00:00.000Z', null);
  const text = printMarkerStore([later, version('b', OLD)]);
  assert.deepEqual(
    JSON.parse(text).markers.map(({ id }: { id: string }) => id),
    ['b', 'a'],
  );
  assert.ok(text.startsWith('{\n  "version": 1,\n') && text.endsWith('}\n'));
  assert.deepEqual(readMarkers(JSON.parse(text), NOW)?.markers, [version('b', OLD), later]);
});
