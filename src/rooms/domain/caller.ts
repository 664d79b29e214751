import type { StateView } from './change.ts';
import { type Refusal, refuse } from './refusal.ts';
import type { Scope, Token } from './token/token.ts';
import type { User } from './user/user.ts';

/** The sender of a request, and its rights. */
export interface Caller {
  /**
   * A `user`, or a part of one room that posts there: a hook or the copilot. These read and post in the room of
   * `roomIds` without being a member; whatever needs a member, a moderator or an admin is refused.
   */
  readonly kind: 'user' | 'hook' | 'copilot';
  readonly user: User;
  /** A server admin, whose token, if any, has the scope `admin`. */
  readonly isAdmin: boolean;
  readonly scopes: ReadonlySet<Scope>;
  /** The only rooms that the token reaches; `null` is all of its user's. */
  readonly roomIds: ReadonlySet<string> | null;
  /** `null` without sign-in. */
  readonly tokenId: string | null;
  /** When the token ends; `null` is never. */
  readonly expiresAt: number | null;
}

/** The caller of a token. */
export function callerOf({ id, scopes, roomIds, expiresAt }: Token, user: User): Caller {
  return {
    kind: 'user',
    user,
    isAdmin: user.role === 'admin' && scopes.includes('admin'),
    scopes: new Set(scopes),
    roomIds: roomIds && new Set(roomIds),
    tokenId: id,
    expiresAt,
  };
}

const NO_SCOPES: ReadonlySet<Scope> = new Set();

/** A hook or the copilot of a room, posting there under the name of `user`. */
export function roomPart(kind: Exclude<Caller['kind'], 'user'>, user: User, roomId: string): Caller {
  const roomIds = new Set([roomId]);
  return { kind, user, isAdmin: false, scopes: NO_SCOPES, roomIds, tokenId: null, expiresAt: null };
}

/** Whether the caller may change what belongs to the whole server: an admin, whose token is not bound to rooms. */
export const rulesServer = ({ isAdmin, roomIds }: Caller): boolean => isAdmin && roomIds === null;

/** Hooks and copilots join no room, and get no token. */
export function requireUser({ kind }: Caller): Refusal | undefined {
  return kind === 'user' ? undefined : refuse('forbidden', `a ${kind} only posts into its room`);
}

/** Whether the user is still what the caller was let in as: neither disabled nor of another role since. */
export function isCurrent(view: StateView, { user }: Caller): boolean {
  const known = view.get('user', user.id);
  return known !== undefined && !known.disabled && known.role === user.role;
}
