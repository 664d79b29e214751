import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Message } from './message.ts';
import { countReply, uncountReply } from './thread.ts';

const ROOT = { id: 'message-1', roomId: 'room-1', thread: null, version: 1, threadId: null } as Message;

test('a thread names its latest authors, at most five, each once, the latest last', () => {
  let root = ROOT;
  for (const author of ['a', 'b', 'c', 'a', 'd', 'e', 'f']) root = countReply(root, author, 7).message;
  assert.deepEqual(root.thread, { replies: 7, lastReplyAt: 7, participants: ['c', 'a', 'd', 'e', 'f'] });
  assert.equal(root.version, 8);
});

test('a deleted reply is not counted any more, and the count is never below zero', () => {
  const counted = countReply(ROOT, 'a', 7).message;
  const [once] = uncountReply(counted, 9);
  assert.deepEqual(once?.message.thread, { replies: 0, lastReplyAt: 7, participants: ['a'] });
  const [twice] = uncountReply(once?.message ?? ROOT, 9);
  assert.equal(twice?.message.thread?.replies, 0);
  assert.deepEqual(uncountReply(ROOT, 9), []);
});
