import type { Clock } from '../kernel/clock.ts';
import type { ConnectionStatus } from './status/connection-status.ts';

/** Kept data are served after this time without an answer from upstream, or at its first failure. */
const RESTORE_AFTER_MS = 3000;

/**
 * Calls `restore` once when upstream is known to fail: data of a revoked key must not be served, not even for a moment. Returns
 * a function that ends the waiting.
 */
export function whenUpstreamFails(connection: ConnectionStatus, clock: Clock, restore: () => void): () => void {
  const check = () => {
    if (connection.isRevoked) return;
    stop();
    restore();
  };
  const cancel = clock.after(RESTORE_AFTER_MS, check);
  const unsubscribe = connection.subscribe(check);
  const stop = () => {
    cancel();
    unsubscribe();
  };
  return stop;
}
