import type { Caller } from '../domain/caller.ts';
import type { Change, ChangeView } from '../domain/change.ts';
import { acceptInvite } from '../domain/member/invite-change.ts';
import { record } from '../domain/record.ts';
import { accepted, type Outcome, refuse } from '../domain/refusal.ts';
import { isReservedUserId, refuseReservedUserId } from '../domain/reserved-id.ts';
import { endTokens } from '../domain/token/end.ts';
import { earlierOf, parentIdOf, requireShown, shownToken } from '../domain/token/lineage.ts';
import { type Token, USUAL_SCOPES } from '../domain/token/token.ts';
import { makeUser } from '../domain/user/new-user.ts';
import { USER_ID, type User } from '../domain/user/user.ts';
import type { RoomWriter } from '../room/writer.ts';
import { hashTokenSecret, makeTokenSecret, shownPrefix } from './token-secret.ts';

const LIFETIME_MS = 30 * 86_400_000;
/** Of one user; the oldest is dropped. */
const MAX_SESSIONS = 32;

/** A user to be created by an invite. */
export interface Newcomer {
  readonly code: string;
  /** The display name. */
  readonly name: string;
  /** Derived from the name unless given. */
  readonly id?: string | undefined;
}

export interface Session {
  readonly user: User;
  /** The cookie's value. */
  readonly secret: string;
  readonly expiresAt: number;
}

/** Sessions of pages: tokens that end with the token or invite that began them. */
export class Sessions {
  readonly #writer: RoomWriter;

  constructor(writer: RoomWriter) {
    this.#writer = writer;
  }

  /** Begins a session for an authenticated caller. */
  begin(caller: Caller): Promise<Outcome<Session>> {
    const secret = makeTokenSecret();
    return this.#writer.submit<Session>({
      decide(view) {
        const gone = requireShown(view, caller);
        if (gone) return gone;
        const token = sessionToken(view, secret, caller);
        const { events, records } = endTokens(view, surplusSessions(view, caller.user.id));
        return {
          ok: true,
          write: { events, records: [...records, record('token', token.hash, token)] },
          answer: () => ({ user: caller.user, secret, expiresAt: token.expiresAt ?? 0 }),
        };
      },
    });
  }

  /** Creates a user by an invite, adds it to the invite's room, and begins its session. */
  welcome(newcomer: Newcomer): Promise<Outcome<Session>> {
    const secret = makeTokenSecret();
    return this.#writer.submit<Session>({
      decide(view) {
        const id = userIdOf(view, newcomer);
        if (!id.ok) return id;
        const user = makeUser(id.value, view.now, { name: newcomer.name });
        const scopes = new Set(USUAL_SCOPES);
        const bounds = view.get('invite', newcomer.code)?.roomIds ?? null;
        const roomIds = bounds && new Set(bounds);
        const caller: Caller = { kind: 'user', user, isAdmin: false, scopes, roomIds, tokenId: null, expiresAt: null };
        const accepted = acceptInvite(caller, newcomer.code).decide(view);
        if (!accepted.ok) return accepted;
        const token = sessionToken(view, secret, caller);
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

  /** Ends the caller's session; a token of another kind stays. */
  end(caller: Caller): Promise<Outcome<true>> {
    const change: Change<true> = {
      decide(view) {
        const shown = shownToken(view, caller);
        const write = shown?.use === 'session' ? endTokens(view, [shown.hash]) : null;
        return { ok: true, write, answer: () => true };
      },
    };
    return this.#writer.submit(change);
  }
}

/** The oldest sessions, which end so that a new one may begin. */
function surplusSessions(view: ChangeView, userId: string): readonly string[] {
  const sessions = [...view.each('token')].filter((token) => token.use === 'session' && token.userId === userId);
  sessions.sort((a, b) => a.createdAt - b.createdAt || (a.id < b.id ? -1 : 1));
  return sessions.slice(0, Math.max(0, sessions.length - MAX_SESSIONS + 1)).map(({ hash }) => hash);
}

function sessionToken(view: ChangeView, secret: string, caller: Caller): Token {
  const { user, expiresAt, scopes, roomIds } = caller;
  const parentId = parentIdOf(view, caller);
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
    expiresAt: earlierOf(view.now + LIFETIME_MS, expiresAt),
    ...(parentId === undefined ? {} : { parentId }),
  };
}

function userIdOf(view: ChangeView, { id, name }: Newcomer): Outcome<string> {
  if (id !== undefined) {
    const reserved = refuseReservedUserId(id);
    if (reserved) return reserved;
    if (!view.get('user', id)) return accepted(id);
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
    if (!view.get('user', candidate) && !isReservedUserId(candidate)) return accepted(candidate);
  }
  return refuse('name_taken', `there are too many users called ${base}: choose an id`, { path: 'id' });
}
