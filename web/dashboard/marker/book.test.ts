import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ProjectMarker } from '../../../src/dashboard/domain/marker/marker.ts';
import { FakeClock } from '../../../src/testing/fake-clock.ts';
import type { PutOutcome } from '../data/server-api.ts';
import { LEGACY_KEY, MARKERS_KEY, MarkerBook } from './book.ts';

const FIELDS = {
  user: 'info',
  start: '2026-06-12T08:00:00.000Z',
  end: '2026-06-12T09:00:00.000Z',
  project: 'web-shop',
  task: '',
  note: '',
};

/** A server that keeps markers, with a tag that changes with every write. */
class FakeServer {
  markers: readonly ProjectMarker[] = [];
  #version = 0;
  isDown = false;
  puts = 0;

  get etag(): string {
    return `"${this.#version}"`;
  }

  fetch = async () => {
    if (this.isDown) throw new Error('away');
    return { store: { version: 1, markers: this.markers }, etag: this.etag };
  };

  put = async (store: { readonly markers: readonly ProjectMarker[] }, etag: string | null): Promise<PutOutcome> => {
    if (this.isDown) return { status: 'failed', reason: 'away' };
    this.puts += 1;
    const status = etag === null || etag === this.etag ? 'stored' : 'conflict';
    if (status === 'stored') {
      this.markers = store.markers;
      this.#version += 1;
    }
    return { status, store: { version: 1, markers: this.markers }, etag: this.etag };
  };
}

function browser(server: FakeServer, clock: FakeClock, values: Readonly<Record<string, string>> = {}) {
  const stored = new Map(Object.entries(values));
  const failures: (string | undefined)[] = [];
  let ids = 0;
  const name = Math.floor(clock.now());
  const book = new MarkerBook({
    server,
    clock,
    storage: { getItem: (key) => stored.get(key) ?? null, setItem: (key, value) => void stored.set(key, value) },
    newId: () => {
      ids += 1;
      return `m-${name}-${ids}`;
    },
    onChange: () => {},
    onSyncFailure: (reason) => failures.push(reason),
  });
  return { book, stored, failures };
}

const projects = (markers: readonly ProjectMarker[]) => markers.map(({ project }) => project).sort();

test('the legacy key is taken over once, as a store or a bare array, and stays untouched', () => {
  const marker = { id: 'old', createdAt: FIELDS.start, updatedAt: FIELDS.start, ...FIELDS };
  for (const legacy of [JSON.stringify([marker]), JSON.stringify({ version: 1, markers: [marker] })]) {
    const { book, stored } = browser(new FakeServer(), new FakeClock(), { [LEGACY_KEY]: legacy });
    assert.deepEqual(projects(book.own), ['web-shop']);
    assert.equal(stored.get(LEGACY_KEY), legacy);
    assert.match(stored.get(MARKERS_KEY) ?? '', /"version":1.*"old"/);
  }
  const empty = JSON.stringify({ version: 1, markers: [] });
  const { book } = browser(new FakeServer(), new FakeClock(), {
    [LEGACY_KEY]: JSON.stringify([marker]),
    [MARKERS_KEY]: empty,
  });
  assert.deepEqual(book.own, []);
});

test('two browsers that edit: the newer wins, and nothing comes back from the dead', async () => {
  const [server, clock] = [new FakeServer(), new FakeClock()];
  const one = browser(server, clock);
  clock.advance(1);
  const two = browser(server, clock);
  const marker = one.book.create(FIELDS);
  await one.book.sync();
  await two.book.sync();
  assert.deepEqual(projects(two.book.own), ['web-shop']);
  clock.advance(1000);
  one.book.edit(marker.id, { project: 'first' });
  clock.advance(1000);
  two.book.edit(marker.id, { project: 'second' });
  await two.book.sync();
  await one.book.sync();
  assert.deepEqual(
    [one, two].flatMap(({ book }) => projects(book.own)),
    ['second', 'second'],
  );
  one.book.remove(marker.id);
  await one.book.sync();
  await two.book.sync();
  assert.deepEqual(two.book.own, []);
  assert.deepEqual(server.markers, []);
});

test('while the server is away markers stay in the browser, and reach it later', async () => {
  const [server, clock] = [new FakeServer(), new FakeClock()];
  const { book, failures } = browser(server, clock);
  server.isDown = true;
  book.create(FIELDS);
  await book.sync();
  assert.deepEqual(failures, ['away', 'away']);
  server.isDown = false;
  await book.sync();
  assert.deepEqual(projects(server.markers), ['web-shop']);
  assert.equal(failures.at(-1), undefined);
});

test('the markers of the sample are never stored, whatever is done to them', async () => {
  const [server, clock] = [new FakeServer(), new FakeClock()];
  const { book, stored } = browser(server, clock);
  const sample = { id: 's', createdAt: FIELDS.start, updatedAt: FIELDS.start, ...FIELDS, project: 'sample' };
  book.showSample({ version: 1, markers: [sample] });
  book.edit('s', { project: 'changed' });
  book.create(FIELDS);
  await book.sync();
  assert.deepEqual(projects(book.all), ['changed', 'web-shop']);
  assert.deepEqual(projects(server.markers), ['web-shop']);
  book.showSample(undefined);
  assert.deepEqual(projects(book.all), ['web-shop']);
  assert.doesNotMatch(stored.get(MARKERS_KEY) ?? '', /changed/);
});

test('an import adds and updates, and never deletes', () => {
  const { book } = browser(new FakeServer(), new FakeClock());
  const own = book.create(FIELDS);
  const older = { ...own, project: 'older', updatedAt: '2000-01-01T00:00:00.000Z' };
  const preview = book.preview([older, { ...own, id: 'new', project: 'new' }, { id: 'bad' }]);
  assert.ok(preview);
  assert.deepEqual([preview.added, preview.updated, preview.skipped], [1, 0, 2]);
  book.adopt(preview);
  assert.deepEqual(projects(book.own), ['new', 'web-shop']);
  assert.equal(book.preview('no markers'), undefined);
});
