import { type IdBits, IdFilter } from './id-filter.ts';

/**
 * Says of most ids of messages that no message has or had them, without asking the engine: clients name their messages, and
 * nearly all of these names are new.
 */
export class KnownIds {
  #filter: IdFilter | undefined;
  /** Those that came while a filter is made, which may miss them. */
  #added: Set<string> | undefined;

  /** `false`: it may be known. */
  isNew(id: string): boolean {
    return this.#filter !== undefined && !this.#filter.mayHold(id) && !this.#added?.has(id);
  }

  add(id: string): void {
    this.#filter?.add(id);
    this.#added?.add(id);
  }

  get needsFilter(): boolean {
    return this.#added === undefined && (this.#filter === undefined || this.#filter.isFull);
  }

  /** `read` makes a filter that holds all ids that were added before it was called. Until then any may seem to be known. */
  async fill(read: () => Promise<IdBits>): Promise<void> {
    const added = new Set<string>();
    this.#added = added;
    try {
      const filter = new IdFilter(await read());
      for (const id of added) filter.add(id);
      this.#filter = filter;
    } finally {
      this.#added = undefined;
    }
  }
}
