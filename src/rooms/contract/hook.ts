import type { Hook, HookProgress } from '../domain/hook/hook.ts';
import { printInstant } from './instant.ts';

/** A hook as all who read its room are told of it: its address may hold a key, and is for those who manage it. */
export function wireHookEvent(hook: Hook, progress?: HookProgress): object {
  const { url: _, lastError: __, ...shown } = wireHook(hook, progress) as { url?: string; lastError?: string | null };
  return shown;
}

/** A hook on the wire: never its secret, which is shown once, when it is made. */
export function wireHook(hook: Hook, progress?: HookProgress): object {
  const { createdAt, updatedAt, tokenId: _, ...rest } = hook;
  const times = { createdAt: printInstant(createdAt), updatedAt: printInstant(updatedAt) };
  if (rest.direction === 'incoming') {
    const { secretHash: __, ...plain } = rest;
    return { ...plain, ...times };
  }
  const { cursor = 0, failures = 0, lastStatus = null, lastError = null } = progress ?? {};
  return { ...rest, ...times, ordered: true, cursor, failures, lastStatus, lastError };
}
