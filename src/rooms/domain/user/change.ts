import { type Caller, rulesServer } from '../caller.ts';
import type { AuditEntry, Change, ChangeView } from '../change.ts';
import { checkIfMatch, userEtag } from '../etag.ts';
import { record } from '../record.ts';
import { accepted, type Outcome, type Refusal, refuse } from '../refusal.ts';
import { refuseReservedUserId } from '../reserved-id.ts';
import { endTokens } from '../token/end.ts';
import type { Token } from '../token/token.ts';
import { colorOf, makeUser } from './new-user.ts';
import type { User } from './user.ts';

/** A requested user; omitted fields have defaults. */
export interface UserDraft {
  readonly id: string;
  readonly name: string;
  readonly kind?: User['kind'] | undefined;
  readonly role?: User['role'] | undefined;
  readonly avatarColor?: string | undefined;
}

/** A user's replacement. */
export interface UserReplacement extends Omit<UserDraft, 'id'> {
  readonly id?: string | undefined;
  readonly disabled?: boolean | undefined;
}

/** What a change of a user involves: the other admins, of whom one must remain, and the user's tokens. */
export interface UserContext {
  readonly adminIds: readonly string[];
  readonly tokenHashes: readonly string[];
}

export function requireAdmin(caller: Caller): Refusal | undefined {
  return rulesServer(caller) ? undefined : refuse('forbidden', 'only admins of the server may do this');
}

export function createUser(caller: Caller, draft: UserDraft): Change<User> {
  return {
    decide(view) {
      const denied = requireAdmin(caller);
      if (denied) return denied;
      if (view.get('user', draft.id))
        return refuse('name_taken', `there is a user ${draft.id} already`, { path: 'id' });
      const reserved = refuseReservedUserId(draft.id);
      if (reserved) return reserved;
      const { id, name, kind = 'human', role = 'user', avatarColor = colorOf(id) } = draft;
      const user = makeUser(id, view.now, { name, kind, role, avatarColor });
      const audit = [auditOf(view, caller, 'user.create', id)];
      return { ok: true, write: { records: [record('user', id, user)], audit }, answer: () => user };
    },
  };
}

/** `ifMatch`: of the request. */
export function replaceUser(
  caller: Caller,
  id: string,
  given: UserReplacement,
  context: UserContext,
  ifMatch: string | undefined,
): Change<User> {
  return {
    decide(view) {
      const denied = requireAdmin(caller);
      if (denied) return denied;
      const before = view.get('user', id);
      if (!before) return noSuchUser(id);
      const mismatch = checkIfMatch(ifMatch, userEtag(before));
      if (mismatch) return mismatch;
      if (given.id !== undefined && given.id !== id)
        return refuse('immutable_field', 'id: a user keeps its id', { path: 'id' });
      const { name, kind = 'human', role = 'user', avatarColor = colorOf(id), disabled = false } = given;
      return writeUser(view, caller, { ...before, name, kind, role, avatarColor, disabled }, context);
    },
  };
}

/** The user stays, since messages refer to it, but cannot sign in. */
export function disableUser(
  caller: Caller,
  id: string,
  context: UserContext,
  ifMatch: string | undefined,
): Change<User> {
  return {
    decide(view) {
      const denied = requireAdmin(caller);
      if (denied) return denied;
      const before = view.get('user', id);
      if (!before) return noSuchUser(id);
      return checkIfMatch(ifMatch, userEtag(before)) ?? writeUser(view, caller, { ...before, disabled: true }, context);
    },
  };
}

/** Changes the caller's own user; refused for a token bound to rooms. */
export function replaceMe(caller: Caller, given: UserReplacement, ifMatch: string | undefined): Change<User> {
  const { id } = caller.user;
  return {
    decide(view) {
      if (caller.roomIds)
        return refuse('forbidden', 'this token is limited to certain rooms, and cannot change its user');
      const before = view.get('user', id);
      if (!before) return noSuchUser(id);
      const mismatch = checkIfMatch(ifMatch, userEtag(before));
      if (mismatch) return mismatch;
      const { name, avatarColor = colorOf(id) } = given;
      const fixed = immutableOf(before, given);
      if (fixed) return refuse('immutable_field', `${fixed}: only an admin changes that`, { path: fixed });
      const user = { ...before, name, avatarColor };
      return { ok: true, write: { records: [record('user', id, user)] }, answer: () => user };
    },
  };
}

export const noSuchUser = (id: string): Refusal => refuse('user_not_found', `there is no user ${id}`);

export function auditOf(view: ChangeView, caller: Caller, action: string, subject: string): AuditEntry {
  return { at: view.now, by: caller.user.id, action, roomId: null, subject };
}

function writeUser(view: ChangeView, caller: Caller, user: User, { adminIds, tokenHashes }: UserContext) {
  const before = view.get('user', user.id);
  const wasAdmin = before?.role === 'admin' && !before.disabled;
  const isAdmin = user.role === 'admin' && !user.disabled;
  if (wasAdmin && !isAdmin && !adminIds.some((id) => id !== user.id && isActiveAdmin(view.get('user', id))))
    return refuse('last_owner', `${user.id} is the last admin of the server`);
  const ended = user.disabled ? endTokens(view, tokenHashes) : { events: [], records: [] };
  return {
    ok: true as const,
    write: {
      events: ended.events,
      records: [record('user', user.id, user), ...ended.records],
      audit: [auditOf(view, caller, user.disabled ? 'user.disable' : 'user.update', user.id)],
    },
    answer: () => user,
  };
}

export const isActiveAdmin = (user: User | undefined): boolean => user?.role === 'admin' && !user.disabled;

function immutableOf(before: User, given: UserReplacement): string | undefined {
  const fixed = ['id', 'kind', 'role', 'disabled'] as const;
  return fixed.find((field) => given[field] !== undefined && given[field] !== before[field]);
}

/** Whether a token admits its user now. */
export function checkToken(token: Token, user: User | undefined, now: number): Outcome<User> {
  if (!user || user.disabled) return refuse('unauthenticated', 'the user of this token is disabled');
  if (token.expiresAt !== null && token.expiresAt <= now)
    return refuse('token_expired', 'the token has expired: ask an admin for a new one');
  return accepted(user);
}
