import { requireLive, requireModerator } from '../access.ts';
import type { Caller } from '../caller.ts';
import type { ChangeView, Decision } from '../change.ts';
import { type RecordChange, record } from '../record.ts';
import { refuse } from '../refusal.ts';
import type { Room } from '../room/room.ts';
import { findMessage, requireAlive } from './access.ts';
import { auditOf } from './edit.ts';
import { changed, type MessageOutcome, nextVersion, unchanged } from './outcome.ts';

const MAX_PINNED = 50;

/** Decides that a message is pinned or unpinned. */
export function decidePin(view: ChangeView, caller: Caller, id: string, pinned: boolean): Decision<MessageOutcome> {
  const found = findMessage(view, caller, id, view.message(id));
  if (!found.ok) return found;
  const { stored, room } = found.value;
  const { message, contentHash } = stored;
  const refusal = requireModerator(found.value) ?? requireAlive(found.value) ?? requireLive(found.value);
  if (refusal) return refusal;
  if (message.pinned === pinned) return unchanged(stored);
  if (pinned && room.pinned.length >= MAX_PINNED)
    return refuse('limit_reached', `${MAX_PINNED} messages are pinned already; unpin one`);
  const write = {
    events: [
      {
        type: pinned ? ('pin.added' as const) : ('pin.removed' as const),
        roomId: room.id,
        userId: caller.user.id,
        message: nextVersion(message, view.now, { pinned }),
      },
    ],
    records: [pinned ? pin(room, id, view.now) : unpin(room, id, view.now)],
    audit: [auditOf(message, caller, view.now, pinned ? 'message.pin' : 'message.unpin')],
  };
  return changed(write, contentHash);
}

function pin(room: Room, id: string, now: number): RecordChange {
  return withPinned(room, [...room.pinned, id], now);
}

export function unpin(room: Room, id: string, now: number): RecordChange {
  return withPinned(
    room,
    room.pinned.filter((other) => other !== id),
    now,
  );
}

function withPinned(room: Room, pinned: readonly string[], now: number): RecordChange {
  return record('room', room.id, { ...room, pinned, version: room.version + 1, updatedAt: now });
}
