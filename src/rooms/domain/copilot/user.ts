import { type Caller, roomPart } from '../caller.ts';
import type { Room } from '../room/room.ts';
import { colorOf, makeUser } from '../user/new-user.ts';
import type { CopilotSettings } from './copilot.ts';

/** The id under which a room's copilot writes; no user can have it, since the ids of users hold no colon. */
export const copilotUserId = (roomId: string): string => `copilot:${roomId}`;

/** The caller that posts for the copilot of a room, under the copilot's name. */
export function copilotCaller({ id }: Pick<Room, 'id'>, { name }: Pick<CopilotSettings, 'name'>): Caller {
  const user = makeUser(copilotUserId(id), 0, { name, kind: 'copilot', avatarColor: colorOf(id) });
  return roomPart('copilot', user, id);
}
