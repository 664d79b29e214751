import { type Refusal, refuse } from '../domain/refusal.ts';
import type { Credentials } from '../routes/request/guard.ts';
import type { FailedSignIns } from './rate-limits.ts';
import { hashTokenSecret } from './token-secret.ts';

const DENIED = refuse('unauthenticated', 'send the header Authorization: Bearer with OPSDECK_ROOMS_METRICS_TOKEN');

/** Lets those read the metrics who show the token for them; everybody where none is set. */
export function metricsGuard(
  token: string | undefined,
  failures: FailedSignIns,
): (credentials: Credentials) => Refusal | undefined {
  if (token === undefined) return () => undefined;
  const expected = hashTokenSecret(token);
  return ({ authorization = '', address }) => {
    const shown = /^Bearer +(\S+) *$/i.exec(authorization)?.[1];
    // By their hashes: how long it takes says nothing about how much of it was right.
    if (shown !== undefined && hashTokenSecret(shown) === expected) return undefined;
    return failures.failed(address) ?? DENIED;
  };
}
