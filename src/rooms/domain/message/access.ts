import { accessTo, type RoomAccess } from '../access.ts';
import type { Caller } from '../caller.ts';
import type { StateView } from '../change.ts';
import { accepted, type Outcome, type Refusal, refuse } from '../refusal.ts';
import type { StoredMessage } from './message.ts';

/** A message, and the caller's rights to it. */
export interface MessageAccess extends RoomAccess {
  readonly stored: StoredMessage;
  readonly isAuthor: boolean;
}

/** Finds a message of a room that the caller may read. */
export function findMessage(
  view: StateView,
  caller: Caller,
  id: string,
  stored: StoredMessage | undefined,
): Outcome<MessageAccess> {
  const room = stored && view.get('room', stored.message.roomId);
  if (!stored || !room || room.deletedAt !== null) return noSuchMessage(id);
  const access = accessTo(view, caller, room);
  if (!access || stored.message.seq <= access.afterSeq) return noSuchMessage(id);
  return accepted({ ...access, stored, isAuthor: stored.message.author.id === caller.user.id });
}

export const noSuchMessage = (id: string): Refusal => refuse('message_not_found', `there is no message ${id}`);

/** A tombstone takes no changes. */
export function requireAlive({ stored: { message } }: MessageAccess): Refusal | undefined {
  return message.deleted ? refuse('deleted', `the message ${message.id} was deleted`) : undefined;
}
