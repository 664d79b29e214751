import { cookieOf } from '../../../kernel/http/cookie.ts';
import type { Caller } from '../../domain/caller.ts';
import { record } from '../../domain/record.ts';
import { accepted, type Outcome, refuse } from '../../domain/refusal.ts';
import { isReservedUserId } from '../../domain/reserved-id.ts';
import { SCOPES } from '../../domain/token/token.ts';
import { makeUser } from '../../domain/user/new-user.ts';
import { USER_ID, type User } from '../../domain/user/user.ts';
import type { RoomState } from '../../room/state.ts';
import type { RoomWriter } from '../../room/writer.ts';
import type { Authenticator } from '../../routes/request/guard.ts';
import type { LastSeen } from './seen.ts';

/** The page sets it: the name of its user. */
export const USER_COOKIE = 'opsdeck_user';

const ALL_SCOPES = new Set(SCOPES);

/** `--auth none`: every named user is admitted as an admin of the server, and created when first named. */
export class OpenAuthentication implements Authenticator {
  readonly #state: RoomState;
  readonly #writer: RoomWriter;
  readonly #seen: LastSeen;
  readonly #callers = new WeakMap<User, Caller>();

  constructor(state: RoomState, writer: RoomWriter, seen: LastSeen) {
    this.#state = state;
    this.#writer = writer;
    this.#seen = seen;
  }

  authenticate({ user: named }: { readonly user: string | undefined }): Outcome<Caller> | Promise<Outcome<Caller>> {
    const id = named?.trim() || 'local';
    const known = this.#state.get('user', id);
    if (known?.disabled) return refuse('unauthenticated', `the user ${id} is disabled`);
    if (known) {
      this.#seen.user(id);
      return accepted(this.#callerOf(known));
    }
    if (!USER_ID.test(id))
      return refuse('unauthenticated', 'X-Opsdeck-User: small letters, digits, ".", "_" and "-", at most 64');
    if (isReservedUserId(id)) return refuse('unauthenticated', `X-Opsdeck-User: ${id} is reserved for the server`);
    return this.#writer.submit<Caller>({
      decide: (view) => {
        const existing = view.get('user', id);
        const user = existing ?? makeUser(id, view.now, { role: 'admin' });
        return {
          ok: true,
          write: existing ? null : { records: [record('user', id, user)] },
          answer: () => this.#callerOf(user),
        };
      },
    });
  }

  recognize(cookies: string | undefined): Caller | undefined {
    const known = this.#state.get('user', cookieOf(cookies, USER_COOKIE) ?? 'local');
    return known && !known.disabled ? this.#callerOf(known) : undefined;
  }

  /** Without sign-in every user is an admin, whatever its role with tokens. */
  #callerOf(user: User): Caller {
    let caller = this.#callers.get(user);
    if (!caller) {
      caller = { kind: 'user', user, isAdmin: true, scopes: ALL_SCOPES, roomIds: null, tokenId: null, expiresAt: null };
      this.#callers.set(user, caller);
    }
    return caller;
  }
}
