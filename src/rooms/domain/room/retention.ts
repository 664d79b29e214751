import { noSuchRoom } from '../access.ts';
import { forgetCard } from '../card/live-card.ts';
import type { Change, StateView } from '../change.ts';
import { keepGuest } from '../member/guest.ts';
import { record } from '../record.ts';
import type { Room } from './room.ts';

const DAY_MS = 24 * 3_600_000;

/** The messages to remove: those created before an instant, and those beyond a number. */
export interface RetentionBounds {
  readonly roomId: string;
  readonly before: number | null;
  readonly maxMessages: number | null;
  /** Pinned messages are never removed. */
  readonly keep: readonly string[];
}

/** `undefined`: the room keeps all. `usualMs`: the default where the room has no setting; 0 is for ever. */
export function retentionBounds(room: Room, usualMs: number, now: number): RetentionBounds | undefined {
  const { days, maxMessages } = room.retention;
  const keptMs = days === null ? usualMs : days * DAY_MS;
  if (keptMs === 0 && maxMessages === null) return undefined;
  return { roomId: room.id, before: keptMs === 0 ? null : now - keptMs, maxMessages, keep: room.pinned };
}

/** Notifies readers of the room's new beginning, after messages were removed. */
export function announceFirstSeq(roomId: string, removedIds: readonly string[]): Change<Room> {
  return {
    decide(view) {
      const room = view.get('room', roomId);
      if (!room || room.deletedAt !== null) return noSuchRoom(roomId);
      const changed: Room = { ...room, version: room.version + 1, updatedAt: view.now };
      return {
        ok: true,
        write: {
          records: [record('room', roomId, changed), ...removedIds.flatMap((id) => forgetCard(view, id).records)],
          events: [{ type: 'room.updated', roomId, room: changed }],
        },
        answer: () => changed,
      };
    },
  };
}

/** Removes a deleted room's records; its messages and events are removed apart. */
export function forgetRoom(roomId: string, hanging: HangingRecords): Change<null> {
  return {
    decide(view) {
      const room = view.get('room', roomId);
      if (!room || room.deletedAt === null) return noSuchRoom(roomId);
      const records = [
        record('room', roomId, null),
        record('duty', roomId, null),
        record('secret', `room/${roomId}`, null),
      ];
      if (holds(view, 'slug', room.slug, roomId)) records.push(record('slug', room.slug, null));
      if (hanging.directKey !== undefined && holds(view, 'direct', hanging.directKey, roomId))
        records.push(record('direct', hanging.directKey, null));
      for (const { userId } of view.membersOf(roomId))
        records.push(...keepGuest(view, userId), record('member', `${roomId}/${userId}`, null));
      for (const key of hanging.banKeys) records.push(record('ban', key, null));
      for (const code of hanging.inviteCodes) records.push(record('invite', code, null));
      for (const id of hanging.cardIds) records.push(record('card', id, null));
      for (const id of hanging.hookIds) {
        records.push(record('hook', id, null), record('progress', id, null), record('secret', `hook/${id}`, null));
      }
      return { ok: true, write: { records }, answer: () => null };
    },
  };
}

/** Keys of the room's records that can only be found by a scan of their kind. */
export interface HangingRecords {
  readonly directKey: string | undefined;
  readonly banKeys: readonly string[];
  readonly inviteCodes: readonly string[];
  readonly hookIds: readonly string[];
  readonly cardIds: readonly string[];
}

function holds(view: StateView, kind: 'slug' | 'direct', key: string, roomId: string): boolean {
  return view.get(kind, key)?.roomId === roomId;
}
