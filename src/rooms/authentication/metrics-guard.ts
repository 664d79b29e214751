import { type Refusal, refuse } from '../domain/refusal.ts';
import type { Credentials } from '../routes/request/guard.ts';
import type { FailedSignIns } from './rate-limits.ts';
import { hashTokenSecret } from './token-secret.ts';

const DENIED = refuse('unauthenticated', 'send the header Authorization: Bearer with OPSDECK_ROOMS_METRICS_TOKEN');

/** Admits requests with the metrics token; all requests where none is set. */
export function metricsGuard(
  token: string | undefined,
  failures: FailedSignIns,
): (credentials: Credentials) => Refusal | undefined {
  if (token === undefined) return () => undefined;
  const expected = hashTokenSecret(token);
  return ({ authorization = '', address }) => {
    const shown = /^Bearer +(\S+) *$/i.exec(authorization)?.[1];
    // Hashes are compared, so that the time reveals nothing about the token.
    if (shown !== undefined && hashTokenSecret(shown) === expected) return undefined;
    return failures.failed(address) ?? DENIED;
  };
}
