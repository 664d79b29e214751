export interface FairQueueLimits {
  readonly perKey: number;
  readonly total: number;
}

/** Queues by key that are served in turn, so that a long one delays no other. Each is first in, first out. */
export class FairQueue<T> {
  readonly #limits: FairQueueLimits;
  /** No empty ones; the first has the next turn. */
  readonly #queues = new Map<string, T[]>();
  #size = 0;

  constructor(limits: FairQueueLimits) {
    this.#limits = limits;
  }

  get size(): number {
    return this.#size;
  }

  /**
   * Returns the item that has no room, if any: this one if its queue is full or no other is longer; otherwise the newest of
   * the longest queue.
   */
  add(key: string, item: T): T | undefined {
    const items = this.#queues.get(key) ?? [];
    if (items.length >= this.#limits.perKey) return item;
    let dropped: T | undefined;
    if (this.#size >= this.#limits.total) {
      const longest = this.#longest();
      if (longest.length <= items.length + 1) return item;
      dropped = longest.pop();
    } else this.#size++;
    items.push(item);
    this.#queues.set(key, items);
    return dropped;
  }

  take(): T | undefined {
    for (const [key, items] of this.#queues) {
      const item = items.shift();
      this.#queues.delete(key);
      if (items.length > 0) this.#queues.set(key, items);
      this.#size--;
      return item;
    }
    return undefined;
  }

  #longest(): T[] {
    let longest: T[] = [];
    for (const items of this.#queues.values()) if (items.length > longest.length) longest = items;
    return longest;
  }
}
