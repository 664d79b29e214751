// Tests of every store: the search.
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import type { NewMessage } from '../../domain/message/message.ts';
import { parseSearch } from '../../domain/search-query.ts';
import type { RoomStore, SearchQuery, SearchTerm } from '../../store/store.ts';
import { changed, newMessage, post, START, tombstoneOf, write } from './parts.ts';
import type { OpenStore } from './rules.ts';

const DAY = 86_400_000;

export const word = (...words: readonly string[]): SearchTerm => ({ words, prefix: false, not: false });
export const prefix = (...words: readonly string[]): SearchTerm => ({ words, prefix: true, not: false });
const not = (...words: readonly string[]): SearchTerm => ({ words, prefix: false, not: true });

export function findWith(store: RoomStore, query: Partial<SearchQuery>) {
  return store.search({ rooms: [{ roomId: 'a', afterSeq: 0 }], terms: [], limit: 20, ...query });
}

export async function bodiesOf(store: RoomStore, query: Partial<SearchQuery>): Promise<readonly string[]> {
  return (await findWith(store, query)).hits.map(({ stored }) => stored.message.body);
}

export const say = (body: string, parts: Partial<NewMessage> = {}) => newMessage('a', { body, ...parts });

/** Finds in `日本語テキスト`, `サーバーが止まった` and `เซิร์ฟเวอร์ล่มแล้ว`, which have no space. */
const UNSPACED_TERMS: readonly (readonly [string, readonly string[]])[] = [
  ['日本', ['日本語テキスト']],
  ['本語', ['日本語テキスト']],
  ['テキ', ['日本語テキスト']],
  ['本日', []],
  ['サーバー', ['サーバーが止まった']],
  ['が止', ['サーバーが止まった']],
  ['か止', []],
  ['ล่ม', ['เซิร์ฟเวอร์ล่มแล้ว']],
  ['日本*', ['日本語テキスト']],
];

const TERMS: readonly (readonly [string, readonly SearchTerm[], readonly string[]])[] = [
  ['all words must be there', [word('pool'), word('full')], ['the POOL is full']],
  ['case and accents do not matter', [word('creme'), word('BRÛLÉE')], ['Crème brûlée today']],
  ['a phrase is in order', [word('is', 'full')], ['the POOL is full']],
  ['a phrase is not its words', [word('full', 'is')], []],
  ['the beginning of a word', [prefix('conn')], ['connections: 7', 'connected']],
  ['one letter is a beginning', [prefix('f')], ['the POOL is full']],
  ['a long beginning', [prefix('connectio')], ['connections: 7']],
  ['a word is not its beginning', [word('conn')], []],
  ['the last word of a phrase may be a beginning', [prefix('is', 'fu')], ['the POOL is full']],
  ['what must not be there', [word('the'), not('full')], ['the pool drains']],
  [
    'only what must not be there',
    [not('the'), not('connected'), not('connections')],
    ['日本語 text', 'Crème brûlée today'],
  ],
  ['words of the index’s language are words', [word('AND')], []],
  ['a quote ends nothing', [word('x" OR "the')], []],
  ['operators are words', [word('the* OR NOT NEAR(a b)')], []],
  ['a column is a word', [word('text:the')], []],
  ['without letters nothing is asked', [word('…'), word('pool')], ['the pool drains', 'the POOL is full']],
  ['what marks the index’s own words is dropped', [word('\uE000r1'), word('\0pool')], []],
];

export function searchRules(open: OpenStore): void {
  async function openWith(t: TestContext, ...drafts: readonly NewMessage[]) {
    const opened = await open(t);
    const messages = await post(opened.store, ...drafts);
    await opened.store.indexed();
    return { ...opened, messages };
  }

  test('words are found, the newest message first', async (t) => {
    const bodies = [
      'the POOL is full',
      'Crème brûlée today',
      'connected',
      'the pool drains',
      '日本語 text',
      'connections: 7',
    ];
    const { store } = await openWith(t, ...bodies.map((body) => say(body)));
    for (const [rule, terms, found] of TERMS) assert.deepEqual(await bodiesOf(store, { terms }), found, rule);
  });

  test('any part of a text without spaces between its words is found', async (t) => {
    const { store } = await openWith(
      t,
      ...['日本語テキスト', 'サーバーが止まった', 'เซิร์ฟเวอร์ล่มแล้ว'].map((body) => say(body)),
    );
    for (const [text, found] of UNSPACED_TERMS) {
      const parsed = parseSearch(text);
      assert.ok(parsed.ok);
      assert.deepEqual(await bodiesOf(store, { terms: parsed.value.terms }), found, text);
    }
  });

  test('ß is ss, in the text as in the search', async (t) => {
    const { store } = await openWith(t, ...['Grüße', 'GRÜẞE', 'GRÜSSE', 'grusse', 'Grüse'].map((body) => say(body)));
    const all = ['grusse', 'GRÜSSE', 'GRÜẞE', 'Grüße'];
    for (const asked of [word('GRÜSSE'), word('grusse'), word('grüsse'), word('grüße'), word('GRÜẞE'), prefix('grüß')])
      assert.deepEqual(await bodiesOf(store, { terms: [asked] }), all, asked.words[0]);
    assert.deepEqual((await findWith(store, { terms: [word('grusse')] })).hits.at(-1)?.offsets, [[0, 5]]);
  });

  test('index terms about a message are not found as its words', async (t) => {
    const { store } = await openWith(t, say('hello'), say('\uE000r1 \uE000htext'));
    for (const text of ['r1', 'htext', 'd2026', '202603']) {
      assert.equal((await bodiesOf(store, { terms: [word(text)] })).includes('hello'), false, text);
    }
    assert.deepEqual(await bodiesOf(store, { has: 'link' }), []);
  });

  test('a search keeps to rooms, and to their visible messages', async (t) => {
    const { store } = await open(t);
    const bodies = Array.from({ length: 4 }, (_, index) => `word ${index}`);
    for (const body of bodies) {
      await post(store, newMessage('a', { body: `a ${body}` }), newMessage('b', { body: `b ${body}` }));
    }
    await store.indexed();
    const search = (rooms: SearchQuery['rooms']) => bodiesOf(store, { terms: [word('word')], rooms });
    assert.deepEqual(await search([{ roomId: 'a', afterSeq: 2 }]), ['a word 3', 'a word 2']);
    assert.deepEqual(await search([{ roomId: 'unknown', afterSeq: 0 }]), []);
    assert.deepEqual(await search([]), []);
    const both = [
      { roomId: 'a', afterSeq: 4 },
      { roomId: 'b', afterSeq: 3 },
    ];
    assert.deepEqual(await search(both), ['b word 3']);
  });

  test('a search by more rooms than the index is asked for finds the same', async (t) => {
    const { store } = await open(t);
    await post(
      store,
      ...Array.from({ length: 130 }, (_, index) => newMessage(`room-${index}`, { body: `word ${index}` })),
    );
    await store.indexed();
    const rooms = Array.from({ length: 120 }, (_, index) => ({ roomId: `room-${index}`, afterSeq: 0 }));
    const found = await bodiesOf(store, { rooms, terms: [word('word')], limit: 3 });
    assert.deepEqual(found, ['word 119', 'word 118', 'word 117']);
  });

  test('a search filters by author, type and attachments', async (t) => {
    const kim = { id: 'Kim-1', name: 'Kim', kind: 'human' } as const;
    const file = { id: 'f', name: 'f', size: 1, contentType: 'x', sha256: 'a', uploadedBy: 'ana', createdAt: START };
    const { store } = await openWith(
      t,
      say('plain'),
      say('by kim', { author: kim }),
      say('an alert', { type: 'alert' }),
      say('with a file', { attachments: [file] }),
      say('see HTTPS://example.com/x'),
    );
    assert.deepEqual(await bodiesOf(store, { authorId: 'Kim-1' }), ['by kim']);
    assert.deepEqual(await bodiesOf(store, { authorId: 'Kim' }), []);
    assert.deepEqual(await bodiesOf(store, { type: 'alert' }), ['an alert']);
    assert.deepEqual(await bodiesOf(store, { has: 'file' }), ['with a file']);
    assert.deepEqual(await bodiesOf(store, { has: 'link' }), ['see HTTPS://example.com/x']);
    assert.deepEqual(await bodiesOf(store, { has: 'link', terms: [not('see')] }), []);
    assert.equal((await bodiesOf(store, {})).length, 5);
  });

  test('a search keeps to a time, to the millisecond', async (t) => {
    const instants = [
      Date.UTC(1999, 11, 31),
      Date.UTC(2009, 11, 31, 23, 59, 59, 999),
      Date.UTC(2010, 0),
      Date.UTC(2025, 11, 31),
      START,
      START + 1,
      START + 40 * DAY,
      Date.UTC(2150, 0),
    ];
    const { store } = await openWith(t, ...instants.map((createdAt) => say('x', { createdAt })));
    const bounds = [...instants, START - DAY, Date.UTC(2020, 1, 29), undefined];
    for (const createdFrom of bounds) {
      for (const createdTo of bounds) {
        const query = {
          ...(createdFrom === undefined ? {} : { createdFrom }),
          ...(createdTo === undefined ? {} : { createdTo }),
        };
        const found = (await findWith(store, query)).hits.map(({ stored }) => stored.message.createdAt);
        const expected = instants.filter((at) => at >= (createdFrom ?? -Infinity) && at < (createdTo ?? Infinity));
        assert.deepEqual(found.toReversed(), expected, JSON.stringify(query));
      }
    }
  });

  test('pages follow each other without a hole', async (t) => {
    const { store } = await openWith(t, ...Array.from({ length: 7 }, (_, index) => say(`word ${index}`)));
    const found: string[] = [];
    let next: number | null = null;
    const sizes: number[] = [];
    do {
      const page = await findWith(store, { terms: [word('word')], limit: 3, ...(next === null ? {} : { next }) });
      sizes.push(page.hits.length);
      found.push(...page.hits.map(({ stored }) => stored.message.body));
      next = page.next;
    } while (next !== null);
    assert.deepEqual(sizes, [3, 3, 1]);
    assert.deepEqual(
      found,
      [6, 5, 4, 3, 2, 1, 0].map((index) => `word ${index}`),
    );
    assert.equal((await findWith(store, { terms: [word('word')], limit: 7 })).next, null);
  });

  test('an edited message is found by its new words alone, a deleted or removed one by none', async (t) => {
    const { store, messages } = await openWith(t, say('first words'), say('second words'), say('third words'));
    const [first, second, third] = messages;
    assert.ok(first && second && third);
    await store.append([
      write(changed({ type: 'message.updated', roomId: 'a', message: { ...first, body: 'other text', version: 2 } })),
      write(changed({ type: 'message.deleted', roomId: 'a', message: tombstoneOf(second) })),
    ]);
    await store.removeMessages('a', [third.id], START);
    await store.indexed();
    assert.deepEqual(await bodiesOf(store, { terms: [word('words')] }), []);
    assert.deepEqual(await bodiesOf(store, { terms: [word('other')] }), ['other text']);
  });

  test('the words of a long text are found in their order', async (t) => {
    const long = 'x '.repeat(20_000);
    const { store } = await openWith(
      t,
      say(`${long}one two`),
      say(`${long}two one`),
      say('one two'),
      say('one, not two'),
    );
    const found = async (...terms: readonly SearchTerm[]) =>
      (await bodiesOf(store, { terms })).map((body) => body.replaceAll('x ', ''));
    assert.deepEqual(await found(word('one', 'two')), ['one two', 'one two']);
    assert.deepEqual(await found(word('two'), not('one', 'two')), ['one, not two', 'two one']);
    assert.deepEqual(await found(prefix('two', 'on')), ['two one']);
    const word700 = 'y'.repeat(700);
    await post(store, say(`${word700}a`), say(`${word700}b`));
    await store.indexed();
    assert.deepEqual(await bodiesOf(store, { terms: [word(`${word700}a`)] }), [`${word700}a`]);
    assert.equal((await bodiesOf(store, { terms: [prefix(word700)] })).length, 2);
  });
}
