import { type Caller, requireUser } from '../caller.ts';
import type { StateView } from '../change.ts';
import { type Refusal, refuse } from '../refusal.ts';
import type { Token } from './token.ts';

/** The token that the caller shows; `undefined` where nobody signs in, or where it has ended since. */
export function shownToken(view: StateView, { tokenId }: Caller): Token | undefined {
  if (tokenId === null) return undefined;
  for (const token of view.each('token')) if (token.id === tokenId) return token;
  return undefined;
}

/** A token that was revoked while its request was under way begins nothing that would outlive it. */
export function requireShown(view: StateView, caller: Caller): Refusal | undefined {
  if (caller.tokenId === null || shownToken(view, caller)) return requireUser(caller);
  return refuse('unauthenticated', 'the token has been revoked');
}

/**
 * What a token that the caller makes descends from. What begins with a session descends from the session's own parent: it
 * outlives a sign-out, but is found when that parent is revoked with its children.
 */
export function parentIdOf(view: StateView, caller: Caller): string | undefined {
  const shown = shownToken(view, caller);
  return shown?.use === 'session' ? (shown.parentId ?? shown.id) : shown?.id;
}

/** When the caller's right ends: a session's is that of the token with which it began. `null` is never. */
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
