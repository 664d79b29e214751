// Tests of every store, whatever its storage.
import assert from 'node:assert/strict';
import { describe, type TestContext, test } from 'node:test';
import { messageJsonOf, printMessage } from '../../contract/message-json.ts';
import type { Message } from '../../domain/message/message.ts';
import type { RoomStore } from '../../store/store.ts';
import { pageRules } from './page-rules.ts';
import { changed, contentHash, created, newMessage, post, runStarted, START, tombstoneOf, write } from './parts.ts';
import { recordRules, removalRules } from './record-rules.ts';
import { searchRules } from './search-rules.ts';

const ALL = { after: 0, upTo: Number.MAX_SAFE_INTEGER, limit: 1000 };

export interface StoreUnderTest {
  readonly store: RoomStore;
  /** Closes it and opens the same data again. */
  reopen(): Promise<RoomStore>;
}

export type OpenStore = (t: TestContext) => Promise<StoreUnderTest>;

export function describeRoomStore(name: string, open: OpenStore): void {
  describe(`${name}: the log`, () => logRules(open));
  describe(`${name}: messages`, () => messageRules(open));
  describe(`${name}: pages`, () => pageRules(open));
  describe(`${name}: events beside messages`, () => recordRules(open));
  describe(`${name}: removal`, () => removalRules(open));
  describe(`${name}: search`, () => searchRules(open));
}

function logRules(open: OpenStore): void {
  test('positions are dense over all rooms, sequence numbers in each', async (t) => {
    const { store } = await open(t);
    const first = await store.append([
      write(created(newMessage('a')), runStarted('a')),
      { events: [] },
      write(created(newMessage('b')), created(newMessage('a'))),
    ]);
    const second = await store.append([write(created(newMessage('b')))]);
    const places = [...first, ...second].map((events) =>
      events.map(({ pos, event }) => [pos, event.roomId, event.type === 'message.created' ? event.message.seq : 0]),
    );
    assert.deepEqual(places, [
      [
        [1, 'a', 1],
        [2, 'a', 0],
      ],
      [],
      [
        [3, 'b', 1],
        [4, 'a', 2],
      ],
      [[5, 'b', 2]],
    ]);
  });

  test('events are read back as the commit returned them', async (t) => {
    const { store, reopen } = await open(t);
    const committed = (
      await store.append([write(created(newMessage('a')), runStarted('b', 'ben'), runStarted('a'))])
    ).flat();
    const read = await (await reopen()).readEvents(ALL);
    assert.deepEqual(
      read,
      committed.map(({ pos, event, data }) => ({
        pos,
        type: event.type,
        roomId: event.roomId,
        audience: event.audience ?? null,
        seq: event.type === 'message.created' ? event.message.seq : 0,
        data,
      })),
    );
    assert.match(read[0]?.data ?? '', /^\{"pos":1,"roomId":"a","seq":1,"message":\{/);
    for (const { data } of read) JSON.parse(data);
  });

  test('a commit that fails takes no place', async (t) => {
    const { store, reopen } = await open(t);
    const [message] = await post(store, newMessage('a'));
    const again = newMessage('b', { id: message?.id ?? '' });
    await assert.rejects(store.append([write(created(newMessage('new'))), write(created(again))]));
    const [next] = (await store.append([write(created(newMessage('new')))])).flat();
    assert.equal(next?.pos, 2);
    assert.deepEqual((await (await reopen()).load()).heads.get('new'), {
      lastSeq: 1,
      firstSeq: 1,
      lastMessageAt: START,
    });
  });

  test('commits that are asked for at once follow each other', async (t) => {
    const { store } = await open(t);
    const commits = await Promise.all(
      Array.from({ length: 20 }, () => store.append([write(created(newMessage('a')))])),
    );
    assert.deepEqual(
      commits.flat(2).map(({ pos }) => pos),
      Array.from({ length: 20 }, (_, index) => index + 1),
    );
  });

  test('events are read of some rooms, together with those of the whole server', async (t) => {
    const { store } = await open(t);
    const ofServer = { type: 'token.revoked', roomId: null, audience: 'ana', tokenId: 't' } as const;
    await store.append([
      write(created(newMessage('rare'))),
      write({ draft: ofServer, body: '"roomId":null,"tokenId":"t"}' }),
      ...Array.from({ length: 50 }, () => write(created(newMessage('busy')))),
      write(created(newMessage('rare'))),
    ]);
    const positions = async (query: { after?: number; upTo?: number; limit?: number; roomIds?: string[] }) =>
      (await store.readEvents({ ...ALL, ...query })).map(({ pos }) => pos);
    assert.deepEqual(await positions({ roomIds: ['rare'], limit: 3 }), [1, 2, 53]);
    assert.deepEqual(await positions({ roomIds: ['rare'], limit: 2 }), [1, 2]);
    assert.deepEqual(await positions({ roomIds: ['rare', 'unknown'], after: 2 }), [53]);
    assert.deepEqual(await positions({ roomIds: [], after: 0 }), [2]);
    assert.deepEqual(await positions({ roomIds: ['rare'], upTo: 52 }), [1, 2]);
    assert.deepEqual(await positions({ after: 50, upTo: 52 }), [51, 52]);
    assert.deepEqual(await positions({ after: 53 }), []);
    assert.equal((await store.readEvents({ ...ALL, after: 1, limit: 1 }))[0]?.roomId, null);
  });

  test('a store keeps its epoch and its place', async (t) => {
    const { store, reopen } = await open(t);
    const before = await store.load();
    assert.match(before.epoch, /^[a-z0-9]{4,12}$/);
    assert.deepEqual([before.pos, before.firstPos, before.heads.size], [0, 1, 0]);
    await post(store, newMessage('a'), newMessage('a', { createdAt: START + 5 }), newMessage('b'));
    const after = await (await reopen()).load();
    assert.deepEqual([after.epoch, after.pos, after.firstPos], [before.epoch, 3, 1]);
    assert.deepEqual(after.heads.get('a'), { lastSeq: 2, firstSeq: 1, lastMessageAt: START + 5 });
  });
}

function messageRules(open: OpenStore): void {
  test('a message is what its last event says', async (t) => {
    const { store, reopen } = await open(t);
    const draft = newMessage('a', { body: 'Grüße \u2028 "quoted" 🦊', card: { text: 'a \0 b' } });
    const [message] = await post(store, draft);
    assert.ok(message);
    const edited: Message = { ...message, body: 'edited', version: 2 };
    const [stored] = await store.messages([message.id, 'unknown']);
    assert.deepEqual(stored?.message, message);
    assert.equal(stored?.json, printMessage(message));
    assert.equal(stored?.contentHash, contentHash(draft));
    await store.append([write(changed({ type: 'message.updated', roomId: 'a', message: edited }))]);
    const [again] = await (await reopen()).messages([message.id]);
    assert.deepEqual(again?.message, edited);
    assert.equal(again?.contentHash, contentHash(draft));
  });

  test('a tombstone removes the text of the message from the whole log', async (t) => {
    const { store } = await open(t);
    const [message, other] = await post(
      store,
      newMessage('a', { body: 'secret one' }),
      newMessage('a', { body: 'kept' }),
    );
    assert.ok(message && other);
    const edited: Message = { ...message, body: 'secret two', version: 2 };
    const reaction = { emoji: '"message":', userId: 'ben' };
    await store.append([
      {
        events: [
          changed({ type: 'message.updated', roomId: 'a', message: edited }),
          changed({ type: 'reaction.added', roomId: 'a', ...reaction, message: { ...edited, version: 3 } }),
        ],
        edits: [
          { messageId: message.id, version: 1, body: 'secret one', format: 'plain', editedAt: 1, editedBy: 'ana' },
        ],
      },
    ]);
    const tombstone = tombstoneOf({ ...edited, version: 3 });
    await store.append([write(changed({ type: 'message.deleted', roomId: 'a', message: tombstone }))]);
    const events = await store.readEvents(ALL);
    assert.deepEqual(
      events.map(({ pos, type, seq }) => [pos, type, seq]),
      [
        [1, 'message.created', 1],
        [2, 'message.created', 2],
        [3, 'message.updated', 1],
        [4, 'reaction.added', 1],
        [5, 'message.deleted', 1],
      ],
    );
    for (const { data, pos } of events) {
      assert.ok(!data.includes('secret'), `position ${pos} still holds it`);
      assert.equal(messageJsonOf(data), printMessage(pos === 2 ? other : tombstone));
      assert.equal(JSON.parse(data).pos, pos);
    }
    assert.equal(JSON.parse(events[3]?.data ?? '').emoji, reaction.emoji);
    assert.deepEqual(await store.edits(message.id), []);
    assert.deepEqual(await store.reacted([{ messageId: message.id, ...reaction }]), []);
  });

  test('a reaction is there until it is taken back', async (t) => {
    const { store } = await open(t);
    const [message] = await post(store, newMessage('a'));
    assert.ok(message);
    const react = (type: 'reaction.added' | 'reaction.removed', emoji: string) =>
      store.append([write(changed({ type, roomId: 'a', emoji, userId: 'ben', message }))]);
    const key = { messageId: message.id, emoji: '👍', userId: 'ben' };
    const keys = [key, { ...key, userId: 'kim' }, { ...key, emoji: '\0' }, { ...key, messageId: 'unknown' }];
    await react('reaction.added', '👍');
    assert.deepEqual(await store.reacted(keys), [key]);
    await react('reaction.added', '\0');
    await react('reaction.removed', '👍');
    assert.deepEqual(await store.reacted(keys), [keys[2]]);
  });

  test('earlier words of a message are kept in order', async (t) => {
    const { store } = await open(t);
    const [message] = await post(store, newMessage('a'));
    assert.ok(message);
    const edits = [1, 2].map((version) => ({
      messageId: message.id,
      version,
      body: `was ${version}`,
      format: 'plain' as const,
      editedAt: START,
      editedBy: 'ana',
    }));
    await store.append([{ events: [], edits: edits.toReversed() }]);
    assert.deepEqual(await store.edits(message.id), edits);
    assert.deepEqual(await store.edits('unknown'), []);
  });

  test('messages of others are unread, except silent and deleted ones', async (t) => {
    const { store } = await open(t);
    const ben = { id: 'ben', name: 'Ben', kind: 'human' } as const;
    const naming = (users: readonly string[], room = false) => ({ mentions: { users, room, copilot: false } });
    const posted = await post(
      store,
      newMessage('a', { author: ben, ...naming(['ana']) }),
      newMessage('a', { author: ben, ...naming(['ana'], true) }),
      newMessage('a', { author: ben, ...naming([], true) }),
      newMessage('a', naming(['ana'])),
      newMessage('a', { author: ben, silent: true, ...naming(['ana']) }),
      newMessage('a', { author: ben, ...naming(['ana']) }),
      newMessage('b', { author: ben, ...naming(['ana']) }),
      newMessage('a', { author: ben }),
    );
    const last = posted[5];
    assert.ok(last);
    await store.append([write(changed({ type: 'message.deleted', roomId: 'a', message: tombstoneOf(last) }))]);
    const unread = (afterSeq: number, limit = 100) => store.unread({ roomId: 'a', userId: 'ana', afterSeq, limit });
    assert.deepEqual(await unread(0), { unread: 4, mentions: 3 });
    assert.deepEqual(await unread(1), { unread: 3, mentions: 2 });
    assert.deepEqual(await unread(0, 2), { unread: 2, mentions: 2 });
    assert.deepEqual(await unread(7), { unread: 0, mentions: 0 });
    assert.deepEqual(await store.unread({ roomId: 'none', userId: 'ana', afterSeq: 0, limit: 9 }), {
      unread: 0,
      mentions: 0,
    });
  });
}
