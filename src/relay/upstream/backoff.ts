const FIRST_MS = 1000;
const MAX_MS = 30_000;
/** A key that was refused may be made valid by somebody; it is tried again so often. */
const REFUSED_MS = 5 * 60_000;
/** A connection that was good for so long makes the next failure a first one. */
const GOOD_MS = 60_000;

/**
 * How long to wait before upstream is asked again. Every wait is shortened by a random part of up to a half, so that
 * relays which lost their upstream together do not come back together.
 */
export class UpstreamBackoff {
  readonly #random: () => number;
  #failures = 0;
  #goodSince: number | undefined;

  /** `random` gives a number from 0 up to, but not including, 1. */
  constructor(random: () => number) {
    this.#random = random;
  }

  /** Data has come; of several calls for one connection the first counts. */
  succeeded(now: number): void {
    this.#goodSince ??= now;
  }

  /** The wait after a failure that may pass, in milliseconds. */
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
