import type { Caller } from '../caller.ts';
import type { Room } from '../room/room.ts';
import type { Scope } from '../token/token.ts';
import { colorOf } from '../user/new-user.ts';
import type { CopilotSettings } from './copilot.ts';

const SCOPES: ReadonlySet<Scope> = new Set(['read', 'write', 'react']);

/** The id under which a room's copilot writes. No user can have it: theirs hold no colon. */
export const copilotUserId = (roomId: string): string => `copilot:${roomId}`;

/** What posts for the copilot of a room: into that room and nowhere else, under the copilot's name. */
export function copilotCaller({ id }: Pick<Room, 'id'>, { name }: Pick<CopilotSettings, 'name'>): Caller {
  const user = {
    id: copilotUserId(id),
    name,
    kind: 'copilot',
    avatarColor: colorOf(id),
    role: 'user',
    disabled: false,
    createdAt: 0,
  } as const;
  // As with a bridge: without an admin's rights it would have to be a member.
  return { user, isAdmin: true, scopes: SCOPES, roomIds: new Set([id]), tokenId: null, expiresAt: null };
}
