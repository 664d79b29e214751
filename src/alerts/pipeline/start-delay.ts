import type { CancelTimer, Clock } from '../../kernel/clock.ts';

/** Starts flushing `delayMs` after the start of the process, at once if that has passed: a slow start adds nothing. */
export function startAfterDelay(plan: { start(): void }, delayMs: number, clock: Clock): CancelTimer {
  return clock.after(delayMs - clock.monotonic(), () => plan.start());
}
