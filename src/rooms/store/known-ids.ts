import { type IdBits, IdFilter } from './id-filter.ts';

/** Recognises most unused message ids without asking the engine: clients choose ids, and nearly all of them are new. */
export class KnownIds {
  #filter: IdFilter | undefined;
  /** Ids added while a filter is built, which may lack them. */
  #added: Set<string> | undefined;

  /** `false`: possibly known. */
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

  /**
   * `read` builds a filter of all ids that were added before its call. Until then every id counts as possibly known.
   */
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
