import type { Clock } from './clock.ts';

/** What was waited for has not come in time. */
export class DeadlineError extends Error {
  override readonly name: string = 'DeadlineError';

  constructor(ms: number) {
    super(`no answer within ${ms / 1000} s`);
  }
}

export interface Deadline {
  readonly clock: Clock;
  readonly ms: number;
  /** Ends what is done, too, and with its own reason. */
  readonly signal?: AbortSignal | undefined;
  /** What the signal is aborted with when the time has passed; a DeadlineError unless given. */
  readonly reason?: Error;
}

/** Does something whose signal is aborted when its time has passed. */
export async function withDeadline<T>(
  { clock, ms, signal, reason }: Deadline,
  action: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const controller = new AbortController();
  const abort = () => controller.abort(signal?.reason);
  if (signal?.aborted) abort();
  signal?.addEventListener('abort', abort, { once: true });
  const cancel = clock.after(ms, () => controller.abort(reason ?? new DeadlineError(ms)));
  try {
    return await action(controller.signal);
  } finally {
    cancel();
    signal?.removeEventListener('abort', abort);
  }
}
