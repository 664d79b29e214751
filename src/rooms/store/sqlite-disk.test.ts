import assert from 'node:assert/strict';
import { copyFileSync, readdirSync, readFileSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { CommandError } from '../../kernel/errors.ts';
import { bundleScript, type Child, startChild } from '../../testing/child-script.ts';
import { isLongRound } from '../../testing/long-round.ts';
import { temporaryFolder } from '../../testing/processes.ts';
import { Random } from '../../testing/random.ts';
import { newMessage, post } from '../testing/store/parts.ts';
import { openTestStore } from '../testing/store/sqlite-room-store.ts';
import type { RoomStore } from './store.ts';

const ALL = { after: 0, upTo: Number.MAX_SAFE_INTEGER, limit: 1_000_000 };

test('a backup holds all committed data, beside other writers, and is a separate log', async (t) => {
  const { store } = await openTestStore(t);
  await post(store, ...Array.from({ length: 300 }, () => newMessage('a', { body: 'word '.repeat(100) })));
  await store.indexed();
  const copies = temporaryFolder(t);
  const backup = store.backup(join(copies, 'rooms.sqlite'));
  const during = Promise.all(Array.from({ length: 50 }, () => post(store, newMessage('a'))));
  await Promise.all([backup, during]);
  await post(store, newMessage('a', { body: 'after' }));
  assert.deepEqual(readdirSync(copies), ['rooms.sqlite']);
  const { store: copy } = await openTestStore(t, { path: copies });
  const [here, there] = [await store.load(), await copy.load()];
  assert.equal(here.pos, 351);
  assert.ok(there.pos >= 300 && there.pos <= 350, `position ${there.pos}`);
  assert.notEqual(there.epoch, here.epoch);
  assert.equal((await copy.load()).epoch, there.epoch);
  const upTo = { ...ALL, upTo: there.pos };
  assert.deepEqual(await copy.readEvents(upTo), await store.readEvents(upTo));
  const word = { words: ['word'], prefix: false, not: false };
  const query = { rooms: [{ roomId: 'a', afterSeq: 0 }], terms: [word], limit: 500 };
  assert.equal((await copy.search(query)).hits.length, 300);
});

test('a backup replaces no file', async (t) => {
  const { store, path } = await openTestStore(t);
  const file = join(path, 'there');
  writeFileSync(file, 'mine');
  await assert.rejects(store.backup(file), /EEXIST/);
  assert.equal(readFileSync(file, 'utf8'), 'mine');
  await assert.rejects(store.backup(join(path, 'no', 'folder')), /ENOENT/);
  await post(store, newMessage('a'));
});

/** Appends commits of some messages in some rooms, edits among them, and names each message that was acknowledged. */
const appender = bundleScript(`
  import { createLog } from './log.ts';
  import { systemClock } from './clock.ts';
  import { openRoomStore } from '../rooms/store/open.ts';
  import { changed, created, newMessage, tombstoneOf, write } from '../rooms/testing/store/parts.ts';

  const [path, round] = process.argv.slice(1);
  const log = createLog({ level: 'error', format: 'logfmt', clock: systemClock, write: (line) => void process.stderr.write(line) });
  const store = await openRoomStore({ directory: { path, release() {} }, clock: systemClock, durability: 'full', log });
  const known = [];
  for (let turn = 0; ; turn++) {
    const writes = Array.from({ length: 1 + (turn * 7) % 40 }, (_, index) => {
      const roomId = 'room-' + ((turn + index) % 5);
      return write(created(newMessage(roomId, { id: ['id', round, turn, index].join('-'), body: 'x'.repeat((turn * 131) % 3000) })));
    });
    if (turn % 3 === 2) {
      const message = { ...known[turn % known.length], body: 'edited', version: 2 };
      writes.push(write(changed({ type: 'message.updated', roomId: message.roomId, message })));
    }
    const committed = (await store.append(writes)).flat();
    for (const { event } of committed) if (event.type === 'message.created') known.push(event.message);
    const lines = committed.map(({ pos, event }) => [pos, event.message.roomId, event.message.seq, event.message.id].join(' ') + '\\n');
    process.stdout.write(lines.join(''));
  }
`);

async function appendUntilKilled(child: Child, count: number): Promise<readonly string[]> {
  const lines: string[] = [];
  for (let line = await child.readLine(); line !== undefined; line = await child.readLine()) {
    lines.push(line);
    if (lines.length === count) child.kill('SIGKILL');
  }
  assert.deepEqual(await child.end, { code: null, signal: 'SIGKILL', stderr: '' });
  return lines;
}

/** The content of the log, in the form of the appender, after a check that it has no holes. */
async function readLog(store: RoomStore): Promise<ReadonlySet<string>> {
  const events = await store.readEvents(ALL);
  const seqs = new Map<string, number>();
  const lines = events.map(({ pos, type, roomId, seq, data }, index) => {
    assert.equal(pos, index + 1, 'positions are dense');
    if (type === 'message.created') {
      assert.equal(seq, (seqs.get(roomId ?? '') ?? 0) + 1, 'sequence numbers are dense');
      seqs.set(roomId ?? '', seq);
    }
    return `${pos} ${roomId} ${seq} ${JSON.parse(data).message.id}`;
  });
  const { heads, pos } = await store.load();
  assert.equal(pos, events.length);
  for (const [roomId, lastSeq] of seqs) assert.equal(heads.get(roomId)?.lastSeq, lastSeq);
  return new Set(lines);
}

test('acknowledged writes are there once, after kills at any moment', { only: isLongRound }, async (t) => {
  const path = temporaryFolder(t);
  const random = new Random(7);
  const acknowledged: string[] = [];
  for (let round = 0; round < (isLongRound ? 20 : 5); round++) {
    const child = startChild(t, await appender, { args: [path, String(round)] });
    acknowledged.push(...(await appendUntilKilled(child, random.int(1, 300))));
  }
  const { store } = await openTestStore(t, { path });
  const there = await readLog(store);
  assert.deepEqual(
    acknowledged.filter((line) => !there.has(line)),
    [],
  );
  assert.equal(new Set(acknowledged).size, acknowledged.length, 'no place was given twice');
  await store.indexed();
  const created = (await store.readEvents(ALL)).filter(({ type }) => type === 'message.created').length;
  const rooms = Array.from({ length: 5 }, (_, index) => ({ roomId: `room-${index}`, afterSeq: 0 }));
  assert.equal((await store.search({ rooms, terms: [], limit: 1_000_000 })).hits.length, created);
});

/** Files as a kill leaves them: committed data are in the log of changes. */
async function makeCrashed(
  t: TestContext,
): Promise<{ readonly path: string; readonly acknowledged: readonly string[] }> {
  const path = temporaryFolder(t);
  const child = startChild(t, await appender, { args: [path, '0'] });
  return { path, acknowledged: await appendUntilKilled(child, 200) };
}

test('a truncated log of changes gives a whole prefix of the log, or is refused by name', async (t) => {
  const { path, acknowledged } = await makeCrashed(t);
  const size = statSync(join(path, 'rooms.sqlite-wal')).size;
  for (const part of [0, 0.2, 0.5, 0.77, 0.999]) {
    const copy = temporaryFolder(t);
    for (const name of ['rooms.sqlite', 'rooms.sqlite-wal']) copyFileSync(join(path, name), join(copy, name));
    truncateSync(join(copy, 'rooms.sqlite-wal'), Math.floor(size * part));
    try {
      const { store } = await openTestStore(t, { path: copy });
      const there = await readLog(store);
      const prefix = acknowledged.slice(0, there.size);
      assert.deepEqual(
        prefix.filter((line) => !there.has(line)),
        [],
        `cut to ${part}`,
      );
    } catch (error) {
      assert.ok(error instanceof CommandError, `cut to ${part}: ${error}`);
      assert.match(error.message, /cannot (open|read) the database .*rooms\.sqlite.*backup/);
    }
  }
});

test('a damaged file is refused by name', async (t) => {
  const path = temporaryFolder(t);
  writeFileSync(join(path, 'rooms.sqlite'), 'not a database, whatever else it may be. '.repeat(200));
  await assert.rejects(openTestStore(t, { path }), (error) => {
    assert.ok(error instanceof CommandError);
    assert.match(error.message, /rooms\.sqlite.*put a backup in its place/);
    return true;
  });
});
