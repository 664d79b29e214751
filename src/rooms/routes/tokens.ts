import * as v from 'valibot';
import type { HttpContext } from '../../kernel/http/app.ts';
import { changedField, tokenPost, tokenPut, wireToken } from '../contract/token-request.ts';
import type { Caller } from '../domain/caller.ts';
import { tokenEtag } from '../domain/etag.ts';
import { type Outcome, refuse } from '../domain/refusal.ts';
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
import { admit, type GuardParts } from './request/guard.ts';
import { pageOf, readListQuery } from './request/list-query.ts';
import { readQuery } from './request/query.ts';

export interface TokenPathsParts {
  readonly guard: GuardParts;
  readonly state: RoomState;
  readonly writer: RoomWriter;
  readonly seen: { tokenAt(id: string): number | null };
  /** A new secret, and what is kept of it. */
  readonly newSecret: () => TokenSeal & { readonly secret: string };
  readonly requireIfMatch: boolean;
}

const BODY_LIMIT = 16_384;

const revocationSchema = v.strictObject({
  children: v.optional(v.picklist(['true', 'false', '1', '0'], 'must be true or false')),
});

export function tokenPaths(parts: TokenPathsParts): Paths {
  const { guard, state, writer, seen, newSecret, requireIfMatch } = parts;
  const wire = (token: Token) => wireToken(token, seen.tokenAt(token.id));
  return {
    '/api/token': {
      GET: admit(guard, { scope: 'read' }, (c, caller) => answerTokens(c, caller, state, wire)),
      POST: admit(guard, { scope: 'manage', idempotent: 'secret' }, async (c, caller) => {
        const body = await readJson(c, tokenPost, BODY_LIMIT);
        if (!body.ok) return answerRefusal(c, body);
        const { secret, ...seal } = newSecret();
        const created = await writer.submit(createToken(caller, body.value, seal));
        return answerOutcome(c, created, (token) =>
          answer(c, { token: wire(token), secret }, 201, {
            location: `/api/token/${token.id}`,
            etag: tokenEtag(token),
          }),
        );
      }),
    },
    '/api/token/:id': {
      GET: admit(guard, { scope: 'read' }, (c, caller) =>
        answerOutcome(c, findToken(state, caller, idOf(c)), (token) =>
          answerTagged(c, tokenEtag(token), () => JSON.stringify(wire(token))),
        ),
      ),
      PUT: admit(guard, { scope: 'manage' }, async (c, caller) => {
        const ifMatch = readIfMatch(c, requireIfMatch);
        if (!ifMatch.ok) return answerRefusal(c, ifMatch);
        const body = await readJson(c, tokenPut, BODY_LIMIT);
        if (!body.ok) return answerRefusal(c, body);
        const found = findToken(state, caller, idOf(c));
        if (!found.ok) return answerRefusal(c, found);
        const fixed = changedField(found.value, body.value);
        if (fixed)
          return answerRefusal(
            c,
            refuse('immutable_field', `${fixed}: a token keeps it; make another one`, { path: fixed }),
          );
        const change = renameToken(caller, found.value.hash, body.value.name, ifMatch.value);
        return answerOutcome(c, await writer.submit(change), (token) =>
          answer(c, wire(token), 200, { etag: tokenEtag(token) }),
        );
      }),
      DELETE: admit(guard, { scope: 'manage' }, async (c, caller) => {
        const ifMatch = readIfMatch(c, requireIfMatch);
        if (!ifMatch.ok) return answerRefusal(c, ifMatch);
        const found = findToken(state, caller, idOf(c));
        if (!found.ok) return answerRefusal(c, found);
        const query = readQuery(c, revocationSchema);
        if (!query.ok) return answerRefusal(c, query);
        const { children } = query.value;
        const withChildren = children === 'true' || children === '1';
        const revoked = await writer.submit(revokeToken(caller, found.value.hash, withChildren, ifMatch.value));
        return answerOutcome(c, revoked, (token) => answer(c, wire(token)));
      }),
    },
  };
}

const idOf = (c: HttpContext): string => c.req.param('id') ?? '';

/** One that the caller may see: his own, or as an admin any. */
function findToken(state: RoomState, caller: Caller, id: string): Outcome<Token> {
  for (const token of state.all('token').values()) {
    if (token.id === id && mayManage(caller, token)) return { ok: true, value: token };
  }
  return noSuchToken();
}

function answerTokens(c: HttpContext, caller: Caller, state: RoomState, wire: (token: Token) => object): Response {
  const query = readListQuery(c);
  if (!query.ok) return answerRefusal(c, query);
  const userId = c.req.query('user');
  const sorted = [...state.all('token').values()]
    .filter((token) => mayManage(caller, token) && (userId === undefined || token.userId === userId))
    .sort((a, b) => (a.id < b.id ? -1 : 1));
  const page = pageOf(sorted, ({ id }) => id, query.value);
  return answer(c, { tokens: page.values.map(wire), next: page.next });
}
