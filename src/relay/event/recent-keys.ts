/** Longer keys are not remembered: they would let a sender choose how much memory is spent on him. */
const MAX_KEY = 256;

/** Which keys have been seen of late. The one that was seen least recently goes when there are too many. */
export class RecentKeys {
  readonly #capacity: number;
  readonly #lifeMs: number;
  /** When each was seen first, in epoch milliseconds; the one seen last stands last. */
  readonly #seenAt = new Map<string, number>();

  constructor(capacity: number, lifeMs: number) {
    this.#capacity = capacity;
    this.#lifeMs = lifeMs;
  }

  /** Whether the key was seen for the first time within its life; it is remembered from now on. */
  saw(key: string, now: number): boolean {
    if (key.length > MAX_KEY) return false;
    const seenAt = this.#seenAt.get(key);
    const isKnown = seenAt !== undefined && now - seenAt < this.#lifeMs;
    this.#seenAt.delete(key);
    this.#seenAt.set(key, isKnown ? seenAt : now);
    if (this.#seenAt.size > this.#capacity) this.#seenAt.delete(this.#seenAt.keys().next().value as string);
    return isKnown;
  }
}
