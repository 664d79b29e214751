import type { FeedEntry } from './feed-entry.ts';

/** How many events are kept; a power of two. */
const CAPACITY = 4096;
/** How long their data may be together, in UTF-16 units. */
const MAX_CHARS = 4 * 2 ** 20;

/** The last events of the log: who was away for a moment only, or reads slowly, gets them without a look at the store. */
export class FeedTail {
  readonly #slots: (FeedEntry | undefined)[] = new Array(CAPACITY).fill(undefined);
  /** The position of the first that is kept. */
  #first: number;
  #head: number;
  #chars = 0;

  constructor(head: number) {
    this.#head = head;
    this.#first = head + 1;
  }

  /** The last position that was told. */
  get head(): number {
    return this.#head;
  }

  /** All that follows this position is here. */
  get from(): number {
    return this.#first - 1;
  }

  at(pos: number): FeedEntry | undefined {
    return pos >= this.#first && pos <= this.#head ? this.#slots[pos % CAPACITY] : undefined;
  }

  push(entry: FeedEntry): void {
    // Positions have no holes; were there one, what lies before it could not be found by its place.
    if (entry.pos !== this.#head + 1) this.forget();
    if (this.#first > this.#head) this.#first = entry.pos;
    this.#head = entry.pos;
    if (entry.pos - this.#first >= CAPACITY) this.#dropFirst();
    this.#slots[entry.pos % CAPACITY] = entry;
    this.#chars += entry.data.length;
    while (this.#chars > MAX_CHARS && this.#first < this.#head) this.#dropFirst();
  }

  /** Keeps nothing of what was told so far. */
  forget(): void {
    this.#slots.fill(undefined);
    this.#chars = 0;
    this.#first = this.#head + 1;
  }

  #dropFirst(): void {
    const slot = this.#first % CAPACITY;
    this.#chars -= this.#slots[slot]?.data.length ?? 0;
    this.#slots[slot] = undefined;
    this.#first += 1;
  }
}
