import type { Clock } from '../../kernel/clock.ts';
import { CommandError, ExitCode } from '../../kernel/errors.ts';
import { RefusedError } from './client.ts';
import { pause } from './pause.ts';

const FIRST_PAUSE_MS = 100;
const MAX_PAUSE_MS = 2_000;
/** An unanswered attempt is given up after this time, so that another can follow. */
const MAX_TRY_MS = 10_000;

export interface TryLimits {
  readonly timeoutMs: number;
}

/** Retries until success or the end of the time. */
export class Persistence {
  readonly #clock: Clock;
  readonly #givenUpAt: number;
  readonly #budgetMs: number;

  constructor(clock: Clock, budgetMs: number) {
    this.#clock = clock;
    this.#budgetMs = budgetMs;
    this.#givenUpAt = clock.now() + budgetMs;
  }

  /** `action` must be safe to repeat. After the time it throws with the exit code `unreachable`. */
  async run<T>(action: (limits: TryLimits) => Promise<T>): Promise<T> {
    for (let tries = 0; ; tries++) {
      const leftMs = this.#givenUpAt - this.#clock.now();
      try {
        return await action({ timeoutMs: Math.max(1_000, Math.min(MAX_TRY_MS, leftMs)) });
      } catch (error) {
        if (!isPassing(error)) throw error;
        const asked = error instanceof RefusedError ? (error.retryAfterMs ?? 0) : 0;
        const waitMs = Math.max(asked, Math.min(FIRST_PAUSE_MS * 2 ** tries, MAX_PAUSE_MS));
        if (this.#clock.now() + waitMs > this.#givenUpAt) throw this.#givenUp(error);
        await pause(this.#clock, waitMs);
      }
    }
  }

  #givenUp(error: CommandError): CommandError {
    const text = `${error.message}; given up after ${Math.round(this.#budgetMs / 1000)}s (--retry)`;
    return new CommandError(text, ExitCode.unreachable, { cause: error });
  }
}

/** A lost connection, or a server that is busy or starting: a retry may succeed. */
export function isPassing(error: unknown): error is CommandError {
  if (error instanceof RefusedError)
    return error.status >= 500 || error.status === 429 || error.code === 'request_in_progress';
  return error instanceof CommandError && error.exitCode === ExitCode.unreachable;
}
