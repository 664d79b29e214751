import assert from 'node:assert/strict';
import { existsSync, readFileSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { CommandError } from '../../kernel/errors.ts';
import { unpackDirectory } from '../../testing/stored-directory.ts';
import { openTestStore } from '../testing/store/sqlite-room-store.ts';
import { hasJournal, readJournal, removeJournal } from './earlier-journal.ts';

const NAME = 'rooms.journal.000001';
const ALL = { after: 0, upTo: Number.MAX_SAFE_INTEGER, limit: 1000 };

/** The directory of a server of 0.1.0 that was killed; its tables lack the last record at least. */
function unpack(t: TestContext) {
  const { path, stored } = unpackDirectory(t, 'rooms/testdata/0.1.0-killed.json.br');
  const bytes = readFileSync(join(path, NAME));
  const epoch = /since=(\w+)-0/.exec(Object.keys(stored.answers).join('\n'))?.[1] ?? '';
  return { path, bytes, epoch, serials: (after = 0) => readJournal(path, epoch, after).map(({ serial }) => serial) };
}

const refusal = (why: RegExp) => (error: unknown) => {
  assert.ok(error instanceof CommandError);
  assert.match(error.message, /cannot take over the journal .*rooms\.journal\.000001/);
  assert.match(error.message, why);
  return true;
};

test('all records beyond a serial are read', (t) => {
  const { serials } = unpack(t);
  const all = serials();
  assert.ok(all.length > 20);
  assert.deepEqual(
    all,
    all.map((_, index) => index + 1),
  );
  assert.deepEqual(serials(all.length - 2), all.slice(-2));
  assert.deepEqual(serials(all.length), []);
});

test('of a journal that was cut the records before the cut are read', (t) => {
  const { path, bytes, serials } = unpack(t);
  const all = serials();
  let most = all.length;
  for (let size = bytes.length; size > 64; size -= 997) {
    truncateSync(join(path, NAME), size);
    const found = serials();
    assert.ok(found.length <= most, `${size} bytes`);
    assert.deepEqual(found, all.slice(0, found.length));
    most = found.length;
  }
  assert.ok(most <= 1);
});

test('a journal with damage in its safe part is refused', (t) => {
  const { path, bytes, serials } = unpack(t);
  for (const place of [100, 5_000, 9_000]) {
    const damaged = Buffer.from(bytes);
    damaged[place] = (damaged[place] ?? 0) ^ 1;
    writeFileSync(join(path, NAME), damaged);
    assert.throws(() => serials(), refusal(/record \d+ was on disk once, and is damaged or gone; .*move all files/));
  }
});

test('a journal of other data is refused, and so is a journal with a late start', async (t) => {
  const { path, bytes } = unpack(t);
  assert.throws(() => readJournal(path, 'otherlog', 0), refusal(/it belongs to other data than those beside it/));
  const other = await openTestStore(t);
  await other.store.close();
  writeFileSync(join(other.path, NAME), bytes);
  await assert.rejects(openTestStore(t, { path: other.path }), refusal(/it belongs to other data/));
  assert.ok(hasJournal(other.path), 'it stays');
});

test('its records go into the tables once, and then it is removed', async (t) => {
  const { path, bytes, serials } = unpack(t);
  const { length } = serials();
  const { store } = await openTestStore(t, { path });
  assert.equal(existsSync(join(path, NAME)), false);
  const events = await store.readEvents(ALL);
  assert.match(events.at(-1)?.data ?? '', /"id":"last-message"/);
  await store.close();
  // As after a kill before the removal.
  writeFileSync(join(path, NAME), bytes);
  const { store: again } = await openTestStore(t, { path });
  assert.deepEqual(await again.readEvents(ALL), events);
  assert.ok(length >= events.length / 2);
});

test('a spare file is removed with it', (t) => {
  const { path } = unpack(t);
  writeFileSync(join(path, 'rooms.journal.spare'), '');
  removeJournal(path);
  assert.equal(existsSync(join(path, 'rooms.journal.spare')), false);
});
