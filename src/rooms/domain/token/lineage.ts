import { type Caller, requireUser } from '../caller.ts';
import type { StateView } from '../change.ts';
import { type Refusal, refuse } from '../refusal.ts';
import type { Token } from './token.ts';

/** The caller's token; `undefined` without sign-in, or if it has ended since. */
export function shownToken(view: StateView, { tokenId }: Caller): Token | undefined {
  if (tokenId === null) return undefined;
  for (const token of view.each('token')) if (token.id === tokenId) return token;
  return undefined;
}

/** Refuses a caller whose token was revoked while its request was served, and hooks and copilots. */
export function requireShown(view: StateView, caller: Caller): Refusal | undefined {
  if (caller.tokenId === null || shownToken(view, caller)) return requireUser(caller);
  return refuse('unauthenticated', 'the token has been revoked');
}

/**
 * The parent of a token that the caller creates. What a session creates descends from the session's parent: it outlives
 * a sign-out, and is revoked with the parent's children.
 */
export function parentIdOf(view: StateView, caller: Caller): string | undefined {
  const shown = shownToken(view, caller);
  return shown?.use === 'session' ? (shown.parentId ?? shown.id) : shown?.id;
}

/** When the caller's access ends: for a session, when its parent expires. `null` is never. */
export function rightEndsAt(view: StateView, caller: Caller): number | null {
  const shown = shownToken(view, caller);
  if (shown?.use !== 'session') return caller.expiresAt;
  for (const token of view.each('token')) if (token.id === shown.parentId) return token.expiresAt;
  return null;
}

/** `null` is never. */
export function earlierOf(a: number | null, b: number | null): number | null {
  if (a === null || b === null) return a ?? b;
  return Math.min(a, b);
}
