import type { RoomEvent } from '../event.ts';
import type { Run } from './run.ts';

/** Why an active run is cancelled after an event; `undefined`: it goes on. */
export function reasonToCancel(event: RoomEvent, run: Run): string | undefined {
  switch (event.type) {
    case 'message.deleted':
      return event.message.id === run.messageId || event.message.id === run.triggerId
        ? 'its message was deleted'
        : undefined;
    case 'room.archived':
    case 'room.deleted':
      return 'the room was closed';
    case 'room.updated':
      return event.room.archived ? 'the room was closed' : undefined;
    case 'copilot.updated':
      return event.copilot?.enabled && event.copilot.trigger !== 'off' ? undefined : 'the copilot was switched off';
    case 'member.left':
    case 'member.banned':
      return event.member.userId === run.audience ? 'its asker has left the room' : undefined;
    default:
      return undefined;
  }
}
