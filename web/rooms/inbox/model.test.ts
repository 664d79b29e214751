import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { WireInbox } from '../../../src/rooms/contract/inbox.ts';
import type { WireMessage } from '../../../src/rooms/contract/message.ts';
import { makeMessage, me } from '../testdata.ts';
import { InboxModel } from './model.ts';

const ana = { id: 'ana', name: 'Ana', kind: 'human' } as const;
const toAna: Partial<WireMessage> = { mentions: { users: ['ana'], room: false, copilot: false } };
const thread = (participants: readonly string[]): WireMessage['thread'] => ({
  replies: participants.length,
  lastReplyAt: '2030-01-01T12:00:00.000Z',
  participants: [...participants],
});
const shown = (inbox: InboxModel) => [
  inbox.mentions.map(({ id }) => id),
  inbox.threads.map(({ root, last, unread }) => `${root.id}: ${last.id}, ${unread}`),
];

/** A reply, then its root, as events bring them. */
function reply(inbox: InboxModel, seq: number, root: WireMessage, change: Partial<WireMessage> = {}, of = me): void {
  inbox.take(makeMessage(seq, { threadId: root.id, ...change }), of, true);
  inbox.take(root, of, false);
}

test('a mention of the user is in the inbox until its room is read up to it', () => {
  const inbox = new InboxModel('ana');
  assert.equal(inbox.take(makeMessage(1), me, true), false);
  assert.equal(inbox.take(makeMessage(2, toAna), me, true), true);
  inbox.take(makeMessage(3, { mentions: { users: [], room: true, copilot: false } }), me, true);
  inbox.take(makeMessage(4, { ...toAna, silent: true }), me, true);
  inbox.take(makeMessage(5, { ...toAna, author: ana }), me, true);
  inbox.take(makeMessage(6, toAna), { ...me, lastReadSeq: 6 }, true);
  inbox.take(makeMessage(7, toAna), { ...me, involvement: 'invisible' }, true);
  assert.deepEqual(shown(inbox), [['m3', 'm2'], []]);
  assert.equal(inbox.settle('other', { ...me, lastReadSeq: 9 }), false);
  assert.equal(inbox.settle('r1', { ...me, lastReadSeq: 2 }), true);
  assert.deepEqual(shown(inbox), [['m3'], []]);
});

test('a deleted mention is gone, and an edited one has its new text', () => {
  const inbox = new InboxModel('ana');
  inbox.take(makeMessage(1, toAna), me, true);
  inbox.take(makeMessage(1, { ...toAna, body: 'other words', version: 2 }), me, false);
  assert.equal(inbox.mentions[0]?.body, 'other words');
  inbox.take(makeMessage(1, { deleted: true, version: 3 }), me, false);
  assert.equal(inbox.size, 0);
});

test('replies are in the inbox in threads that the user began or answered, or with a mention', () => {
  const inbox = new InboxModel('ana');
  const [begun, answered, foreign] = [
    makeMessage(1, { author: ana, thread: thread(['ben']) }),
    makeMessage(2, { thread: thread(['ana', 'ben']) }),
    makeMessage(3, { thread: thread(['ben']) }),
  ];
  reply(inbox, 4, begun);
  reply(inbox, 5, answered);
  reply(inbox, 6, answered);
  reply(inbox, 7, foreign);
  assert.deepEqual(shown(inbox), [[], ['m2: m6, 2', 'm1: m4, 1']]);
  reply(inbox, 8, foreign, toAna);
  assert.deepEqual(shown(inbox)[1]?.[0], 'm3: m8, 1');
});

test('a thread is read by its position, or by an answer; a room shows only some replies', () => {
  const inbox = new InboxModel('ana');
  const root = makeMessage(1, { author: ana, thread: thread(['ben']) });
  reply(inbox, 2, root);
  inbox.settle('r1', { ...me, lastReadSeq: 2 });
  assert.equal(inbox.size, 1);
  inbox.settle('r1', { ...me, threadReads: { m1: 2 } });
  assert.equal(inbox.size, 0);
  reply(inbox, 3, root, { alsoInRoom: true });
  inbox.settle('r1', { ...me, lastReadSeq: 3 });
  assert.equal(inbox.size, 0);
  reply(inbox, 4, root);
  inbox.take(makeMessage(5, { threadId: 'm1', author: ana }), me, true);
  assert.equal(inbox.size, 0);
});

test('repeated events count no reply twice', async () => {
  const inbox = new InboxModel('ana');
  const root = makeMessage(1, { author: ana, thread: thread(['ben']) });
  await inbox.read(async () => ({
    mentions: [],
    threads: [{ root, last: makeMessage(3, { threadId: 'm1' }), unread: 2 }],
  }));
  reply(inbox, 2, root);
  reply(inbox, 3, root);
  assert.deepEqual(shown(inbox)[1], ['m1: m3, 2']);
  reply(inbox, 4, root, {}, { ...me, threadReads: { m1: 4 } });
  assert.deepEqual(shown(inbox)[1], ['m1: m3, 2']);
  inbox.forget('r1');
  assert.equal(inbox.size, 0);
});

test('what happens while the inbox is read holds, whether the answer knows of it or not', async () => {
  const root = makeMessage(1, { author: ana, thread: thread(['ben']) });
  const both = { mentions: [makeMessage(2, toAna), makeMessage(3, toAna)], threads: [] };
  const answered = { ...both, threads: [{ root, last: makeMessage(4, { threadId: 'm1' }), unread: 1 }] };
  for (const answer of [both, answered]) {
    const inbox = new InboxModel('ana');
    await inbox.read(async () => {
      inbox.take(makeMessage(3, toAna), me, true);
      reply(inbox, 4, root);
      inbox.settle('r1', { ...me, lastReadSeq: 2 });
      return answer;
    });
    assert.deepEqual(shown(inbox), [['m3'], ['m1: m4, 1']]);
  }
});

test('a reply whose root follows an answer that knows of both counts once', async () => {
  const inbox = new InboxModel('ana');
  const root = makeMessage(1, { author: ana, thread: thread(['ben']) });
  const last = makeMessage(2, { threadId: 'm1' });
  inbox.take(last, me, true);
  await inbox.read(async () => ({ mentions: [], threads: [{ root, last, unread: 1 }] }));
  inbox.take(root, me, false);
  assert.deepEqual(shown(inbox), [[], ['m1: m2, 1']]);
});

test('of two reads the older answer, when it comes last, hides nothing', async () => {
  const inbox = new InboxModel('ana');
  let answer = (_: WireInbox) => {};
  const older = inbox.read(() => new Promise((done) => (answer = done)));
  inbox.take(makeMessage(2, toAna), me, true);
  await inbox.read(async () => ({ mentions: [makeMessage(2, toAna)], threads: [] }));
  answer({ mentions: [], threads: [] });
  await older;
  assert.deepEqual(shown(inbox), [['m2'], []]);
});
