// What every store of rooms keeps to, whatever it stands on.
import assert from 'node:assert/strict';
import { describe, type TestContext, test } from 'node:test';
import { messageJsonOf } from '../rooms/contract/event.ts';
import { printMessage } from '../rooms/contract/message.ts';
import type { FileRef } from '../rooms/domain/file.ts';
import type { Message } from '../rooms/domain/message.ts';
import type { PageQuery, RoomStore } from '../rooms/store/room-store.ts';
import {
  changed,
  contentHash,
  created,
  newMessage,
  newRun,
  post,
  runStarted,
  START,
  tombstoneOf,
  write,
} from './room-store-parts.ts';

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
  describe(`${name}: what is beside messages`, () => recordRules(open));
  describe(`${name}: removal`, () => removalRules(open));
}

const ALL = { after: 0, upTo: Number.MAX_SAFE_INTEGER, limit: 1000 };

const file = (id: string, sha256: string): FileRef => ({
  id,
  name: `${id}.txt`,
  size: 3,
  contentType: 'text/plain',
  sha256: sha256.repeat(64),
  uploadedBy: 'ana',
  createdAt: START,
});

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

  test('what is read again is what the commit told', async (t) => {
    const { store, reopen } = await open(t);
    const told = (
      await store.append([write(created(newMessage('a')), runStarted('b', 'ben'), runStarted('a'))])
    ).flat();
    const read = await (await reopen()).readEvents(ALL);
    assert.deepEqual(
      read,
      told.map(({ pos, event, data }) => ({
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

  test('events are read of some rooms, and with them those of the whole server', async (t) => {
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

  test('a tombstone takes what the message said out of the whole log', async (t) => {
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
      assert.ok(!data.includes('secret'), `position ${pos} still tells it`);
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

  test('unread are messages of others, but not what is silent or deleted', async (t) => {
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

function pageRules(open: OpenStore): void {
  /** Of 9 messages: what a query shows, and whether there is more on either side. */
  const PAGES: readonly (readonly [Omit<PageQuery, 'roomId'>, readonly number[], boolean, boolean])[] = [
    [{ limit: 3 }, [7, 8, 9], true, false],
    [{ limit: 9 }, [1, 2, 3, 4, 5, 6, 7, 8, 9], false, false],
    [{ limit: 3, before: 4 }, [1, 2, 3], false, true],
    [{ limit: 2, before: 4 }, [2, 3], true, true],
    [{ limit: 2, before: 1 }, [], false, true],
    [{ limit: 2, before: 99 }, [8, 9], true, false],
    [{ limit: 2, after: 0 }, [1, 2], false, true],
    [{ limit: 2, after: 7 }, [8, 9], true, false],
    [{ limit: 2, after: 9 }, [], true, false],
    [{ limit: 2, after: 99 }, [], true, false],
    [{ limit: 3, around: 5 }, [4, 5, 6], true, true],
    [{ limit: 4, around: 5 }, [3, 4, 5, 6], true, true],
    [{ limit: 4, around: 1 }, [1, 2, 3, 4], false, true],
    [{ limit: 4, around: 9 }, [6, 7, 8, 9], true, false],
    [{ limit: 4, around: 99 }, [6, 7, 8, 9], true, false],
    [{ limit: 1, around: 5 }, [5], true, true],
    [{ limit: 5, afterSeq: 6 }, [7, 8, 9], false, false],
    [{ limit: 5, after: 0, afterSeq: 6 }, [7, 8, 9], false, false],
    [{ limit: 5, before: 8, afterSeq: 6 }, [7], false, true],
    [{ limit: 5, around: 2, afterSeq: 6 }, [7, 8, 9], false, false],
    [{ limit: 2, authorId: 'ben' }, [6, 9], true, false],
    [{ limit: 2, authorId: 'ben', after: 0 }, [3, 6], false, true],
    [{ limit: 5, type: 'alert' }, [2, 4], false, false],
    [{ limit: 5, type: 'command' }, [], false, false],
    [{ limit: 9, threadId: 'root' }, [5, 7, 8], false, false],
    [{ limit: 2, threadId: 'root' }, [7, 8], true, false],
    [{ limit: 2, threadId: 'root', after: 5 }, [7, 8], true, false],
    [{ limit: 2, threadId: 'unknown' }, [], false, false],
  ];

  test('a page is a stretch of the order', async (t) => {
    const { store } = await open(t);
    const parts = Array.from({ length: 9 }, (_, index) => {
      const seq = index + 1;
      return newMessage('a', {
        author: { id: seq % 3 === 0 ? 'ben' : 'ana', name: '', kind: 'human' },
        type: seq === 2 || seq === 4 ? 'alert' : 'text',
        threadId: seq > 6 && seq < 9 ? 'root' : null,
        ...(seq === 5 ? { id: 'root' } : {}),
      });
    });
    for (const draft of parts) await post(store, newMessage('before'), draft, newMessage('later'));
    for (const [query, seqs, hasBefore, hasAfter] of PAGES) {
      const page = await store.page({ roomId: 'a', ...query });
      const shown = {
        seqs: page.messages.map(({ message }) => message.seq),
        before: page.hasBefore,
        after: page.hasAfter,
      };
      assert.deepEqual(shown, { seqs, before: hasBefore, after: hasAfter }, JSON.stringify(query));
      for (const { message } of page.messages) assert.equal(message.roomId, 'a');
    }
  });

  test('a room without messages has an empty page', async (t) => {
    const { store } = await open(t);
    await store.append([write(runStarted('empty'))]);
    for (const roomId of ['empty', 'unknown']) {
      assert.deepEqual(await store.page({ roomId, limit: 5 }), { messages: [], hasBefore: false, hasAfter: false });
    }
  });
}

function recordRules(open: OpenStore): void {
  test('records are there after a restart, the removed ones are not', async (t) => {
    const { store, reopen } = await open(t);
    const set = (key: string, value: string) => ({ kind: 'setting' as const, key, value: { value } });
    await store.append([{ events: [], records: [set('one', '1'), set('two', '\0'), set('odd \0 key', '3')] }]);
    await store.append([{ events: [], records: [{ kind: 'setting', key: 'one', value: null }, set('two', '2\0')] }]);
    assert.deepEqual(
      (await (await reopen()).load()).records.toSorted((a, b) => a.key.localeCompare(b.key)),
      [set('odd \0 key', '3'), set('two', '2\0')],
    );
  });

  test('runs that have not ended are known', async (t) => {
    const { store } = await open(t);
    const runs = (['queued', 'running', 'complete', 'failed'] as const).map((state) => newRun({ id: state, state }));
    await store.append([{ events: [], runs }]);
    await store.append([{ events: [], runs: [newRun({ id: 'queued', state: 'cancelled' })] }]);
    assert.deepEqual(await store.unfinishedRuns(), [newRun({ id: 'running', state: 'running' })]);
    assert.equal((await store.run('queued'))?.state, 'cancelled');
    assert.equal(await store.run('unknown'), undefined);
  });

  test('a file is read in the rooms that refer to it, and forgotten when none does', async (t) => {
    const { store } = await open(t);
    const [one, two, three] = [file('one', 'a'), file('two', 'a'), file('three', 'b')];
    assert.ok(one && two && three);
    await store.append([{ events: [], files: [one, two, three] }]);
    const [message] = await post(
      store,
      newMessage('a', { attachments: [one] }),
      newMessage('b', { attachments: [one] }),
    );
    assert.ok(message);
    const roomsOf = async (id: string) => (await store.roomsOfFile(id)).map(({ roomId }) => roomId).toSorted();
    assert.deepEqual(await roomsOf('one'), ['a', 'b']);
    assert.deepEqual(await store.roomsOfFile('two'), []);
    assert.deepEqual(await store.files(['three', 'unknown']), [three]);
    const orphans = async () => (await store.orphanedFiles(START + 1)).map(({ id }) => id).toSorted();
    assert.deepEqual(await orphans(), ['three', 'two']);
    assert.deepEqual(await store.orphanedFiles(START), []);
    const swapped: Message = { ...message, attachments: [three], version: 2 };
    await store.append([write(changed({ type: 'message.updated', roomId: 'a', message: swapped }))]);
    assert.deepEqual([await roomsOf('one'), await roomsOf('three')], [['b'], ['a']]);
    assert.deepEqual(await store.forgetFiles(['one', 'two', 'three']), [], 'the same bytes are another file too');
    assert.deepEqual(await store.files(['one', 'two', 'three']), [one, three]);
    await store.append([write(changed({ type: 'message.deleted', roomId: 'a', message: tombstoneOf(swapped) }))]);
    await post(store, newMessage('b'), newMessage('b', { attachments: [one] }));
    assert.deepEqual(await store.roomsOfFile('one'), [{ roomId: 'b', lastSeq: 3 }], 'and where it was seen last');
    assert.deepEqual(await orphans(), ['three']);
    assert.deepEqual(await store.forgetFiles(['three']), ['b'.repeat(64)]);
  });

  test('the audit is read from its end', async (t) => {
    const { store } = await open(t);
    const entry = (action: string) => ({ at: START, by: 'ana', action, roomId: null, subject: 's' });
    await store.append([{ events: [], audit: ['one', 'two', 'three'].map(entry) }]);
    const [last, middle] = await store.audit({ limit: 2 });
    assert.deepEqual([last?.action, middle?.action], ['three', 'two']);
    const rest = await store.audit({ before: middle?.id ?? 0, limit: 9 });
    assert.deepEqual(rest, [{ ...entry('one'), id: rest[0]?.id }]);
  });
}

function removalRules(open: OpenStore): void {
  const aged = (index: number) => newMessage('a', { id: `aged-${index}`, createdAt: START + index });

  test('a room’s beginning expires, but for what is kept', async (t) => {
    const { store } = await open(t);
    await post(store, ...Array.from({ length: 6 }, (_, index) => aged(index + 1)));
    const expired = async (before: number | null, maxMessages: number | null, keep: string[] = [], limit = 100) =>
      (await store.expired({ roomId: 'a', before, maxMessages, keep, limit })).map(({ seq }) => seq);
    assert.deepEqual(await expired(null, null), []);
    assert.deepEqual(await expired(START + 3, null), [1, 2]);
    assert.deepEqual(await expired(null, 2), [1, 2, 3, 4]);
    assert.deepEqual(await expired(START + 3, 2, ['aged-1', 'aged-3']), [2, 4]);
    assert.deepEqual(await expired(null, 0, [], 2), [1, 2]);
    assert.deepEqual(await expired(null, 9), []);
    assert.deepEqual(await store.expired({ roomId: 'no', before: START, maxMessages: 0, keep: [], limit: 9 }), []);
  });

  test('removed messages are gone with their events, and their ids are remembered for a while', async (t) => {
    const { store, reopen } = await open(t);
    const [first] = await post(store, aged(1), newMessage('b', { id: 'in-another-room' }), aged(2), aged(3));
    assert.ok(first);
    await store.append([write(changed({ type: 'pin.added', roomId: 'a', userId: 'ben', message: first }))]);
    const forever = Number.MAX_SAFE_INTEGER;
    const removal = await store.removeMessages('a', ['aged-1', 'aged-2', 'unknown', 'in-another-room'], forever);
    assert.deepEqual(removal, { head: { lastSeq: 3, firstSeq: 3, lastMessageAt: START + 3 }, firstPos: 2 });
    assert.deepEqual(
      (await store.readEvents(ALL)).map(({ pos }) => pos),
      [2, 4],
    );
    assert.deepEqual(await store.messages(['aged-1', 'aged-2']), []);
    assert.deepEqual((await store.forgotten(['aged-1', 'aged-2', 'aged-3'])).toSorted(), ['aged-1', 'aged-2']);
    assert.equal((await store.removeMessages('a', ['aged-3'], 0)).head.firstSeq, 4);
    assert.deepEqual(await store.forgotten(['aged-3']), []);
    const again = await reopen();
    const { heads, firstPos, pos } = await again.load();
    assert.deepEqual([heads.get('a'), firstPos, pos], [{ lastSeq: 3, firstSeq: 4, lastMessageAt: START + 3 }, 2, 5]);
    assert.deepEqual(
      (await post(again, newMessage('a'))).map(({ seq }) => seq),
      [4],
    );
    assert.equal((await again.load()).heads.get('a')?.firstSeq, 4);
  });

  test('positions go on when the whole log is gone', async (t) => {
    const { store, reopen } = await open(t);
    await post(store, aged(1), aged(2));
    assert.equal((await store.removeMessages('a', ['aged-1', 'aged-2'], 0)).firstPos, 3);
    const again = await reopen();
    const { pos, firstPos } = await again.load();
    assert.deepEqual([pos, firstPos], [2, 3]);
    assert.equal((await again.append([write(created(newMessage('a')))])).flat()[0]?.pos, 3);
  });

  test('a removed room leaves nothing, and its neighbours whole', async (t) => {
    const { store, reopen } = await open(t);
    for (let part = 0; part < 3; part++) {
      await post(store, ...Array.from({ length: 250 }, () => newMessage('a')), newMessage('b'));
    }
    await store.append([{ events: [runStarted('a')], runs: [newRun({ roomId: 'a' })] }]);
    assert.deepEqual(await store.removeRoom('a'), {
      head: { lastSeq: 0, firstSeq: 0, lastMessageAt: null },
      firstPos: 251,
    });
    assert.deepEqual(await store.page({ roomId: 'a', limit: 5 }), { messages: [], hasBefore: false, hasAfter: false });
    assert.equal(await store.run('run-1'), undefined);
    const again = await reopen();
    const { heads, pos } = await again.load();
    assert.deepEqual([[...heads.keys()], heads.get('b')?.lastSeq, pos], [['b'], 3, 754]);
    assert.equal((await again.readEvents(ALL)).length, 3);
    const [anew] = await post(again, newMessage('c'), newMessage('a'));
    assert.equal(anew?.seq, 1);
    assert.equal((await again.page({ roomId: 'a', limit: 5 })).messages.length, 1);
    assert.deepEqual(await again.removeRoom('unknown'), {
      head: { lastSeq: 0, firstSeq: 0, lastMessageAt: null },
      firstPos: 251,
    });
  });
}
