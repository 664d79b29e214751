// Tests of every store: everything but messages, and removal for good.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { FileRef } from '../../domain/file/file.ts';
import type { Message } from '../../domain/message/message.ts';
import { changed, created, newMessage, newRun, post, runStarted, START, tombstoneOf, write } from './parts.ts';
import type { OpenStore } from './rules.ts';

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

export function recordRules(open: OpenStore): void {
  test('records are there after a restart, removed ones are not', async (t) => {
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
    const [a = '', b = '', c = ''] = ['a', 'b', 'c'].map((letter) => letter.repeat(64));
    assert.deepEqual((await store.usedContents([a, b, c])).toSorted(), [a, b]);
    assert.deepEqual(await store.usedContents([c]), []);
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

export function removalRules(open: OpenStore): void {
  const aged = (index: number) => newMessage('a', { id: `aged-${index}`, createdAt: START + index });

  test('a room’s beginning expires, except for kept messages', async (t) => {
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
