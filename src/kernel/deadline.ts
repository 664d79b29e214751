import type { Clock } from './clock.ts';

/** The awaited result did not come in time. */
export class DeadlineError extends Error {
  override readonly name: string = 'DeadlineError';

  constructor(ms: number) {
    super(`no answer within ${ms / 1000} s`);
  }
}

export interface Deadline {
  readonly clock: Clock;
  readonly ms: number;
  /** Also ends the action, with its own reason. */
  readonly signal?: AbortSignal | undefined;
  /** The reason of the abort when the time has passed; a DeadlineError unless given. */
  readonly reason?: Error;
}

/** Runs `action` with a signal that is aborted when the time has passed. */
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

/** Resolves with true after `ms`, or with false as soon as the signal is aborted. */
export function waitUnlessAborted(clock: Clock, ms: number, signal: AbortSignal): Promise<boolean> {
  return new Promise((resolve) => {
    const done = () => {
      cancel();
      signal.removeEventListener('abort', done);
      resolve(!signal.aborted);
    };
    const cancel = clock.after(ms, done);
    signal.addEventListener('abort', done);
    if (signal.aborted) done();
  });
}
