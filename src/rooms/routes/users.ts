import type { HttpContext } from '../../kernel/http/app.ts';
import { printInstantOrNull } from '../contract/instant.ts';
import { mePut, userPost, userPut, wireUser } from '../contract/user-request.ts';
import { type Caller, rulesServer } from '../domain/caller.ts';
import { userEtag } from '../domain/etag.ts';
import { visiblePeople } from '../domain/member/guest.ts';
import type { Outcome } from '../domain/refusal.ts';
import {
  createUser,
  disableUser,
  isActiveAdmin,
  noSuchUser,
  replaceMe,
  replaceUser,
  type UserContext,
} from '../domain/user/change.ts';
import type { User } from '../domain/user/user.ts';
import type { RoomState } from '../room/state.ts';
import type { RoomWriter } from '../room/writer.ts';
import { answer, answerOutcome, answerRefusal } from './answer/answers.ts';
import { answerTagged, readIfMatch } from './answer/etag.ts';
import type { Paths } from './index.ts';
import { readJson } from './request/body.ts';
import { admit, type GuardParts } from './request/guard.ts';
import { pageOf, readListQuery } from './request/list-query.ts';

export interface UserPathsParts {
  readonly guard: GuardParts;
  readonly state: RoomState;
  readonly writer: RoomWriter;
  /** When somebody was last here. */
  readonly seen: { userAt(id: string): number | null };
  readonly auth: 'none' | 'token';
  readonly requireIfMatch: boolean;
}

const BODY_LIMIT = 16_384;

export function userPaths(parts: UserPathsParts): Paths {
  const { guard, state, writer, seen, requireIfMatch } = parts;
  const wire = (user: User) => wireUser(user, seen.userAt(user.id));
  const contextOf = (userId: string): UserContext => ({
    adminIds: [...state.all('user').values()].filter(isActiveAdmin).map(({ id }) => id),
    tokenHashes: [...state.all('token').values()].filter((token) => token.userId === userId).map(({ hash }) => hash),
  });
  return {
    '/api/user': {
      GET: admit(guard, { scope: 'read' }, (c, caller) => answerUsers(c, caller, state, wire)),
      POST: admit(guard, { scope: 'admin', idempotent: true }, async (c, caller) => {
        const body = await readJson(c, userPost, BODY_LIMIT);
        if (!body.ok) return answerRefusal(c, body);
        const { id, name = id, ...others } = body.value;
        const created = await writer.submit(createUser(caller, { id, name, ...others }));
        return answerOutcome(c, created, (user) =>
          answer(c, wire(user), 201, { location: `/api/user/${user.id}`, etag: userEtag(user) }),
        );
      }),
    },
    '/api/user/:id': {
      GET: admit(guard, { scope: 'read' }, (c, caller) => {
        const user = state.get('user', idOf(c));
        const visible = visiblePeople(state, caller.user);
        return user && (visible === undefined || visible.has(user.id))
          ? answerTagged(c, userEtag(user), () => JSON.stringify(wire(user)))
          : answerRefusal(c, noSuchUser(idOf(c)));
      }),
      PUT: admit(guard, { scope: 'admin' }, async (c, caller) => {
        const ifMatch = readIfMatch(c, requireIfMatch);
        if (!ifMatch.ok) return answerRefusal(c, ifMatch);
        const body = await readJson(c, userPut, BODY_LIMIT);
        if (!body.ok) return answerRefusal(c, body);
        const change = replaceUser(caller, idOf(c), body.value, contextOf(idOf(c)), ifMatch.value);
        return answerUser(c, await writer.submit(change), wire);
      }),
      DELETE: admit(guard, { scope: 'admin' }, async (c, caller) => {
        const ifMatch = readIfMatch(c, requireIfMatch);
        if (!ifMatch.ok) return answerRefusal(c, ifMatch);
        const change = disableUser(caller, idOf(c), contextOf(idOf(c)), ifMatch.value);
        return answerUser(c, await writer.submit(change), wire);
      }),
    },
    '/api/me': {
      GET: admit(guard, { scope: 'read' }, (c, caller) =>
        answerTagged(c, userEtag(caller.user), () => JSON.stringify(wireMe(parts, caller, caller.user))),
      ),
      PUT: admit(guard, { scope: 'write' }, async (c, caller) => {
        const ifMatch = readIfMatch(c, requireIfMatch);
        if (!ifMatch.ok) return answerRefusal(c, ifMatch);
        const body = await readJson(c, mePut, BODY_LIMIT);
        if (!body.ok) return answerRefusal(c, body);
        const replaced = await writer.submit(replaceMe(caller, body.value, ifMatch.value));
        return answerUser(c, replaced, (user) => wireMe(parts, caller, user));
      }),
    },
  };
}

const idOf = (c: HttpContext): string => c.req.param('id') ?? '';

const answerUser = (c: HttpContext, changed: Outcome<User>, wire: (user: User) => object): Response =>
  answerOutcome(c, changed, (user) => answer(c, wire(user), 200, { etag: userEtag(user) }));

function answerUsers(c: HttpContext, caller: Caller, state: RoomState, wire: (user: User) => object): Response {
  const query = readListQuery(c);
  if (!query.ok) return answerRefusal(c, query);
  const wanted = c.req.query('q')?.toLowerCase() ?? '';
  const visible = visiblePeople(state, caller.user);
  const sorted = [...state.all('user').values()]
    .filter(({ id }) => visible === undefined || visible.has(id))
    .filter(({ id, name }) => wanted === '' || id.startsWith(wanted) || name.toLowerCase().includes(wanted))
    .sort((a, b) => (a.id < b.id ? -1 : 1));
  const page = pageOf(sorted, ({ id }) => id, query.value);
  return answer(c, { users: page.values.map(wire), next: page.next });
}

/** The caller as a user, and what his token is good for. */
function wireMe({ seen, auth }: UserPathsParts, caller: Caller, user: User): object {
  return {
    ...wireUser(user, seen.userAt(user.id)),
    auth,
    admin: rulesServer(caller),
    scopes: [...caller.scopes],
    roomIds: caller.roomIds && [...caller.roomIds],
    tokenId: caller.tokenId,
    expiresAt: printInstantOrNull(caller.expiresAt),
  };
}
