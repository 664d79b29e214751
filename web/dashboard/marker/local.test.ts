import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ProjectMarker } from '../../../src/dashboard/domain/marker/marker.ts';
import { FakeClock } from '../../../src/testing/fake/clock.ts';
import type { PutOutcome } from '../data/server-api.ts';
import { LEGACY_KEY, LocalMarkers, MARKERS_KEY } from './local.ts';

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
  const local = new LocalMarkers({
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
  return { local, stored, failures };
}

const projects = (markers: readonly ProjectMarker[]) => markers.map(({ project }) => project).sort();

test('the legacy key is taken over once, as a store or a bare array, and stays untouched', () => {
  const marker = { id: 'old', createdAt: FIELDS.start, updatedAt: FIELDS.start, ...FIELDS };
  for (const legacy of [JSON.stringify([marker]), JSON.stringify({ version: 1, markers: [marker] })]) {
    const { local, stored } = browser(new FakeServer(), new FakeClock(), { [LEGACY_KEY]: legacy });
    assert.deepEqual(projects(local.own), ['web-shop']);
    assert.equal(stored.get(LEGACY_KEY), legacy);
    assert.match(stored.get(MARKERS_KEY) ?? '', /"version":1.*"old"/);
  }
  const empty = JSON.stringify({ version: 1, markers: [] });
  const { local } = browser(new FakeServer(), new FakeClock(), {
    [LEGACY_KEY]: JSON.stringify([marker]),
    [MARKERS_KEY]: empty,
  });
  assert.deepEqual(local.own, []);
});

test('two browsers that edit: the newer wins, and no deleted marker returns', async () => {
  const [server, clock] = [new FakeServer(), new FakeClock()];
  const one = browser(server, clock);
  clock.advance(1);
  const two = browser(server, clock);
  const marker = one.local.create(FIELDS);
  await one.local.sync();
  await two.local.sync();
  assert.deepEqual(projects(two.local.own), ['web-shop']);
  clock.advance(1000);
  one.local.edit(marker.id, { project: 'first' });
  clock.advance(1000);
  two.local.edit(marker.id, { project: 'second' });
  await two.local.sync();
  await one.local.sync();
  assert.deepEqual(
    [one, two].flatMap(({ local }) => projects(local.own)),
    ['second', 'second'],
  );
  one.local.remove(marker.id);
  await one.local.sync();
  await two.local.sync();
  assert.deepEqual(two.local.own, []);
  assert.deepEqual(server.markers, []);
});

test('while the server is away markers stay in the browser, and reach it later', async () => {
  const [server, clock] = [new FakeServer(), new FakeClock()];
  const { local, failures } = browser(server, clock);
  server.isDown = true;
  local.create(FIELDS);
  await local.sync();
  assert.deepEqual(failures, ['away', 'away']);
  server.isDown = false;
  await local.sync();
  assert.deepEqual(projects(server.markers), ['web-shop']);
  assert.equal(failures.at(-1), undefined);
});

test('the markers of the sample are never stored, after any change', async () => {
  const [server, clock] = [new FakeServer(), new FakeClock()];
  const { local, stored } = browser(server, clock);
  const sample = { id: 's', createdAt: FIELDS.start, updatedAt: FIELDS.start, ...FIELDS, project: 'sample' };
  local.showSample({ version: 1, markers: [sample] });
  local.edit('s', { project: 'changed' });
  local.create(FIELDS);
  await local.sync();
  assert.deepEqual(projects(local.all), ['changed', 'web-shop']);
  assert.deepEqual(projects(server.markers), ['web-shop']);
  local.showSample(undefined);
  assert.deepEqual(projects(local.all), ['web-shop']);
  assert.doesNotMatch(stored.get(MARKERS_KEY) ?? '', /changed/);
});

test('an import adds and updates, and never deletes', () => {
  const { local } = browser(new FakeServer(), new FakeClock());
  const own = local.create(FIELDS);
  const older = { ...own, project: 'older', updatedAt: '2000-01-01T00:00:00.000Z' };
  const preview = local.preview([older, { ...own, id: 'new', project: 'new' }, { id: 'bad' }]);
  assert.ok(preview);
  assert.deepEqual([preview.added, preview.updated, preview.skipped], [1, 0, 2]);
  local.adopt(preview);
  assert.deepEqual(projects(local.own), ['new', 'web-shop']);
  assert.equal(local.preview('no markers'), undefined);
});
