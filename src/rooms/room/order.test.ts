import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Committed } from '../domain/event.ts';
import { record } from '../domain/record.ts';
import type { Room } from '../domain/room/room.ts';
import { comparePlaces, placeOf, RoomOrder } from './order.ts';
import { RoomState } from './state.ts';

/** A sequence of numbers below 1 that is the same in every run. */
function randomFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

function committed(type: 'room.created' | 'message.created', roomId: string, createdAt = 0): Committed {
  const event = { type, roomId, message: { roomId, seq: 1, createdAt }, room: { id: roomId } };
  return { pos: 1, event, data: '' } as unknown as Committed;
}

test('after any posts, creations and deletions, rooms are in their order, and pages cover them all', () => {
  const random = randomFrom(7);
  const state = new RoomState([], new Map());
  const order = new RoomOrder(state);
  const follow = (...events: Committed[]) => order.follow(events, { isOwn: true, events, records: [] });
  const ids: string[] = [];
  for (let step = 0; step < 2000; step++) {
    const kind = random();
    const id = ids[Math.floor(random() * ids.length)];
    if (kind < 0.1 || id === undefined) {
      const made = `room-${step}`;
      ids.push(made);
      state.applyRecords([record('room', made, { id: made } as Room)]);
      follow(committed('room.created', made));
    } else if (kind < 0.12) {
      ids.splice(ids.indexOf(id), 1);
      const gone = record('room', id, null);
      state.applyRecords([gone]);
      order.follow([], { isOwn: true, events: [], records: [gone] });
    } else {
      const post = committed('message.created', id, 1 + Math.floor(random() * 500));
      state.applyEvents([post]);
      follow(post);
    }
    if (random() > 0.05) continue;
    const expected = ids.map((roomId) => placeOf(state, roomId)).sort(comparePlaces);
    assert.deepEqual([...order.after(undefined)], expected);
    const cut = expected[Math.floor(random() * expected.length)];
    if (cut) assert.deepEqual([...order.after(cut)], expected.slice(expected.indexOf(cut) + 1));
  }
  assert.deepEqual([...new RoomOrder(state).after(undefined)], [...order.after(undefined)], 'as after a restart');
});
