import type { Caller } from '../domain/caller.ts';
import type { Change, ChangeView } from '../domain/change.ts';
import { acceptInvite } from '../domain/invite-change.ts';
import { record } from '../domain/record.ts';
import { granted, refuse, type Verdict } from '../domain/refusal.ts';
import { type Token, USUAL_SCOPES } from '../domain/token.ts';
import { lessOf } from '../domain/token-change.ts';
import { makeUser, USER_ID, type User } from '../domain/user.ts';
import { endTokens } from '../domain/user-change.ts';
import type { RoomState } from '../room-state.ts';
import type { RoomWriter } from '../room-writer.ts';
import { hashTokenSecret, makeTokenSecret, shownPrefix } from './token-secret.ts';

const LIFETIME_MS = 30 * 86_400_000;

/** Somebody who comes by an invite, and is made a user by it. */
export interface Newcomer {
  readonly code: string;
  /** What he wants to be called. */
  readonly name: string;
  /** Made of the name unless given. */
  readonly id?: string | undefined;
}

export interface Session {
  readonly user: User;
  /** The cookie's value. */
  readonly secret: string;
  readonly expiresAt: number;
}

/** Sessions of pages: tokens of their own, which end with what was shown to begin them. */
export class Sessions {
  readonly #state: RoomState;
  readonly #writer: RoomWriter;

  constructor(state: RoomState, writer: RoomWriter) {
    this.#state = state;
    this.#writer = writer;
  }

  /** Begins a session of somebody whose token is good. */
  begin(caller: Caller): Promise<Verdict<Session>> {
    const secret = makeTokenSecret();
    const shown = this.#tokenOf(caller);
    // A session of a session hangs on what both began with: it outlives a sign-out of the first, but not that.
    const parentId = shown?.use === 'session' ? (shown.parentId ?? shown.id) : caller.tokenId;
    return this.#writer.submit<Session>({
      decide(view) {
        const token = sessionToken(view, secret, caller, parentId);
        return {
          ok: true,
          write: { records: [record('token', token.hash, token)] },
          answer: () => ({ user: caller.user, secret, expiresAt: token.expiresAt ?? 0 }),
        };
      },
    });
  }

  /** Makes a user of somebody who has an invite, lets him into its room, and begins his session. */
  welcome(newcomer: Newcomer): Promise<Verdict<Session>> {
    const secret = makeTokenSecret();
    return this.#writer.submit<Session>({
      decide(view) {
        const id = userIdOf(view, newcomer);
        if (!id.ok) return id;
        const user = makeUser(id.value, view.now, { name: newcomer.name });
        const scopes = new Set(USUAL_SCOPES);
        const caller: Caller = { user, isAdmin: false, scopes, roomIds: null, tokenId: null, expiresAt: null };
        const accepted = acceptInvite(caller, newcomer.code).decide(view);
        if (!accepted.ok) return accepted;
        const token = sessionToken(view, secret, caller, null);
        const { records = [], ...rest } = accepted.write ?? {};
        const own = [record('user', user.id, user), record('token', token.hash, token)];
        return {
          ok: true,
          write: { ...rest, records: [...own, ...records] },
          answer: () => ({ user, secret, expiresAt: token.expiresAt ?? 0 }),
        };
      },
    });
  }

  /** Ends the session that the caller shows; a token of another kind stays. */
  end(caller: Caller): Promise<Verdict<true>> {
    const shown = this.#tokenOf(caller);
    if (shown?.use !== 'session') return Promise.resolve(granted(true));
    const change: Change<true> = {
      decide: (view) => ({ ok: true, write: endTokens(view, [shown.hash]), answer: () => true }),
    };
    return this.#writer.submit(change);
  }

  #tokenOf({ tokenId }: Caller): Token | undefined {
    for (const token of this.#state.all('token').values()) if (token.id === tokenId) return token;
    return undefined;
  }
}

/** `parentId`: the token that ends it. */
function sessionToken(view: ChangeView, secret: string, caller: Caller, parentId: string | null): Token {
  const { user, expiresAt, scopes, roomIds } = caller;
  return {
    id: view.newId(),
    hash: hashTokenSecret(secret),
    name: 'session',
    userId: user.id,
    scopes: [...scopes],
    roomIds: roomIds && [...roomIds],
    prefix: shownPrefix(secret),
    use: 'session',
    createdAt: view.now,
    expiresAt: lessOf(view.now + LIFETIME_MS, expiresAt),
    ...(parentId === null ? {} : { parentId }),
  };
}

function userIdOf(view: ChangeView, { id, name }: Newcomer): Verdict<string> {
  if (id !== undefined) {
    if (!view.get('user', id)) return granted(id);
    return refuse('name_taken', `there is a user ${id} already`, { path: 'id' });
  }
  const plain = name
    .normalize('NFKD')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-+|-+$/g, '')
    .slice(0, 50);
  const base = USER_ID.test(plain) ? plain : 'guest';
  for (let n = 1; n < 1000; n++) {
    const candidate = n === 1 ? base : `${base}-${n}`;
    if (!view.get('user', candidate)) return granted(candidate);
  }
  return refuse('name_taken', `there are too many users called ${base}: choose an id`, { path: 'id' });
}
