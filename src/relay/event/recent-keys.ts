/** Longer keys are not remembered, as clients choose their length. */
const MAX_KEY_CHARS = 256;

/** Remembers recently seen keys (LRU). */
export class RecentKeys {
  readonly #capacity: number;
  readonly #lifeMs: number;
  /** Time of the first occurrence in epoch milliseconds; ordered by the last occurrence. */
  readonly #seenAt = new Map<string, number>();

  constructor(capacity: number, lifeMs: number) {
    this.#capacity = capacity;
    this.#lifeMs = lifeMs;
  }

  /** Whether the key was first seen less than `lifeMs` ago; remembers it. */
  saw(key: string, now: number): boolean {
    if (key.length > MAX_KEY_CHARS) return false;
    const seenAt = this.#seenAt.get(key);
    const isKnown = seenAt !== undefined && now - seenAt < this.#lifeMs;
    this.#seenAt.delete(key);
    this.#seenAt.set(key, isKnown ? seenAt : now);
    if (this.#seenAt.size > this.#capacity) this.#seenAt.delete(this.#seenAt.keys().next().value as string);
    return isKnown;
  }
}
