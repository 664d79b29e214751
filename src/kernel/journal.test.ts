import assert from 'node:assert/strict';
import { copyFileSync, mkdirSync, readdirSync, readFileSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { bundleScript, startChild } from '../testing/child-script.ts';
import { isLongRound } from '../testing/long-round.ts';
import { Janitor, temporaryFolder } from '../testing/processes.ts';
import { Random } from '../testing/random.ts';
import { mountSmallDisk } from '../testing/small-disk.ts';
import { CommandError } from './errors.ts';
import { type Journal, type JournalOptions, openJournal } from './journal.ts';

type Parts = Partial<JournalOptions>;

/** Opens a journal that is closed, as a kill would leave it, when the test is over. */
function open(t: TestContext, path: string, parts: Parts = {}) {
  const { journal, records } = openJournal({
    path,
    name: 'test.journal',
    id: 'life-1',
    after: 0,
    durability: 'disk',
    ...parts,
  });
  t.after(() => journal.close(false));
  const texts = records.map(({ payload }) => Buffer.from(payload).toString());
  return { journal, texts, serials: records.map(({ serial }) => serial) };
}

const add = (journal: Journal, text: string): Promise<void> => journal.append(Buffer.from(text)).durable;

/** Reads what a journal holds, and leaves it as it is. */
function read(t: TestContext, path: string, parts: Parts = {}): readonly string[] {
  const copy = temporaryFolder(t);
  for (const name of readdirSync(path)) copyFileSync(join(path, name), join(copy, name));
  return open(t, copy, parts).texts;
}

const firstFile = (path: string): string => join(path, 'test.journal.000001');

async function written(t: TestContext, texts: readonly string[], parts: Parts = {}): Promise<string> {
  const path = temporaryFolder(t);
  const { journal } = open(t, path, parts);
  for (const text of texts) await add(journal, text);
  await journal.close(false);
  return path;
}

test('what was appended is there again, in its order, from the serial on that is asked for', async (t) => {
  const path = await written(t, ['one', '', 'Grüße', 'x'.repeat(100_000)]);
  const again = open(t, path, { after: 1 });
  assert.deepEqual(again.texts, ['', 'Grüße', 'x'.repeat(100_000)]);
  assert.deepEqual(again.serials, [2, 3, 4]);
  assert.equal(again.journal.append(Buffer.from('five')).serial, 5);
  assert.deepEqual(read(t, path, { after: 4 }), ['five']);
});

test('a record that was written in part is cut off, wherever it was cut, and its place is taken again', async (t) => {
  const path = await written(t, ['one', 'two'], { durability: 'system' });
  const whole = statSync(firstFile(path)).size;
  const { journal } = open(t, path, { durability: 'system' });
  journal.append(Buffer.from('the last record'));
  await journal.close(false);
  const end = statSync(firstFile(path)).size;
  for (let size = whole; size < end; size++) {
    const copy = temporaryFolder(t);
    copyFileSync(firstFile(path), firstFile(copy));
    truncateSync(firstFile(copy), size);
    const cut = open(t, copy);
    assert.deepEqual(cut.texts, ['one', 'two'], `cut to ${size}`);
    assert.equal(cut.journal.append(Buffer.from('three')).serial, 3);
    assert.deepEqual(read(t, copy), ['one', 'two', 'three']);
  }
});

test('a flipped bit never gives other words than were written', async (t) => {
  const texts = ['one', 'two', 'three'];
  const path = await written(t, texts);
  const bytes = readFileSync(firstFile(path));
  let refused = 0;
  for (let place = 0; place < bytes.length * 8; place += 3) {
    const copy = temporaryFolder(t);
    const harmed = Buffer.from(bytes);
    harmed[place >> 3] = (harmed[place >> 3] ?? 0) ^ (1 << (place & 7));
    writeFileSync(firstFile(copy), harmed);
    try {
      const found = open(t, copy).texts;
      assert.deepEqual(found, texts.slice(0, found.length), `bit ${place}`);
    } catch (error) {
      assert.ok(error instanceof CommandError, `bit ${place}: ${error}`);
      refused++;
    }
  }
  assert.ok(refused > 50, `only ${refused} were refused`);
});

test('damage before a record that was written when the damaged one was safe is refused by name', async (t) => {
  const path = await written(t, ['one', 'two', 'three']);
  const bytes = readFileSync(firstFile(path));
  bytes[bytes.indexOf('two')] = 0x21;
  writeFileSync(firstFile(path), bytes);
  assert.throws(
    () => open(t, path),
    (error) =>
      error instanceof CommandError && /test\.journal\.000001: record 2 was on disk once.*backup/.test(error.message),
  );
});

test('records that were never safe go together with a hole before them', async (t) => {
  const path = await written(t, ['one', 'two', 'three'], { durability: 'system' });
  const bytes = readFileSync(firstFile(path));
  bytes[bytes.indexOf('two')] = 0x21;
  writeFileSync(firstFile(path), bytes);
  const { journal, texts } = open(t, path);
  assert.deepEqual(texts, ['one']);
  // As long as the one that was lost: what stood behind it must not be found again.
  await add(journal, 'new');
  assert.deepEqual(read(t, path), ['one', 'new']);
});

test('files follow each other, are written over when all they hold is safe elsewhere, and old records are not found in them', async (t) => {
  const path = temporaryFolder(t);
  const parts = { fileBytes: 2_000 };
  const { journal } = open(t, path, parts);
  const random = new Random(3);
  const texts: string[] = [];
  for (let round = 0; round < 200; round++) {
    const text = `${round} ${'x'.repeat(random.int(0, 600))}`;
    texts.push(text);
    await add(journal, text);
    if (round % 20 === 19) {
      const safe = round - random.int(0, 15);
      journal.forget(safe + 1);
      assert.deepEqual(read(t, path, { ...parts, after: safe + 1 }), texts.slice(safe + 1));
    }
  }
  const { oldestFull } = journal;
  assert.ok(oldestFull !== undefined && oldestFull > 150);
  assert.ok(readdirSync(path).length < 20, 'what was forgotten is gone');
  const numbers = readdirSync(path).filter((name) => /\d$/.test(name));
  assert.ok(numbers.every((name) => Number(name.split('.').at(-1)) > 10));
});

test('a file grows ahead of its records, seldom, and what lies ahead is no part of them', async (t) => {
  const path = temporaryFolder(t);
  const { journal } = open(t, path);
  const sizes = new Set<number>();
  const texts = Array.from({ length: 500 }, (_, index) => `${index} ${'x'.repeat(1000)}`);
  for (const text of texts) {
    journal.append(Buffer.from(text));
    sizes.add(statSync(firstFile(path)).size);
  }
  assert.ok(sizes.size < 15, `it has had ${sizes.size} sizes`);
  assert.deepEqual(read(t, path), texts);
  await journal.close(false);
  await add(open(t, path).journal, 'the next');
  assert.deepEqual(read(t, path), [...texts, 'the next']);
});

test('a file that has its new name and its old head is no part of the journal', async (t) => {
  const path = await written(t, ['one', 'two']);
  copyFileSync(firstFile(path), join(path, 'test.journal.000002'));
  const { journal, texts } = open(t, path);
  assert.deepEqual(texts, ['one', 'two']);
  await add(journal, 'three');
  assert.deepEqual(read(t, path), ['one', 'two', 'three']);
});

test('a file that has its old name and a new head is passed over where nothing of it is needed', async (t) => {
  const path = await written(t, ['x'.repeat(100), 'two', 'y'.repeat(100), 'four'], { fileBytes: 150 });
  const second = join(path, 'test.journal.000002');
  copyFileSync(second, firstFile(path));
  assert.deepEqual(read(t, path, { after: 1 }), ['two', 'y'.repeat(100), 'four']);
  assert.throws(
    () => open(t, path),
    /test\.journal\.000002: it begins with record 2, and the data beside it end with 0/,
  );
  const { journal } = open(t, path, { after: 1 });
  await journal.close(false);
  assert.deepEqual(readdirSync(path), ['test.journal.000002', 'test.journal.000003']);
});

test('a journal of other data, or one that begins too late, is refused', async (t) => {
  const path = temporaryFolder(t);
  const { journal } = open(t, path, { after: 10 });
  await add(journal, 'eleven');
  await journal.close(false);
  assert.throws(() => open(t, path, { after: 10, id: 'life-2' }), /test\.journal\.000001: it belongs to other data/);
  assert.throws(() => open(t, path, { after: 9 }), /begins with record 11, and the data beside it end with 9/);
  assert.deepEqual(open(t, path, { after: 10 }).texts, ['eleven']);
});

test('data that know more than the journal go on without it', async (t) => {
  const path = await written(t, ['one', 'two']);
  const { journal, texts } = open(t, path, { after: 7 });
  assert.deepEqual(texts, []);
  assert.equal(journal.append(Buffer.from('eight')).serial, 8);
  assert.deepEqual(read(t, path, { after: 7 }), ['eight']);
});

test('what is appended while a sync is under way shares the next', async (t) => {
  const path = temporaryFolder(t);
  const { journal } = open(t, path);
  const order: number[] = [];
  const appended = Array.from({ length: 50 }, (_, index) =>
    add(journal, `text ${index}`).then(() => order.push(index)),
  );
  assert.equal(journal.durable, 0);
  await appended[0];
  const first = journal.durable;
  assert.ok(first >= 1 && first < 50, `${first} were safe with the first`);
  await appended[first];
  assert.equal(journal.durable, 50, 'all others with the second');
  await Promise.all(appended);
  assert.deepEqual(
    order,
    Array.from({ length: 50 }, (_, index) => index),
  );
});

test('a clean end leaves nothing, where all is safe elsewhere', async (t) => {
  const path = temporaryFolder(t);
  const { journal } = open(t, path, { fileBytes: 200 });
  for (let index = 0; index < 9; index++) await add(journal, 'x'.repeat(100));
  journal.forget(5);
  await journal.close(true);
  assert.deepEqual(readdirSync(path), []);
});

test('a full disk takes nothing of a record, and the next one when there is room', async (t) => {
  // What came last ends first: the journal, the disk, its folder.
  const janitor = new Janitor();
  t.after(() => janitor.clean());
  const disk = mountSmallDisk(janitor, 6);
  if (disk === undefined) return t.skip('no disk can be mounted here; it takes root');
  const path = join(disk, 'journal');
  mkdirSync(path);
  writeFileSync(join(disk, 'ballast'), Buffer.alloc(2 ** 20));
  const { journal } = open(t, path);
  janitor.after(() => journal.close(false));
  const texts: string[] = [];
  const large = (name: string) => `${name} ${'x'.repeat(300_000)}`;
  const isFull = (error: unknown) => error instanceof Error && 'code' in error && error.code === 'ENOSPC';
  assert.throws(() => {
    for (let index = 0; index < 40; index++) {
      journal.append(Buffer.from(large(String(index))));
      texts.push(large(String(index)));
    }
  }, isFull);
  assert.throws(() => journal.append(Buffer.from(large('again'))), isFull);
  assert.throws(() => {
    for (;;) {
      journal.append(Buffer.alloc(1_000, 'x'));
      texts.push('x'.repeat(1_000));
    }
  }, isFull);
  assert.throws(() => journal.checkRoom(), isFull);
  assert.deepEqual(read(t, path), texts);
  truncateSync(join(disk, 'ballast'), 0);
  journal.checkRoom();
  assert.deepEqual(read(t, path), texts);
  await add(journal, large('after'));
  assert.deepEqual(read(t, path), [...texts, large('after')]);
});

/** Appends records of many sizes, begins files and forgets them, and names each record that is durable. */
const appender = bundleScript(`
  import { writeSync } from 'node:fs';
  import { openJournal } from './journal.ts';

  // process.stdout keeps what a slow reader has not taken: it would forget records whose names nobody has read.
  const tell = (line) => writeSync(1, line + '\\n');

  const [path, after] = process.argv.slice(1);
  const options = { path, name: 'test.journal', id: 'life-1', after: Number(after), durability: 'disk', fileBytes: 20_000 };
  const { journal, records } = openJournal(options);
  tell('found ' + records.map(({ serial, payload }) => serial + ':' + payload.length).join(' '));
  for (let round = 0; ; round++) {
    if (round % 5 === 0) journal.checkRoom();
    const group = Array.from({ length: 1 + (journal.durable * 7) % 9 }, (_, index) => {
      const { serial, durable } = journal.append(Buffer.alloc((journal.durable * 131 + index * 977) % 3000, 120));
      return durable.then(() => tell(serial));
    });
    await Promise.all(group);
    journal.forget(journal.durable - 40);
  }
`);

test('what was told to be durable is there after kills at any moment', async (t) => {
  const path = temporaryFolder(t);
  const random = new Random(11);
  let last = 0;
  for (let round = 0; round < (isLongRound ? 12 : 4); round++) {
    const after = Math.max(0, last - 40);
    const child = startChild(t, await appender, { args: [path, String(after)] });
    const greeting = await child.readLine();
    if (greeting === undefined) assert.fail((await child.end).stderr);
    const found = greeting.split(' ').slice(1);
    const serials = found.filter(Boolean).map((text) => Number(text.split(':')[0]));
    assert.deepEqual(
      serials,
      Array.from({ length: serials.length }, (_, index) => after + 1 + index),
    );
    assert.ok((serials.at(-1) ?? after) >= last, `${last} was durable, and ${serials.at(-1)} is the last`);
    const count = random.int(1, 200);
    for (let told = 0; ; ) {
      const line = await child.readLine();
      if (line === undefined) break;
      last = Math.max(last, Number(line));
      if (++told === count) child.kill('SIGKILL');
    }
    assert.equal((await child.end).signal, 'SIGKILL');
  }
});
