import type { Caller } from '../domain/caller.ts';
import { hookAuthorId } from '../domain/message/reserved-message.ts';
import type { Scope } from '../domain/token/token.ts';
import { colorOf } from '../domain/user/new-user.ts';

const BRIDGE_SCOPES: ReadonlySet<Scope> = new Set(['read', 'write']);

/** What posts for an incoming hook: into its own room and nowhere else, under the hook's name. */
export function bridgeCaller({
  id,
  name,
  roomId,
}: {
  readonly id: string;
  readonly name: string;
  readonly roomId: string;
}): Caller {
  const user = {
    id: hookAuthorId(id),
    name,
    kind: 'bridge',
    avatarColor: colorOf(id),
    role: 'user',
    disabled: false,
    createdAt: 0,
  } as const;
  // Without an admin's rights it would have to be a member, and everybody would see it among them.
  return { user, isAdmin: true, scopes: BRIDGE_SCOPES, roomIds: new Set([roomId]), tokenId: null, expiresAt: null };
}
