import type { Caller } from './caller.ts';
import type { StateView } from './change.ts';
import type { EventDraft } from './event.ts';
import { type RecordChange, record } from './record.ts';
import { type Refusal, refuse } from './refusal.ts';
import type { Token } from './token.ts';

/** The token that the caller shows; `undefined` where nobody signs in, or where it has ended since. */
export function shownToken(view: StateView, { tokenId }: Caller): Token | undefined {
  if (tokenId === null) return undefined;
  for (const token of view.each('token')) if (token.id === tokenId) return token;
  return undefined;
}

/** A token that was revoked while its request was under way begins nothing that would outlive it. */
export function requireShown(view: StateView, caller: Caller): Refusal | undefined {
  if (caller.tokenId === null || shownToken(view, caller)) return undefined;
  return refuse('unauthenticated', 'the token has been revoked');
}

/**
 * What a token that the caller makes descends from. What begins with a session descends from the session's own parent: it
 * outlives a sign-out, but is found when that parent is revoked with its children.
 */
export function parentOf(view: StateView, caller: Caller): Pick<Token, 'parentId'> {
  const shown = shownToken(view, caller);
  if (!shown) return {};
  return { parentId: shown.use === 'session' ? (shown.parentId ?? shown.id) : shown.id };
}

/**
 * Ends tokens with the sessions that began with them, or with all that descends from them, and the streams that they have
 * opened. Descendants that stay are taken over by what their parent descended from.
 */
export function endTokens(
  view: StateView,
  hashes: readonly string[],
  withChildren = false,
): { readonly events: readonly EventDraft[]; readonly records: readonly RecordChange[] } {
  const ended = new Map<string, Token>();
  const end = (token: Token | undefined) => token && ended.set(token.id, token);
  for (const hash of hashes) end(view.get('token', hash));
  const children = childrenByParent(view);
  // Grows while it is gone through: a Map visits what is added meanwhile.
  for (const id of ended.keys())
    for (const child of children.get(id) ?? []) if (withChildren || child.use === 'session') end(child);
  const orphans = [...ended.keys()].flatMap((id) => (children.get(id) ?? []).filter((child) => !ended.has(child.id)));
  return {
    events: [...ended.values()].map(({ id, userId }) => ({
      type: 'token.revoked' as const,
      roomId: null,
      audience: userId,
      tokenId: id,
    })),
    records: [
      ...[...ended.values()].map(({ hash }) => record('token', hash, null)),
      ...orphans.map((orphan) => record('token', orphan.hash, adopted(orphan, ended))),
    ],
  };
}

function childrenByParent(view: StateView): ReadonlyMap<string, readonly Token[]> {
  const children = new Map<string, Token[]>();
  for (const token of view.each('token')) {
    if (token.parentId === undefined) continue;
    const siblings = children.get(token.parentId);
    if (siblings) siblings.push(token);
    else children.set(token.parentId, [token]);
  }
  return children;
}

function adopted({ parentId, ...token }: Token, ended: ReadonlyMap<string, Token>): Token {
  let ancestor = parentId;
  while (ancestor !== undefined && ended.has(ancestor)) ancestor = ended.get(ancestor)?.parentId;
  return ancestor === undefined ? token : { ...token, parentId: ancestor };
}
