import type { StateView } from './change.ts';
import type { Scope, Token } from './token/token.ts';
import type { User } from './user/user.ts';

/** Who asks, and what for. */
export interface Caller {
  readonly user: User;
  /** A server admin, whose token, if any, has the scope `admin`. */
  readonly isAdmin: boolean;
  readonly scopes: ReadonlySet<Scope>;
  /** The only rooms that the token reaches; `null` is all of its user's. */
  readonly roomIds: ReadonlySet<string> | null;
  /** `null` where nobody has to sign in. */
  readonly tokenId: string | null;
  /** When the token ends; `null` is never. */
  readonly expiresAt: number | null;
}

/** Who asks by a token. */
export function callerOf({ id, scopes, roomIds, expiresAt }: Token, user: User): Caller {
  return {
    user,
    isAdmin: user.role === 'admin' && scopes.includes('admin'),
    scopes: new Set(scopes),
    roomIds: roomIds && new Set(roomIds),
    tokenId: id,
    expiresAt,
  };
}

/** What is of the whole server is an admin's, but not by a token for certain rooms alone. */
export const rulesServer = ({ isAdmin, roomIds }: Caller): boolean => isAdmin && roomIds === null;

/** Whether the user is still what the caller was let in as: neither disabled nor of another role since. */
export function isCurrent(view: StateView, { user }: Caller): boolean {
  const known = view.get('user', user.id);
  return known !== undefined && !known.disabled && known.role === user.role;
}
