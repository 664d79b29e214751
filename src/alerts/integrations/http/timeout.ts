import type { Clock } from '../../../kernel/clock.ts';
import { withDeadline } from '../../../kernel/deadline.ts';
import { formatDuration } from '../../../kernel/duration.ts';

/**
 * Does something that also ends after `timeoutMs`; 0 stands for no limit of its own. The signal is then aborted with an
 * error that says so.
 */
export async function withinTimeout<T>(
  { name, timeoutMs, clock, signal }: { name: string; timeoutMs: number; clock: Clock; signal: AbortSignal },
  action: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  if (timeoutMs <= 0) return action(signal);
  return withDeadline({ clock, ms: timeoutMs, signal, reason: new OwnTimeout(name, timeoutMs) }, action);
}

/** The time that the configuration gives one attempt has passed; the time of the whole flush may not have. */
export class OwnTimeout extends Error {
  override readonly name = 'OwnTimeout';

  constructor(integration: string, timeoutMs: number) {
    super(`configured ${integration} timeout reached (${formatDuration(timeoutMs)})`);
  }
}
