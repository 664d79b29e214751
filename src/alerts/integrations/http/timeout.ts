import type { Clock } from '../../../kernel/clock.ts';
import { withDeadline } from '../../../kernel/deadline.ts';
import { formatDuration } from '../../../kernel/duration.ts';

/**
 * Runs something with a timeout; 0 means none. At the timeout the signal is aborted with an OwnTimeout.
 */
export async function withinTimeout<T>(
  { name, timeoutMs, clock, signal }: { name: string; timeoutMs: number; clock: Clock; signal: AbortSignal },
  action: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  if (timeoutMs <= 0) return action(signal);
  return withDeadline({ clock, ms: timeoutMs, signal, reason: new OwnTimeout(name, timeoutMs) }, action);
}

/** The configured timeout of one attempt has passed. */
export class OwnTimeout extends Error {
  override readonly name = 'OwnTimeout';

  constructor(integration: string, timeoutMs: number) {
    super(`configured ${integration} timeout reached (${formatDuration(timeoutMs)})`);
  }
}
