import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Committed } from '../domain/event.ts';
import { type Member, memberKey } from '../domain/member/member.ts';
import { record } from '../domain/record.ts';
import type { Room } from '../domain/room/room.ts';
import { newMessage, START } from '../testing/store/parts.ts';
import { BatchView } from './change-view.ts';
import { RoomState } from './state.ts';

const member = (roomId: string, userId: string, role = 'member') => ({ roomId, userId, role }) as Member;

const joined = (roomId: string, userId: string, role?: string) =>
  record('member', memberKey(roomId, userId), member(roomId, userId, role));

const left = (roomId: string, userId: string) => record('member', memberKey(roomId, userId), null);

function viewOf(state: RoomState): BatchView {
  const reads = { messages: new Map(), forgotten: new Set<string>(), reacted: new Set<string>() };
  return new BatchView(state, reads, { now: START, newId: () => 'id', printMessage: ({ id }) => `json of ${id}` });
}

/** The members of rooms, as a state or a view reports them. */
function membershipOf(view: RoomState | BatchView) {
  const rooms = ['a', 'b', 'ab'].map((id) => [id, [...view.membersOf(id)].map(({ userId }) => userId).toSorted()]);
  const counts = ['a', 'b', 'ab'].map((id) => view.memberCount(id));
  const users = ['ana', 'ben', 'kim'].map((id) => [...view.roomIdsOf(id)].toSorted());
  return { rooms, counts, users };
}

const CHANGES = [
  [joined('a', 'ana'), joined('a', 'ben'), joined('ab', 'ana')],
  [left('a', 'ana'), joined('b', 'ana')],
  [joined('a', 'ana'), joined('a', 'ben', 'admin'), left('b', 'kim')],
  [joined('b', 'kim'), left('b', 'kim'), joined('b', 'kim')],
];

test('a view with changes reports what the state reports after them', () => {
  const state = new RoomState([], new Map());
  for (const changes of CHANGES) {
    const view = viewOf(state);
    view.add({ records: changes });
    const before = membershipOf(state);
    const expected = membershipOf(view);
    assert.deepEqual(membershipOf(state), before, 'a view changes no state');
    state.applyRecords(changes);
    assert.deepEqual(membershipOf(state), expected);
  }
  assert.deepEqual(membershipOf(state), {
    rooms: [
      ['a', ['ana', 'ben']],
      ['b', ['ana', 'kim']],
      ['ab', ['ana']],
    ],
    counts: [2, 2, 1],
    users: [['a', 'ab', 'b'], ['a'], ['b']],
  });
  assert.equal(state.get('member', 'a/ben')?.role, 'admin');
});

test("a view continues the count of messages from the room's", () => {
  const state = new RoomState([], new Map([['a', { lastSeq: 7, firstSeq: 3, lastMessageAt: START }]]));
  const view = viewOf(state);
  const draft = (roomId: string) => {
    const message = newMessage(roomId, { createdAt: START + 5 });
    return { type: 'message.created' as const, roomId, message, contentHash: 'hash' };
  };
  const [one, two, other] = [draft('a'), draft('a'), draft('b')];
  view.add({ events: [one, two, other] });
  assert.deepEqual(view.head('a'), { lastSeq: 9, firstSeq: 3, lastMessageAt: START + 5 });
  assert.deepEqual(view.head('b'), { lastSeq: 1, firstSeq: 1, lastMessageAt: START + 5 });
  assert.equal(view.nextSeq('a'), 10);
  assert.equal(view.message(two.message.id)?.message.seq, 9);
  assert.equal(view.message(two.message.id)?.json, `json of ${two.message.id}`);
  assert.equal(view.message(two.message.id)?.contentHash, 'hash');
});

test('a view shows future reactions', () => {
  const view = viewOf(new RoomState([], new Map()));
  const message = { ...newMessage('a'), seq: 1 };
  const key = { messageId: message.id, emoji: '👍', userId: 'ben' };
  const event = { roomId: 'a', emoji: '👍', userId: 'ben', message };
  assert.equal(view.hasReacted(key), false);
  view.add({ events: [{ type: 'reaction.added', ...event }] });
  assert.equal(view.hasReacted(key), true);
  assert.equal(view.hasReacted({ ...key, userId: 'kim' }), false);
  view.add({ events: [{ type: 'reaction.removed', ...event }] });
  assert.equal(view.hasReacted(key), false);
});

test('a view shows a removed record as absent', () => {
  const room = { id: 'a', slug: 'ops' } as Room;
  const view = viewOf(new RoomState([record('room', 'a', room)], new Map()));
  assert.equal(view.get('room', 'a'), room);
  view.add({ records: [record('room', 'a', null)] });
  assert.equal(view.get('room', 'a'), undefined);
});

test('a room’s head follows its messages', () => {
  const state = new RoomState([], new Map());
  const posted = (pos: number, seq: number): Committed => {
    const message = { ...newMessage('a', { createdAt: START + seq }), seq };
    return { pos, event: { type: 'message.created', roomId: 'a', message }, data: '' };
  };
  assert.deepEqual(state.head('a'), { lastSeq: 0, firstSeq: 0, lastMessageAt: null });
  state.applyEvents([posted(1, 1), posted(2, 2)]);
  assert.deepEqual(state.head('a'), { lastSeq: 2, firstSeq: 1, lastMessageAt: START + 2 });
  state.setHead('a', { lastSeq: 2, firstSeq: 3, lastMessageAt: START + 2 });
  state.applyEvents([posted(3, 3)]);
  assert.deepEqual(state.head('a'), { lastSeq: 3, firstSeq: 3, lastMessageAt: START + 3 });
});
