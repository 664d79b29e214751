import { type Caller, callerOf } from '../domain/caller.ts';
import { checkToken } from '../domain/user/change.ts';
import type { RoomState } from '../room/state.ts';

/** An earlier caller as the same token would make it now; `undefined`: the token would be refused. */
export function renewCaller(state: RoomState, caller: Caller, now: number): Caller | undefined {
  const current = state.get('user', caller.user.id);
  if (caller.tokenId === null) return current && !current.disabled ? { ...caller, user: current } : undefined;
  for (const token of state.all('token').values()) {
    if (token.id !== caller.tokenId) continue;
    const user = checkToken(token, current, now);
    return user.ok ? callerOf(token, user.value) : undefined;
  }
  return undefined;
}
