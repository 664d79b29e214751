/** Ends a timer; calling it again, or after the timer has fired, does nothing. */
export type CancelTimer = () => void;

/** The source of time. Pure code takes an instant as an argument; code that waits takes a clock. */
export interface Clock {
  /** Milliseconds since the Unix epoch. */
  now(): number;
  /** Milliseconds since the start of the process, whatever is done to the machine's clock. */
  monotonic(): number;
  /** Calls `action` once, `ms` milliseconds from now. */
  after(ms: number, action: () => void): CancelTimer;
  /** Calls `action` every `ms` milliseconds, first `ms` from now. */
  every(ms: number, action: () => void): CancelTimer;
}

/** Node fires a longer timer at once: its delay is a 32-bit integer. */
const MAX_TIMER_MS = 2 ** 31 - 1;

/**
 * Runs in this turn of the event loop: Node's shortest timer takes a millisecond. It keeps the process alive for that turn,
 * since the event loop would sleep before an unreferenced immediate.
 */
function soon(action: () => void): CancelTimer {
  const immediate = setImmediate(action);
  return () => clearImmediate(immediate);
}

/** The clock of the machine. Its timers do not keep the process alive. */
export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  after(ms, action) {
    if (ms <= 0) return soon(action);
    let timer: NodeJS.Timeout;
    const arm = (restMs: number) => {
      const stepMs = Math.min(restMs, MAX_TIMER_MS);
      timer = setTimeout(() => (restMs > stepMs ? arm(restMs - stepMs) : action()), stepMs);
      timer.unref();
    };
    arm(ms);
    return () => clearTimeout(timer);
  },
  every(ms, action) {
    let cancel: CancelTimer;
    const arm = () => {
      cancel = systemClock.after(ms, () => {
        arm();
        action();
      });
    };
    arm();
    return () => cancel();
  },
};

/** Seconds since some moment, finer than a millisecond, for measuring durations; whatever is done to the machine's clock. */
export function monotonicSeconds(): number {
  return performance.now() / 1000;
}

/** Keeps the process alive until it is cancelled: the clock's timers do not, and a command may have nothing else. */
export function holdProcess(): CancelTimer {
  const timer = setInterval(() => {}, MAX_TIMER_MS);
  return () => clearInterval(timer);
}
