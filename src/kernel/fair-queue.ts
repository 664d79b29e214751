export interface FairQueueLimits {
  readonly perLane: number;
  readonly total: number;
}

/** A queue of lanes that are served in turn, so that a long lane delays no other. Each lane is first in, first out. */
export class FairQueue<T> {
  readonly #limits: FairQueueLimits;
  /** None is empty; the first has the next turn. */
  readonly #lanes = new Map<string, T[]>();
  #size = 0;

  constructor(limits: FairQueueLimits) {
    this.#limits = limits;
  }

  get size(): number {
    return this.#size;
  }

  /**
   * Answers with the item for which there is no room, if any: this one where its lane is full, or none is longer; otherwise
   * the newest of the longest lane.
   */
  add(lane: string, item: T): T | undefined {
    const items = this.#lanes.get(lane) ?? [];
    if (items.length >= this.#limits.perLane) return item;
    let dropped: T | undefined;
    if (this.#size >= this.#limits.total) {
      const longest = this.#longest();
      if (longest.length <= items.length + 1) return item;
      dropped = longest.pop();
    } else this.#size++;
    items.push(item);
    this.#lanes.set(lane, items);
    return dropped;
  }

  take(): T | undefined {
    for (const [lane, items] of this.#lanes) {
      const item = items.shift();
      this.#lanes.delete(lane);
      if (items.length > 0) this.#lanes.set(lane, items);
      this.#size--;
      return item;
    }
    return undefined;
  }

  #longest(): T[] {
    let longest: T[] = [];
    for (const items of this.#lanes.values()) if (items.length > longest.length) longest = items;
    return longest;
  }
}
