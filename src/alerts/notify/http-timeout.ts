import type { Clock } from '../../kernel/clock.ts';
import { formatDuration } from '../../kernel/duration.ts';

/**
 * Does something that also ends after `timeoutMs`; 0 stands for no limit of its own. The signal is then aborted with an
 * error that says so.
 */
export async function withinTimeout<T>(
  { name, timeoutMs, clock, signal }: { name: string; timeoutMs: number; clock: Clock; signal: AbortSignal },
  action: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  if (timeoutMs <= 0) return action(signal);
  const controller = new AbortController();
  const abort = () => controller.abort(signal.reason);
  if (signal.aborted) abort();
  signal.addEventListener('abort', abort, { once: true });
  const cancel = clock.after(timeoutMs, () => controller.abort(new OwnTimeout(name, timeoutMs)));
  try {
    return await action(controller.signal);
  } finally {
    cancel();
    signal.removeEventListener('abort', abort);
  }
}

/** The time that the configuration gives one attempt has passed; the time of the whole flush may not have. */
export class OwnTimeout extends Error {
  override readonly name = 'OwnTimeout';

  constructor(integration: string, timeoutMs: number) {
    super(`configured ${integration} timeout reached (${formatDuration(timeoutMs)})`);
  }
}
