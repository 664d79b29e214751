import type { Clock } from '../../kernel/clock.ts';
import { messageOf } from '../../kernel/errors.ts';
import type { Notification } from '../domain/notification.ts';
import { TemplateError } from '../template/template-error.ts';
import { abortReason, failedForGood } from './deliver.ts';
import { describeAbort } from './http/failure.ts';
import type { Delivery, Notifier } from './notifier.ts';

export interface Attempt {
  /** From 1. */
  readonly number: number;
  readonly ok: boolean;
  readonly latencyMs: number;
  /** Undefined after a success. */
  readonly error: string | undefined;
  readonly retry: boolean;
}

export interface RetryParts {
  readonly clock: Clock;
  readonly ending: Ending;
  /** The instant at which an attempt is cut short and after which none begins. */
  readonly deadline: number;
  /** From 0 up to 1. */
  readonly random: () => number;
  readonly onAttempt?: (attempt: Attempt) => void;
  /** Asked before each attempt; false: another node has taken over. Undefined: always. */
  readonly mayBegin?: (() => Promise<boolean>) | undefined;
}

/** Ends the attempts of one notification from outside: at a stop or a reload. */
export class Ending {
  readonly #controller = new AbortController();
  #isLastCall = false;
  #wake: (() => void) | undefined;

  /** Aborted by the end, or by the deadline. */
  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** Whether no further attempt may begin. */
  get isLastCall(): boolean {
    return this.#isLastCall || this.signal.aborted;
  }

  /** Ends everything. */
  abort(reason: Error): void {
    this.#controller.abort(reason);
    this.#wake?.();
  }

  /** No further attempt begins; one under way may finish. */
  callLast(): void {
    this.#isLastCall = true;
    this.#wake?.();
  }

  /** Resolves at the instant, or as soon as no further attempt may begin. */
  waitUntil(at: number, clock: Clock): Promise<void> {
    return new Promise((resolve) => {
      const done = () => {
        cancel();
        this.#wake = undefined;
        resolve();
      };
      const cancel = clock.after(at - clock.now(), done);
      this.#wake = done;
    });
  }
}

export interface RetryResult {
  /** A failure's text is for all attempts and contains their number. */
  readonly delivery: Delivery;
  readonly attempts: number;
  /** The result of the last attempt that the deadline did not cut short; undefined after a success. */
  readonly lastError: string | undefined;
}

type Failure = Extract<Delivery, { ok: false }>;

const TAKEN_OVER: Failure = {
  ok: false,
  retry: false,
  reason: 'contextCanceled',
  error: 'another node has taken over',
};

const FIRST_WAIT_MS = 500;
const MAX_WAIT_MS = 60_000;

/** The time from the beginning of one attempt to the next after `attempts`: 500 ms · 1.5ⁿ ± 50 %. */
export function backoffMs(attempts: number, random: () => number): number {
  return Math.min(FIRST_WAIT_MS * 1.5 ** (attempts - 1), MAX_WAIT_MS) * (0.5 + random());
}

/**
 * Retries until success, a permanent failure, or the deadline: a failure whose next attempt would begin after it is
 * final at once. Source of the intervals and texts: Alertmanager's RetryStage.
 */
export async function notifyWithRetry(
  notifier: Notifier,
  notification: Notification,
  parts: RetryParts,
): Promise<RetryResult> {
  const { clock, deadline, ending } = parts;
  const timeUp = () => ending.abort(new DOMException('the deadline has passed', 'TimeoutError'));
  if (clock.now() >= deadline) timeUp();
  const cancelTimer = clock.after(deadline - clock.now(), timeUp);
  try {
    return await tryUntilAborted(notifier, notification, parts);
  } finally {
    cancelTimer();
  }
}

async function tryUntilAborted(
  notifier: Notifier,
  notification: Notification,
  { clock, ending, deadline, random, onAttempt, mayBegin }: RetryParts,
): Promise<RetryResult> {
  const { signal } = ending;
  let last: Failure | undefined;
  let attempts = 0;
  while (!signal.aborted) {
    if (mayBegin && !(await mayBegin())) return gaveUp('after', TAKEN_OVER, attempts);
    const begunAt = clock.now();
    const delivery = await attemptAt(notifier, notification, signal);
    attempts++;
    const error = delivery.ok ? undefined : delivery.error;
    const retry = !delivery.ok && delivery.retry;
    onAttempt?.({ number: attempts, ok: delivery.ok, latencyMs: clock.now() - begunAt, error, retry });
    if (delivery.ok) return { delivery, attempts, lastError: undefined };
    if (!delivery.retry) return gaveUp('due to unrecoverable error after', delivery, attempts);
    // The error of an attempt that was cut short says less than the one before.
    if (signal.aborted) break;
    last = delivery;
    const nextAt = Math.max(begunAt + backoffMs(attempts, random), clock.now() + (delivery.retryAfterMs ?? 0));
    if (nextAt >= deadline || ending.isLastCall) break;
    if (nextAt > clock.now()) await ending.waitUntil(nextAt, clock);
    if (ending.isLastCall) break;
  }
  return gaveUp('after', last ?? cutShort(signal), attempts);
}

async function attemptAt(notifier: Notifier, notification: Notification, signal: AbortSignal): Promise<Delivery> {
  try {
    return await notifier.notify(notification, signal);
  } catch (error) {
    if (error instanceof TemplateError) return failedForGood(messageOf(error), error.details.reason);
    throw error;
  }
}

function cutShort(signal: AbortSignal): Failure {
  return { ok: false, retry: true, reason: abortReason(signal), error: describeAbort(signal.reason) };
}

function gaveUp(when: string, last: Failure, attempts: number): RetryResult {
  const error = `notify retry canceled ${when} ${attempts} attempts: ${last.error}`;
  return { delivery: { ...last, error }, attempts, lastError: last.error };
}
