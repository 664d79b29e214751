import type { Caller } from '../../domain/caller.ts';
import { type Refusal, refuse } from '../../domain/refusal.ts';
import type { Scope } from '../../domain/token/token.ts';

/** What a token must be good for beyond what let its request in; `undefined`: it is. */
export function requireScope({ scopes }: Caller, scope: Scope): Refusal | undefined {
  return scopes.has(scope) ? undefined : refuse('scope_missing', `the token lacks the scope ${scope}`);
}
