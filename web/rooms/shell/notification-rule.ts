import type { WireMessage } from '../../../src/rooms/contract/message.ts';
import type { RoomEntry } from '../room/entry.ts';

/** Whether the user's settings of the room ask for a notification of a message. */
export function wantsNotification(
  { me, room }: Pick<RoomEntry, 'me' | 'room'>,
  message: WireMessage,
  userId: string,
  now: number,
): boolean {
  if (!me || message.silent || message.author.id === userId || message.status === 'streaming') return false;
  if (me.mutedUntil !== null && Date.parse(me.mutedUntil) > now) return false;
  if (me.involvement === 'everything') return true;
  if (me.involvement !== 'mentions') return false;
  return room.visibility === 'direct' || message.mentions.room || message.mentions.users.includes(userId);
}
