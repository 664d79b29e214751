import type { HttpContext } from '../../kernel/http/app.ts';
import { printInstantOrNull } from '../contract/instant.ts';
import { mePut, userPost, userPut, wireUser } from '../contract/user.ts';
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
import { admit, type CallerHandler, type GuardParts } from './request/guard.ts';
import { pageOf, readListQuery } from './request/list-query.ts';
import { param } from './request/query.ts';

export interface UserPathsParts {
  readonly guard: GuardParts;
  readonly state: RoomState;
  readonly writer: RoomWriter;
  /** When the user was last seen. */
  readonly seen: { userAt(id: string): number | null };
  readonly auth: 'none' | 'token';
  readonly requireIfMatch: boolean;
}

const BODY_LIMIT = 16_384;

/** `/api/user`, and the caller's own user at `/api/me`. */
export function userPaths(parts: UserPathsParts): Paths {
  const { guard } = parts;
  return {
    '/api/user': {
      GET: admit(guard, { scope: 'read' }, listUsers(parts)),
      POST: admit(guard, { scope: 'admin', idempotent: true }, postUser(parts)),
    },
    '/api/user/:id': {
      GET: admit(guard, { scope: 'read' }, getUser(parts)),
      PUT: admit(guard, { scope: 'admin' }, putUser(parts)),
      DELETE: admit(guard, { scope: 'admin' }, deleteUser(parts)),
    },
    '/api/me': {
      GET: admit(guard, { scope: 'read' }, getMe(parts)),
      PUT: admit(guard, { scope: 'write' }, putMe(parts)),
    },
  };
}

const wire = ({ seen }: UserPathsParts, user: User): object => wireUser(user, seen.userAt(user.id));

/** The caller as a user, and the rights of its token. */
function wireMe(parts: UserPathsParts, caller: Caller, user: User): object {
  return {
    ...wire(parts, user),
    auth: parts.auth,
    admin: rulesServer(caller),
    scopes: [...caller.scopes],
    roomIds: caller.roomIds && [...caller.roomIds],
    tokenId: caller.tokenId,
    expiresAt: printInstantOrNull(caller.expiresAt),
  };
}

const contextOf = ({ state }: UserPathsParts, userId: string): UserContext => ({
  adminIds: [...state.all('user').values()].filter(isActiveAdmin).map(({ id }) => id),
  tokenHashes: [...state.all('token').values()].filter((token) => token.userId === userId).map(({ hash }) => hash),
});

const answerUser = (c: HttpContext, changed: Outcome<User>, print: (user: User) => object): Response =>
  answerOutcome(c, changed, (user) => answer(c, print(user), 200, { etag: userEtag(user) }));

function listUsers(parts: UserPathsParts): CallerHandler {
  return (c, caller) => {
    const query = readListQuery(c);
    if (!query.ok) return answerRefusal(c, query);
    const wanted = c.req.query('q')?.toLowerCase() ?? '';
    const visible = visiblePeople(parts.state, caller.user);
    const sorted = [...parts.state.all('user').values()]
      .filter(({ id }) => visible === undefined || visible.has(id))
      .filter(({ id, name }) => wanted === '' || id.startsWith(wanted) || name.toLowerCase().includes(wanted))
      .sort((a, b) => (a.id < b.id ? -1 : 1));
    const page = pageOf(sorted, ({ id }) => id, query.value);
    return answer(c, { users: page.values.map((user) => wire(parts, user)), next: page.next });
  };
}

function postUser(parts: UserPathsParts): CallerHandler {
  return async (c, caller) => {
    const body = await readJson(c, userPost, BODY_LIMIT);
    if (!body.ok) return answerRefusal(c, body);
    const { id, name = id, ...others } = body.value;
    const created = await parts.writer.submit(createUser(caller, { id, name, ...others }));
    return answerOutcome(c, created, (user) =>
      answer(c, wire(parts, user), 201, { location: `/api/user/${user.id}`, etag: userEtag(user) }),
    );
  };
}

function getUser(parts: UserPathsParts): CallerHandler {
  return (c, caller) => {
    const id = param(c, 'id');
    const user = parts.state.get('user', id);
    const visible = visiblePeople(parts.state, caller.user);
    return user && (visible === undefined || visible.has(user.id))
      ? answerTagged(c, userEtag(user), () => JSON.stringify(wire(parts, user)))
      : answerRefusal(c, noSuchUser(id));
  };
}

function putUser(parts: UserPathsParts): CallerHandler {
  return async (c, caller) => {
    const ifMatch = readIfMatch(c, parts.requireIfMatch);
    if (!ifMatch.ok) return answerRefusal(c, ifMatch);
    const body = await readJson(c, userPut, BODY_LIMIT);
    if (!body.ok) return answerRefusal(c, body);
    const id = param(c, 'id');
    const change = replaceUser(caller, id, body.value, contextOf(parts, id), ifMatch.value);
    return answerUser(c, await parts.writer.submit(change), (user) => wire(parts, user));
  };
}

function deleteUser(parts: UserPathsParts): CallerHandler {
  return async (c, caller) => {
    const ifMatch = readIfMatch(c, parts.requireIfMatch);
    if (!ifMatch.ok) return answerRefusal(c, ifMatch);
    const id = param(c, 'id');
    const change = disableUser(caller, id, contextOf(parts, id), ifMatch.value);
    return answerUser(c, await parts.writer.submit(change), (user) => wire(parts, user));
  };
}

function getMe(parts: UserPathsParts): CallerHandler {
  return (c, caller) =>
    answerTagged(c, userEtag(caller.user), () => JSON.stringify(wireMe(parts, caller, caller.user)));
}

function putMe(parts: UserPathsParts): CallerHandler {
  return async (c, caller) => {
    const ifMatch = readIfMatch(c, parts.requireIfMatch);
    if (!ifMatch.ok) return answerRefusal(c, ifMatch);
    const body = await readJson(c, mePut, BODY_LIMIT);
    if (!body.ok) return answerRefusal(c, body);
    const replaced = await parts.writer.submit(replaceMe(caller, body.value, ifMatch.value));
    return answerUser(c, replaced, (user) => wireMe(parts, caller, user));
  };
}
