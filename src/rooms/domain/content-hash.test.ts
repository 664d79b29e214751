import assert from 'node:assert/strict';
import { test } from 'node:test';
import { hashContent, isSameCard, type PostContent } from './content-hash.ts';
import type { JsonObject } from './message/message.ts';

const CONTENT: PostContent = {
  roomId: 'room-1',
  type: 'text',
  body: 'hello',
  format: 'markdown',
  replyTo: null,
  threadId: null,
  attachments: ['file-1', 'file-2'],
  card: { a: 1, b: { c: [1, 2], d: null } },
};

const OTHERS: readonly Partial<PostContent>[] = [
  { roomId: 'room-2' },
  { type: 'file' },
  { body: 'hello ' },
  { format: 'plain' },
  { replyTo: 'message-1' },
  { threadId: 'message-1' },
  { attachments: ['file-2', 'file-1'] },
  { attachments: [] },
  { card: null },
  { card: { a: 1, b: { c: [2, 1], d: null } } },
  { card: { a: 1, b: { c: [1, 2], d: null }, e: {} } },
];

test('every part of a post counts for equality', () => {
  const hashes = [CONTENT, ...OTHERS.map((other) => ({ ...CONTENT, ...other }))].map(hashContent);
  assert.equal(new Set(hashes).size, hashes.length);
  assert.match(hashes[0] ?? '', /^[0-9a-f]{64}$/);
});

test('parts are not interchangeable', () => {
  assert.notEqual(
    hashContent({ ...CONTENT, replyTo: 'x', threadId: null }),
    hashContent({ ...CONTENT, replyTo: null, threadId: 'x' }),
  );
  assert.notEqual(
    hashContent({ ...CONTENT, card: { a: { b: 1 } } }),
    hashContent({ ...CONTENT, card: { a: ['b', 1] } as JsonObject }),
  );
});

test('the order of a card’s keys does not count', () => {
  const turned: JsonObject = { b: { d: null, c: [1, 2] }, a: 1 };
  assert.equal(hashContent({ ...CONTENT, card: turned }), hashContent(CONTENT));
  assert.ok(isSameCard(turned, CONTENT.card));
  assert.ok(!isSameCard(turned, null));
  assert.ok(!isSameCard({ a: 1 }, { a: '1' }));
});

test('a key named __proto__ is a key like any other', () => {
  const card = JSON.parse('{"__proto__":{"a":1}}') as JsonObject;
  assert.ok(!isSameCard(card, {}));
  assert.ok(!isSameCard(card, JSON.parse('{"__proto__":{"a":2}}') as JsonObject));
});
