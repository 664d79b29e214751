import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { WireMessage } from '../../../src/rooms/contract/message.ts';
import { makeMessage } from '../testdata.ts';
import { type Flow, rowsOf } from './flow-rows.ts';

const DAY_MS = 86_400_000;
const ana = { id: 'ana', name: 'Ana', kind: 'human' } as const;

function show(messages: readonly WireMessage[], more: Partial<Flow> = {}): readonly string[] {
  const flow: Flow = {
    messages,
    isAtEnd: true,
    pending: [],
    notices: [],
    newAfterSeq: undefined,
    userId: 'ana',
    dayOf: (at) => Math.floor(at / DAY_MS),
    ...more,
  };
  return rowsOf(flow, ({ threadId, alsoInRoom }) => threadId === null || alsoInRoom).map((row) => {
    if (row.kind === 'message') return `${row.isGrouped ? '+' : ''}${row.message.id}`;
    return row.kind === 'pending' ? `pending ${row.item.id}` : row.kind;
  });
}

const at = (minutes: number, change: Partial<WireMessage> = {}): Partial<WireMessage> => ({
  createdAt: new Date(Date.UTC(2030, 0, 1, 12, minutes)).toISOString(),
  ...change,
});
const waiting = (id: string) =>
  ({
    id,
    userId: 'ana',
    roomId: 'r1',
    body: id,
    threadId: null,
    replyTo: null,
    attachments: [],
    createdAt: 1,
    state: 'waiting',
    reason: '',
  }) as const;

const cases: readonly (readonly [rule: string, shown: readonly string[], expected: readonly string[]])[] = [
  [
    'messages of one author within five minutes share one name',
    show([makeMessage(1, at(0)), makeMessage(2, at(4)), makeMessage(3, at(10))]),
    ['day', 'm1', '+m2', 'm3'],
  ],
  [
    'another author begins anew',
    show([makeMessage(1), makeMessage(2, { author: ana }), makeMessage(3)]),
    ['day', 'm1', 'm2', 'm3'],
  ],
  ['a reply shows its author', show([makeMessage(1), makeMessage(2, { replyTo: 'm1' })]), ['day', 'm1', 'm2']],
  [
    'a card is in a row of its own',
    show([makeMessage(1), makeMessage(2, { type: 'alert' }), makeMessage(3)]),
    ['day', 'm1', 'm2', 'm3'],
  ],
  [
    'a new day is marked, and begins anew',
    show([makeMessage(1), makeMessage(2, { createdAt: '2030-01-02T00:00:01.000Z' })]),
    ['day', 'm1', 'day', 'm2'],
  ],
  [
    'replies in threads are shown there, unless also here',
    show([makeMessage(1), makeMessage(2, { threadId: 'm1' }), makeMessage(3, { threadId: 'm1', alsoInRoom: true })]),
    ['day', 'm1', '+m3'],
  ],
  [
    'new messages are under a line',
    show([makeMessage(1), makeMessage(2), makeMessage(3)], { newAfterSeq: 1 }),
    ['day', 'm1', 'new', 'm2', '+m3'],
  ],
  [
    'one’s own messages are not new',
    show([makeMessage(1), makeMessage(2, { author: ana })], { newAfterSeq: 1 }),
    ['day', 'm1', 'm2'],
  ],
  [
    'a message of the reader marks everything before it as seen',
    show([makeMessage(1), makeMessage(2, { author: ana }), makeMessage(3)], { newAfterSeq: 0 }),
    ['day', 'm1', 'm2', 'new', 'm3'],
  ],
  [
    'messages being sent are at the end',
    show([makeMessage(1)], { pending: [waiting('p1'), waiting('p2')] }),
    ['day', 'm1', 'pending p1', 'pending p2'],
  ],
  ['what has arrived is shown once', show([makeMessage(1)], { pending: [waiting('m1')] }), ['day', 'm1']],
  [
    'messages being sent are not shown in an earlier part',
    show([makeMessage(1)], { pending: [waiting('p1')], isAtEnd: false }),
    ['day', 'm1'],
  ],
  [
    'a note for the reader alone is last',
    show([makeMessage(1)], { notices: [{ id: 'n1', text: 'matches 3' }] }),
    ['day', 'm1', 'notice'],
  ],
];
for (const [rule, shown, expected] of cases) {
  test(rule, () => {
    assert.deepEqual(shown, expected);
  });
}
