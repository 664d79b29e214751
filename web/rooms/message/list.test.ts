import assert from 'node:assert/strict';
import { test } from 'node:test';
import { makeMessage } from '../testdata.ts';
import { type ListPage, MessageList } from './list.ts';

const range = (from: number, to: number) =>
  Array.from({ length: to - from + 1 }, (_, index) => makeMessage(from + index));
const page = (from: number, to: number, more: Partial<ListPage> = {}): ListPage => ({
  messages: range(from, to),
  hasBefore: from > 1,
  hasAfter: false,
  ...more,
});
const seqs = (list: MessageList) => list.messages.map(({ seq }) => seq);

function listOf(from: number, to: number, more: Partial<ListPage> = {}): MessageList {
  const list = new MessageList();
  list.replace(page(from, to, more));
  return list;
}

test('a message that follows is added, and again it is known', () => {
  const list = listOf(1, 3);
  assert.equal(list.apply(makeMessage(4)), 'added');
  assert.equal(list.apply(makeMessage(4)), 'known');
  assert.deepEqual(seqs(list), [1, 2, 3, 4]);
});

test('only a newer version changes a message, in any order of arrival', () => {
  const list = listOf(1, 3);
  assert.equal(list.apply(makeMessage(2, { version: 3, body: 'third' })), 'changed');
  assert.equal(list.apply(makeMessage(2, { version: 2, body: 'second' })), 'known');
  assert.equal(list.get('m2')?.body, 'third');
  assert.equal(list.messages[1]?.body, 'third');
});

test('a gap is reported and not applied', () => {
  const list = listOf(1, 3);
  assert.equal(list.apply(makeMessage(5)), 'gap');
  assert.deepEqual(seqs(list), [1, 2, 3]);
});

test('a message that is not the first of an empty room is a gap: those before it may still arrive', () => {
  const list = listOf(1, 0);
  assert.equal(list.apply(makeMessage(4)), 'gap');
  list.append(page(1, 4), list.lastSeq);
  assert.deepEqual(seqs(list), [1, 2, 3, 4]);
  assert.equal(listOf(1, 0).apply(makeMessage(1)), 'added');
});

test('what belongs elsewhere is left alone while an earlier part is shown', () => {
  const list = listOf(10, 12, { hasAfter: true });
  assert.equal(list.apply(makeMessage(13)), 'outside');
  assert.equal(list.apply(makeMessage(9)), 'outside');
  assert.deepEqual(seqs(list), [10, 11, 12]);
});

test('pages extend it at both ends; overlapping messages are kept once', () => {
  const list = listOf(10, 12, { hasAfter: true });
  list.prepend(page(7, 10, { hasBefore: true, hasAfter: true }), 11);
  list.append(page(12, 15), 11);
  assert.deepEqual(seqs(list), [7, 8, 9, 10, 11, 12, 13, 14, 15]);
  assert.equal(list.hasBefore, true);
  assert.equal(list.hasAfter, false);
});

test('a page that was read for another stretch leaves no hole', () => {
  const list = listOf(10, 12, { hasAfter: true });
  list.replace(page(40, 42));
  list.prepend(page(1, 9), 10);
  list.append(page(13, 15, { hasAfter: true }), 12);
  assert.deepEqual([seqs(list), list.hasBefore, list.hasAfter], [[40, 41, 42], true, false]);
  list.replace(page(2, 4, { hasAfter: true }));
  list.append(page(43, 45), 42);
  list.prepend(page(30, 39), 40);
  assert.deepEqual([seqs(list), list.hasBefore, list.hasAfter], [[2, 3, 4], true, true]);
});

test('a page of known messages says nothing of the ends', () => {
  const list = listOf(10, 20);
  list.append(page(13, 15, { hasAfter: true }), 12);
  list.prepend(page(13, 15, { hasBefore: false }), 16);
  assert.deepEqual([seqs(list), list.hasBefore, list.hasAfter], [seqs(listOf(10, 20)), true, false]);
});

test('a page that was read before an edit does not take the edit back', () => {
  const list = listOf(1, 3);
  list.apply(makeMessage(2, { version: 2, body: 'edited' }));
  list.replace(page(1, 3));
  assert.equal(list.get('m2')?.body, 'edited');
});

test('the first message of an empty room is added', () => {
  const list = new MessageList();
  list.replace({ messages: [], hasBefore: false, hasAfter: false });
  assert.equal(list.apply(makeMessage(1)), 'added');
});

test('however long one scrolls back, the list stays bounded and knows that more follows', () => {
  const list = listOf(9_000, 9_099);
  for (let first = 9_000; first > 1; first -= 200) list.prepend(page(Math.max(1, first - 200), first - 1), first);
  assert.equal(list.messages.length <= 4000, true);
  assert.equal(list.hasAfter, true);
  assert.equal(list.firstSeq, 1);
  assert.equal(list.apply(makeMessage(9_100)), 'outside');
});

test('any order of pages and events, doubled at will, ends in the same list', () => {
  const events = [
    makeMessage(4),
    makeMessage(5),
    makeMessage(4, { version: 2, body: 'x' }),
    makeMessage(5, { version: 2, deleted: true }),
  ];
  const orders = [
    [0, 1, 2, 3],
    [0, 0, 1, 2, 1, 3, 2],
    [0, 2, 1, 3, 3],
    [0, 2, 0, 1, 3, 1],
  ];
  const results = orders.map((order) => {
    const list = listOf(1, 3);
    for (const index of order) list.apply(events[index] ?? makeMessage(0));
    return JSON.stringify(list.messages);
  });
  assert.equal(new Set(results).size, 1);
});
