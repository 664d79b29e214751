import type { Caller } from '../../domain/caller.ts';
import { type Refusal, refuse } from '../../domain/refusal.ts';
import type { Scope } from '../../domain/token/token.ts';

/** Requires a scope beyond that of the route; `undefined`: it is there. */
export function requireScope({ scopes }: Caller, scope: Scope): Refusal | undefined {
  return scopes.has(scope) ? undefined : refuse('scope_missing', `the token lacks the scope ${scope}`);
}
