interface Versioned<T> {
  readonly version: number;
  /** Undefined: deleted. */
  readonly item: T | undefined;
}

/** Items with versions: only a newer version changes one, and a deleted one leaves its version. */
export class VersionedItems<T> {
  readonly #items = new Map<string, Versioned<T>>();

  get(id: string): T | undefined {
    return this.#items.get(id)?.item;
  }

  /** The items that are not deleted, by id, in order of their first appearance. */
  get entries(): readonly (readonly [id: string, item: T])[] {
    return [...this.#items].flatMap(([id, { item }]) => (item === undefined ? [] : [[id, item] as const]));
  }

  isNewer(id: string, version: number): boolean {
    const known = this.#items.get(id);
    return !known || version > known.version;
  }

  set(id: string, version: number, item: T): void {
    if (this.isNewer(id, version)) this.#items.set(id, { version, item });
  }

  /** Also of an unknown id, whose older versions may arrive later. */
  delete(id: string, version: number): void {
    if (this.isNewer(id, version)) this.#items.set(id, { version, item: undefined });
  }

  /** Forgets all other items, with their versions. */
  retain(ids: { has(id: string): boolean }): void {
    for (const id of this.#items.keys()) if (!ids.has(id)) this.#items.delete(id);
  }
}
