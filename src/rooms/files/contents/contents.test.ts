import assert from 'node:assert/strict';
import { createHash, randomBytes } from 'node:crypto';
import { existsSync, readdirSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { type TestContext, test } from 'node:test';
import { systemClock } from '../../../kernel/clock.ts';
import { FakeClock } from '../../../testing/fake/clock.ts';
import { needsPostgres } from '../../../testing/postgres.ts';
import { temporaryFolder } from '../../../testing/processes.ts';
import { START } from '../../testing/store/parts.ts';
import { openRoomDatabase } from '../../testing/store/postgres-room-store.ts';
import type { FileContents } from './contents.ts';
import { FolderContents } from './folder.ts';
import { PostgresFileContents } from './postgres.ts';
import { UploadError } from './upload.ts';

/** Each opens contents twice, as two processes do, and makes placed bytes old. */
interface OpenContents {
  readonly contents: readonly [FileContents, FileContents];
  age(sha256: string): Promise<void>;
}

const FORMS: Readonly<Record<string, (t: TestContext) => Promise<OpenContents | undefined>>> = {
  async 'a shared folder'(t) {
    const folder = temporaryFolder(t);
    const clock = new FakeClock(systemClock.now());
    const open = () => new FolderContents(folder, { sharedBy: clock });
    const age = async (sha256: string) => {
      const path = join(folder, sha256.slice(0, 2), sha256);
      utimesSync(path, START / 1000, START / 1000);
    };
    return { contents: [open(), open()], age };
  },
  async PostgreSQL(t) {
    if (!needsPostgres(t)) return undefined;
    const postgres = await openRoomDatabase(t);
    const open = () => new PostgresFileContents(postgres);
    const age = async (sha256: string) => {
      const sql = "UPDATE opsdeck.room_file_piece SET at = at - interval '2 h' WHERE sha256 = $1";
      await postgres.query(sql, [sha256]);
    };
    return { contents: [open(), open()], age };
  },
};

async function* inChunks(bytes: Buffer, size: number): AsyncGenerator<Uint8Array> {
  for (let from = 0; from < bytes.length; from += size) yield bytes.subarray(from, from + size);
}

let uploads = 0;

async function store(contents: FileContents, bytes: Buffer, chunk = 100_000) {
  const received = await contents.receive(`upload-${++uploads}`, inChunks(bytes, chunk), Infinity);
  return { ...received, isNew: await received.place() };
}

async function readAll(
  contents: FileContents,
  sha256: string,
  start?: number,
  end?: number,
): Promise<Buffer | undefined> {
  const range = start === undefined || end === undefined ? undefined : { start, end };
  const stream = await contents.read(sha256, range);
  return stream && buffer(stream);
}

const MIB = 2 ** 20;

for (const [form, open] of Object.entries(FORMS)) {
  test(`${form}: files of any size come back, whole and in parts`, async (t) => {
    const opened = await open(t);
    if (!opened) return;
    const [one, two] = opened.contents;
    for (const size of [0, 1, MIB / 2 - 1, MIB / 2, MIB / 2 + 1, 2 * MIB + 7]) {
      const bytes = randomBytes(size);
      const sha256 = createHash('sha256').update(bytes).digest('hex');
      const stored = await store(one, bytes, size % 2 === 0 ? 300_000 : MIB);
      assert.deepEqual([stored.size, stored.sha256, stored.isNew], [size, sha256, true]);
      assert.ok(stored.head.every((byte, index) => byte === bytes[index]));
      assert.ok((await readAll(two, sha256))?.equals(bytes), `${size} bytes`);
      for (const [start, end] of [
        [0, size - 1],
        [size - 1, size - 1],
        [MIB / 2 - 1, MIB / 2],
        [MIB, 2 * MIB],
      ] as const) {
        if (start < 0 || end < start || end >= size) continue;
        assert.ok((await readAll(two, sha256, start, end))?.equals(bytes.subarray(start, end + 1)), `${start}-${end}`);
      }
    }
    assert.equal(await readAll(one, 'f'.repeat(64)), undefined);
  });

  test(`${form}: the same bytes are there once, and stay while they are young`, async (t) => {
    const opened = await open(t);
    if (!opened) return;
    const { contents, age } = opened;
    const [one, two] = contents;
    const { sha256, isNew } = await store(one, Buffer.from('same'));
    assert.equal(isNew, true);
    assert.equal((await store(two, Buffer.from('same'))).isNew, false);
    await two.remove(sha256);
    assert.equal(String(await readAll(one, sha256)), 'same', 'a node may be about to write the row of their file');
    await age(sha256);
    await store(one, Buffer.from('same'));
    await two.remove(sha256);
    assert.equal(String(await readAll(one, sha256)), 'same', 'they are young again');
    await age(sha256);
    await two.remove(sha256);
    assert.equal(await readAll(one, sha256), undefined);
  });

  test(`${form}: an upload that breaks off or is too large leaves nothing`, async (t) => {
    const opened = await open(t);
    if (!opened) return;
    const [contents] = opened.contents;
    const bytes = randomBytes(MIB);
    await assert.rejects(contents.receive('large', inChunks(bytes, 1000), MIB - 1), UploadError);
    const discarded = await contents.receive('discarded', inChunks(bytes, 100_000), MIB);
    await discarded.discard();
    assert.equal(await readAll(contents, discarded.sha256), undefined);
  });
}

test('uploads left in a folder are removed, those of other nodes after a day', async (t) => {
  const folder = temporaryFolder(t);
  const clock = new FakeClock(systemClock.now());
  const shared = new FolderContents(folder, { sharedBy: clock });
  await shared.receive('left', inChunks(Buffer.from('x'), 1), 9);
  await shared.clean();
  assert.deepEqual(readdirSync(join(folder, 'incoming')), ['left']);
  clock.advance(25 * 3_600_000);
  await shared.clean();
  assert.deepEqual(readdirSync(join(folder, 'incoming')), []);
  await shared.receive('left', inChunks(Buffer.from('x'), 1), 9);
  await new FolderContents(folder).clean();
  assert.equal(existsSync(join(folder, 'incoming')), false);
});

test('a folder is swept of old bytes without a file and of old uploads, unless it knows none of its files', async (t) => {
  const folder = temporaryFolder(t);
  const contents = new FolderContents(folder, { sharedBy: systemClock });
  const [kept, orphan, young] = await Promise.all(
    ['kept', 'orphan', 'young'].map(async (words) => (await store(contents, Buffer.from(words))).sha256),
  );
  assert.ok(kept && orphan && young);
  await contents.receive('old', inChunks(Buffer.from('x'), 1), 9);
  await contents.receive('running', inChunks(Buffer.from('x'), 1), 9);
  const pathOf = (sha256: string) => join(sha256.slice(0, 2), sha256);
  for (const path of [pathOf(kept), pathOf(orphan), join('incoming', 'old')])
    utimesSync(join(folder, path), START / 1000, START / 1000);
  const files = () => readdirSync(folder, { recursive: true }).filter((name) => String(name).includes('/'));
  const all = [kept, orphan, young].map(pathOf);
  await contents.sweep(START + 1, async () => []);
  assert.deepEqual(files().toSorted(), [...all, 'incoming/running'].toSorted());
  await contents.sweep(START + 1, async (hashes) => hashes.filter((sha256) => sha256 === kept));
  assert.deepEqual(files().toSorted(), [pathOf(kept), pathOf(young), 'incoming/running'].toSorted());
});

test('PostgreSQL: bytes that no file needs are swept after a day', async (t) => {
  if (!needsPostgres(t)) return;
  const postgres = await openRoomDatabase(t);
  const contents = new PostgresFileContents(postgres);
  await contents.receive('left', inChunks(Buffer.from('x'), 1), 9);
  const { sha256 } = await store(contents, Buffer.from('kept'));
  await postgres.query("INSERT INTO opsdeck.room_file VALUES ('f', $1, 0, '{}')", [sha256]);
  const pieces = async () => {
    await postgres.query('SELECT opsdeck.sweep_room_files()');
    return (await postgres.query('SELECT sha256 FROM opsdeck.room_file_piece ORDER BY 1')).map((row) => row.sha256);
  };
  assert.deepEqual(await pieces(), [sha256, 'incoming left'].toSorted());
  await postgres.query("UPDATE opsdeck.room_file_piece SET at = at - interval '25 h'");
  assert.deepEqual(await pieces(), [sha256]);
});
