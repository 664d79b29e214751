import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { openDatabase } from '../../../kernel/storage/database.ts';
import { plainRows } from '../../../testing/sqlite.ts';
import type { NewMessage } from '../../domain/message/message.ts';
import { changed, post, runStarted, START, tombstoneOf, write } from '../../testing/store/parts.ts';
import { bodiesOf, findWith, prefix, say, word } from '../../testing/store/search-rules.ts';
import { openTestStore } from '../../testing/store/sqlite-room-store.ts';
import { MIGRATIONS } from './schema.ts';

async function openWith(t: TestContext, ...drafts: readonly NewMessage[]) {
  const opened = await openTestStore(t);
  const messages = await post(opened.store, ...drafts);
  await opened.store.indexed();
  return { ...opened, messages };
}

test('an index of an earlier version, by whole texts or with ß, is made anew', async (t) => {
  for (const version of [2, 3]) {
    const { store, path, messages } = await openWith(t, say('日本語テキスト'), say('Grüße'));
    await store.close();
    const directory = { path, release() {} };
    const database = await openDatabase({ directory, name: 'rooms.sqlite', migrations: MIGRATIONS });
    const sql = 'INSERT OR REPLACE INTO search_0 (rowid, text) VALUES (?, ?)';
    await database.write([
      ...messages.map(({ body }, index) => ({ sql, values: [index + 1, `\uE000r1 ${body}`] })),
      { sql: `PRAGMA user_version = ${version}`, values: [] },
    ]);
    await database.close();
    const { store: later } = await openTestStore(t, { path });
    const found = async () => [
      ...(await bodiesOf(later, { terms: [word('日本')] })),
      ...(await bodiesOf(later, { terms: [word('grusse')] })),
    ];
    assert.deepEqual(await found(), []);
    await later.indexed();
    assert.deepEqual(await found(), ['日本語テキスト', 'Grüße']);
  }
});

test('a message is found within a second, and after a restart so are unindexed ones', async (t) => {
  const { store, clock, reopen } = await openTestStore(t);
  await post(store, say('sooner'));
  clock.advance(1000);
  // The timer has fired; the work is done in turns of the event loop.
  await store.indexed();
  assert.deepEqual(await bodiesOf(store, { terms: [word('sooner')] }), ['sooner']);
  await post(store, say('later'));
  const again = await reopen();
  assert.deepEqual(await bodiesOf(again, { terms: [word('later')] }), []);
  await again.indexed();
  assert.deepEqual(await bodiesOf(again, { terms: [word('later')] }), ['later']);
  assert.deepEqual(await bodiesOf(again, { terms: [word('sooner')] }), ['sooner']);
});

test('pages continue from one table of the index to the next', async (t) => {
  const { store } = await openTestStore(t);
  const bodies: string[] = [];
  for (let round = 0; round < 2; round++) {
    const said = [1, 2, 3].map((index) => say(`word ${round} ${index}`));
    bodies.unshift(...said.map(({ body }) => body).reverse());
    await post(store, ...said);
    await store.append([{ events: Array.from({ length: 33_000 }, () => runStarted('a')) }]);
  }
  await store.indexed();
  const found: string[] = [];
  for (let next: number | null | undefined; next !== null; ) {
    const page = await findWith(store, { terms: [prefix('wor')], limit: 2, ...(next === undefined ? {} : { next }) });
    found.push(...page.hits.map(({ stored }) => stored.message.body));
    next = page.next;
  }
  assert.deepEqual(found, bodies);
  assert.deepEqual(await bodiesOf(store, { terms: [word('0'), word('2')] }), ['word 0 2']);
});

test('a message changed or removed before indexing is indexed in its latest state', async (t) => {
  const { store, path } = await openTestStore(t);
  const [first, second, third] = await post(store, say('first words'), say('second words'), say('third words'));
  assert.ok(first && second && third);
  await store.append([
    write(changed({ type: 'message.updated', roomId: 'a', message: { ...first, body: 'other text', version: 2 } })),
    write(changed({ type: 'message.deleted', roomId: 'a', message: tombstoneOf(second) })),
  ]);
  await store.removeMessages('a', [third.id], START);
  await store.indexed();
  assert.deepEqual(await bodiesOf(store, { terms: [word('words')] }), []);
  assert.deepEqual(await bodiesOf(store, { terms: [word('other')] }), ['other text']);
  await store.close();
  const directory = { path, release() {} };
  const database = await openDatabase({ directory, name: 'rooms.sqlite', migrations: MIGRATIONS });
  t.after(() => database.close());
  assert.deepEqual(
    plainRows(await database.query('SELECT id FROM search_0_docsize')),
    [{ id: 1 }],
    'nothing else is left there',
  );
});

test('messages beyond the memory limit are read from the log again', async (t) => {
  const { store } = await openTestStore(t);
  const long = 'abcdefghi '.repeat(6_500);
  for (let round = 0; round < 10; round++) {
    await post(store, ...Array.from({ length: 8 }, (_, index) => say(`number${round}x${index} ${long}`)));
  }
  await store.indexed();
  for (const rare of ['number0x0', 'number7x7', 'number9x7'])
    assert.equal((await bodiesOf(store, { terms: [word(rare)] })).length, 1, rare);
  assert.equal((await findWith(store, { terms: [word('abcdefghi')], limit: 100 })).hits.length, 80);
});

test('while messages arrive the index pauses, and resumes by itself', async (t) => {
  const { store, clock } = await openTestStore(t);
  await post(store, ...Array.from({ length: 100 }, (_, index) => say(`early ${index}`)));
  clock.advance(1000);
  for (let index = 0; index < 20; index++) await post(store, say(`late ${index}`));
  for (let turn = 0; turn < 200; turn++) {
    clock.advance(1000);
    await new Promise<void>((done) => setImmediate(done));
  }
  assert.equal((await findWith(store, { terms: [word('early')], limit: 200 })).hits.length, 100);
  assert.equal((await findWith(store, { terms: [word('late')], limit: 200 })).hits.length, 20);
});
