const FIRST_MS = 1000;
const MAX_MS = 30_000;
/** Retry interval after a refused key, which may become valid upstream. */
const REFUSED_MS = 5 * 60_000;
/** After a connection of this duration the next failure counts as the first. */
const GOOD_MS = 60_000;

/**
 * Exponential backoff between connections to upstream. Every wait is shortened by a random part of up to a half, so that
 * relays do not all reconnect at the same time.
 */
export class UpstreamBackoff {
  readonly #random: () => number;
  #failures = 0;
  #goodSince: number | undefined;

  /** `random` returns a number from 0 to below 1. */
  constructor(random: () => number) {
    this.#random = random;
  }

  /** Data has arrived; the first call for a connection counts. */
  succeeded(now: number): void {
    this.#goodSince ??= now;
  }

  /** The wait after a temporary failure, in milliseconds. */
  failed(now: number): number {
    this.#settle(now);
    const wait = Math.min(FIRST_MS * 2 ** this.#failures, MAX_MS);
    this.#failures += 1;
    return this.#jitter(wait);
  }

  /** The wait after a refusal, in milliseconds. */
  refused(now: number): number {
    this.#settle(now);
    return this.#jitter(REFUSED_MS);
  }

  #settle(now: number): void {
    if (this.#goodSince !== undefined && now - this.#goodSince >= GOOD_MS) this.#failures = 0;
    this.#goodSince = undefined;
  }

  #jitter(ms: number): number {
    return ms - (ms / 2) * this.#random();
  }
}
