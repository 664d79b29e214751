/** Ends a timer; calling it again does nothing. */
export type CancelTimer = () => void;

/** A page's clock; same shape as the servers' clock, so that tests can use theirs. */
export interface Clock {
  /** Milliseconds since the Unix epoch. */
  now(): number;
  after(ms: number, action: () => void): CancelTimer;
  every(ms: number, action: () => void): CancelTimer;
}

/** The clock of the browser. */
export const browserClock: Clock = {
  now: () => Date.now(),
  after(ms, action) {
    const timer = setTimeout(action, ms);
    return () => clearTimeout(timer);
  },
  every(ms, action) {
    const timer = setInterval(action, ms);
    return () => clearInterval(timer);
  },
};
