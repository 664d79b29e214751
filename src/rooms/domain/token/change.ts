import { findRoom } from '../access.ts';
import { type Caller, rulesServer } from '../caller.ts';
import type { Change, ChangeView } from '../change.ts';
import { checkIfMatch, tokenEtag } from '../etag.ts';
import { record } from '../record.ts';
import { accepted, type Outcome, type Refusal, refuse } from '../refusal.ts';
import { auditOf, noSuchUser } from '../user/change.ts';
import { endTokens } from './end.ts';
import { earlierOf, parentIdOf, requireShown } from './lineage.ts';
import { type Scope, type Token, USUAL_SCOPES } from './token.ts';

export interface TokenDraft {
  readonly name: string;
  /** The caller by default. */
  readonly userId?: string | undefined;
  readonly scopes?: readonly Scope[] | undefined;
  /** Ids or slugs. */
  readonly roomIds?: readonly string[] | null | undefined;
  readonly expiresAt?: number | null | undefined;
}

/** What is stored of a new token's secret. */
export interface TokenSeal {
  readonly hash: string;
  readonly prefix: string;
}

const MAX_TOKENS = 1000;

/**
 * Admins create tokens for everybody, others for themselves. No token has more rights, rooms or lifetime than its
 * parent.
 */
export function createToken(caller: Caller, draft: TokenDraft, seal: TokenSeal): Change<Token> {
  return {
    decide(view) {
      const gone = requireShown(view, caller);
      if (gone) return gone;
      const userId = draft.userId ?? caller.user.id;
      if (userId !== caller.user.id && !rulesServer(caller))
        return refuse('forbidden', 'only admins of the server make tokens for others', { path: 'userId' });
      const user = view.get('user', userId);
      if (!user) return noSuchUser(userId);
      if (user.disabled) return refuse('forbidden', `the user ${userId} is disabled`, { path: 'userId' });
      if (countTokens(view, userId) >= MAX_TOKENS)
        return refuse('limit_reached', `${userId} has ${MAX_TOKENS} tokens: revoke some`);
      if (draft.expiresAt != null && draft.expiresAt <= view.now)
        return refuse('invalid_body', 'expiresAt: it lies in the past', { path: 'expiresAt' });
      const scopes = scopesOf(caller, draft.scopes);
      if (!scopes.ok) return scopes;
      const roomIds = roomsOf(view, caller, draft.roomIds ?? null);
      if (!roomIds.ok) return roomIds;
      const parentId = parentIdOf(view, caller);
      const token: Token = {
        ...seal,
        id: view.newId(),
        name: draft.name,
        userId,
        scopes: scopes.value,
        roomIds: roomIds.value,
        use: 'api',
        createdAt: view.now,
        expiresAt: earlierOf(draft.expiresAt ?? null, caller.expiresAt),
        ...(parentId === undefined ? {} : { parentId }),
      };
      const audit = [auditOf(view, caller, 'token.create', token.id)];
      return { ok: true, write: { records: [record('token', token.hash, token)], audit }, answer: () => token };
    },
  };
}

/** Only the name of a token can be changed. */
export function renameToken(caller: Caller, hash: string, name: string, ifMatch: string | undefined): Change<Token> {
  return {
    decide(view) {
      const token = view.get('token', hash);
      if (!token || !mayManage(caller, token)) return noSuchToken();
      const mismatch = checkIfMatch(ifMatch, tokenEtag(token));
      if (mismatch) return mismatch;
      const renamed = { ...token, name };
      const audit = [auditOf(view, caller, 'token.update', token.id)];
      return { ok: true, write: { records: [record('token', hash, renamed)], audit }, answer: () => renamed };
    },
  };
}

/** Revokes a token and its sessions; with children also all tokens descending from it. */
export function revokeToken(
  caller: Caller,
  hash: string,
  withChildren: boolean,
  ifMatch: string | undefined,
): Change<Token> {
  return {
    decide(view) {
      const token = view.get('token', hash);
      if (!token || !mayManage(caller, token)) return noSuchToken();
      const mismatch = checkIfMatch(ifMatch, tokenEtag(token));
      if (mismatch) return mismatch;
      const audit = [auditOf(view, caller, 'token.revoke', token.id)];
      return { ok: true, write: { ...endTokens(view, [hash], withChildren), audit }, answer: () => token };
    },
  };
}

/** Admins manage all tokens, others their own; a token bound to rooms only those bound to the same rooms. */
export function mayManage(caller: Caller, { userId, roomIds }: Token): boolean {
  const { roomIds: reach } = caller;
  if (reach === null) return caller.isAdmin || userId === caller.user.id;
  return userId === caller.user.id && roomIds !== null && roomIds.every((id) => reach.has(id));
}

export const noSuchToken = (): Refusal => refuse('token_not_found', 'there is no such token');

function scopesOf(caller: Caller, wanted: readonly Scope[] | undefined): Outcome<readonly Scope[]> {
  if (wanted === undefined) return accepted(USUAL_SCOPES.filter((scope) => caller.scopes.has(scope)));
  const beyond = wanted.find((scope) => !caller.scopes.has(scope));
  if (beyond) return refuse('scope_missing', `scopes: your own token lacks ${beyond}`, { path: 'scopes' });
  return accepted([...new Set(wanted)]);
}

/** A token bound to rooms creates only such tokens. */
function roomsOf(
  view: ChangeView,
  caller: Caller,
  wanted: readonly string[] | null,
): Outcome<readonly string[] | null> {
  if (wanted === null) return accepted(caller.roomIds ? [...caller.roomIds] : null);
  const ids = new Set<string>();
  for (const idOrSlug of wanted) {
    const found = findRoom(view, caller, idOrSlug);
    if (!found.ok) return { ...found, path: 'roomIds' };
    ids.add(found.value.room.id);
  }
  return accepted([...ids]);
}

function countTokens(view: ChangeView, userId: string): number {
  let count = 0;
  for (const token of view.each('token')) if (token.userId === userId && token.use === 'api') count++;
  return count;
}
