import type { FeedEntry } from './entry.ts';

/** The number of events kept; a power of two. */
const CAPACITY = 4096;
/** Limit of their data together, in UTF-16 units. */
const MAX_CHARS = 4 * 2 ** 20;

/** The latest events of the log, for clients that were briefly disconnected or read slowly, without the store. */
export class FeedTail {
  readonly #slots: (FeedEntry | undefined)[] = new Array(CAPACITY).fill(undefined);
  /** The position of the first event kept. */
  #first: number;
  #head: number;
  #chars = 0;

  constructor(head: number) {
    this.#head = head;
    this.#first = head + 1;
  }

  /** The last position sent. */
  get head(): number {
    return this.#head;
  }

  /** All events after this position are here. */
  get from(): number {
    return this.#first - 1;
  }

  at(pos: number): FeedEntry | undefined {
    return pos >= this.#first && pos <= this.#head ? this.#slots[pos % CAPACITY] : undefined;
  }

  push(entry: FeedEntry): void {
    // Positions have no holes; after one, earlier events could not be found by their index.
    if (entry.pos !== this.#head + 1) this.forget();
    if (this.#first > this.#head) this.#first = entry.pos;
    this.#head = entry.pos;
    if (entry.pos - this.#first >= CAPACITY) this.#dropFirst();
    this.#slots[entry.pos % CAPACITY] = entry;
    this.#chars += entry.data.length;
    while (this.#chars > MAX_CHARS && this.#first < this.#head) this.#dropFirst();
  }

  /** Begins again after a position. */
  restart(head: number): void {
    this.#head = head;
    this.forget();
  }

  /** Drops everything kept so far. */
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
