import * as v from 'valibot';
import type { WireToken } from '../contract/token.ts';
import { changedField, tokenPost, tokenPut, wireToken } from '../contract/token.ts';
import type { Caller } from '../domain/caller.ts';
import { tokenEtag } from '../domain/etag.ts';
import { accepted, type Outcome, refuse } from '../domain/refusal.ts';
import {
  createToken,
  mayManage,
  noSuchToken,
  renameToken,
  revokeToken,
  type TokenSeal,
} from '../domain/token/change.ts';
import type { Token } from '../domain/token/token.ts';
import type { RoomState } from '../room/state.ts';
import type { RoomWriter } from '../room/writer.ts';
import { answer, answerOutcome, answerRefusal } from './answer/answers.ts';
import { answerTagged, readIfMatch } from './answer/etag.ts';
import type { Paths } from './index.ts';
import { readJson } from './request/body.ts';
import { admit, type CallerHandler, type GuardParts } from './request/guard.ts';
import { pageOf, readListQuery } from './request/list-query.ts';
import { param, readQuery } from './request/query.ts';

export interface TokenPathsParts {
  readonly guard: GuardParts;
  readonly state: RoomState;
  readonly writer: RoomWriter;
  readonly seen: { tokenAt(id: string): number | null };
  /** A new secret, and what is stored of it. */
  readonly newSecret: () => TokenSeal & { readonly secret: string };
  readonly requireIfMatch: boolean;
}

const BODY_LIMIT = 16_384;

const revocationSchema = v.strictObject({
  children: v.optional(v.picklist(['true', 'false', '1', '0'], 'must be true or false')),
});

/** `/api/token`. */
export function tokenPaths(parts: TokenPathsParts): Paths {
  const { guard } = parts;
  return {
    '/api/token': {
      GET: admit(guard, { scope: 'read' }, listTokens(parts)),
      POST: admit(guard, { scope: 'manage', idempotent: 'secret' }, postToken(parts)),
    },
    '/api/token/:id': {
      GET: admit(guard, { scope: 'read' }, getToken(parts)),
      PUT: admit(guard, { scope: 'manage' }, putToken(parts)),
      DELETE: admit(guard, { scope: 'manage' }, deleteToken(parts)),
    },
  };
}

const wire = ({ seen }: TokenPathsParts, token: Token): WireToken => wireToken(token, seen.tokenAt(token.id));

/** A token that the caller may see: one of its user's or, to an admin, any. */
function findToken({ state }: TokenPathsParts, caller: Caller, id: string): Outcome<Token> {
  for (const token of state.all('token').values()) {
    if (token.id === id && mayManage(caller, token)) return accepted(token);
  }
  return noSuchToken();
}

function listTokens(parts: TokenPathsParts): CallerHandler {
  return (c, caller) => {
    const query = readListQuery(c);
    if (!query.ok) return answerRefusal(c, query);
    const userId = c.req.query('user');
    const sorted = [...parts.state.all('token').values()]
      .filter((token) => mayManage(caller, token) && (userId === undefined || token.userId === userId))
      .sort((a, b) => (a.id < b.id ? -1 : 1));
    const page = pageOf(sorted, ({ id }) => id, query.value);
    return answer(c, { tokens: page.values.map((token) => wire(parts, token)), next: page.next });
  };
}

function postToken(parts: TokenPathsParts): CallerHandler {
  return async (c, caller) => {
    const body = await readJson(c, tokenPost, BODY_LIMIT);
    if (!body.ok) return answerRefusal(c, body);
    const { secret, ...seal } = parts.newSecret();
    const created = await parts.writer.submit(createToken(caller, body.value, seal));
    return answerOutcome(c, created, (token) => {
      const headers = { location: `/api/token/${token.id}`, etag: tokenEtag(token) };
      return answer(c, { token: wire(parts, token), secret }, 201, headers);
    });
  };
}

function getToken(parts: TokenPathsParts): CallerHandler {
  return (c, caller) =>
    answerOutcome(c, findToken(parts, caller, param(c, 'id')), (token) =>
      answerTagged(c, tokenEtag(token), () => JSON.stringify(wire(parts, token))),
    );
}

function putToken(parts: TokenPathsParts): CallerHandler {
  return async (c, caller) => {
    const ifMatch = readIfMatch(c, parts.requireIfMatch);
    if (!ifMatch.ok) return answerRefusal(c, ifMatch);
    const body = await readJson(c, tokenPut, BODY_LIMIT);
    if (!body.ok) return answerRefusal(c, body);
    const found = findToken(parts, caller, param(c, 'id'));
    if (!found.ok) return answerRefusal(c, found);
    const path = changedField(found.value, body.value);
    if (path)
      return answerRefusal(c, refuse('immutable_field', `${path}: a token keeps it; make another one`, { path }));
    const change = renameToken(caller, found.value.hash, body.value.name, ifMatch.value);
    return answerOutcome(c, await parts.writer.submit(change), (token) =>
      answer(c, wire(parts, token), 200, { etag: tokenEtag(token) }),
    );
  };
}

function deleteToken(parts: TokenPathsParts): CallerHandler {
  return async (c, caller) => {
    const ifMatch = readIfMatch(c, parts.requireIfMatch);
    if (!ifMatch.ok) return answerRefusal(c, ifMatch);
    const found = findToken(parts, caller, param(c, 'id'));
    if (!found.ok) return answerRefusal(c, found);
    const query = readQuery(c, revocationSchema);
    if (!query.ok) return answerRefusal(c, query);
    const { children } = query.value;
    const withChildren = children === 'true' || children === '1';
    const revoked = await parts.writer.submit(revokeToken(caller, found.value.hash, withChildren, ifMatch.value));
    return answerOutcome(c, revoked, (token) => answer(c, wire(parts, token)));
  };
}
