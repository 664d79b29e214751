/** The selected items of a list, by id. */
export class Selection {
  readonly #ids = new Set<string>();
  #last: string | undefined;

  get ids(): ReadonlySet<string> {
    return this.#ids;
  }

  /** Selects an item or not; with `isRange` all from the last changed one to it. `listed`: the ids in their order. */
  set(id: string, isSelected: boolean, isRange: boolean, listed: readonly string[]): void {
    const [from, to] = [this.#last ?? id, id].map((one) => listed.indexOf(one)) as [number, number];
    const range = isRange && from >= 0 ? listed.slice(Math.min(from, to), Math.max(from, to) + 1) : [id];
    for (const one of range) {
      if (isSelected) this.#ids.add(one);
      else this.#ids.delete(one);
    }
    this.#last = id;
  }

  setAll(ids: readonly string[]): void {
    this.clear();
    for (const id of ids) this.#ids.add(id);
  }

  /** Forgets items that are no longer listed. */
  keep(listed: ReadonlySet<string>): void {
    for (const id of this.#ids) if (!listed.has(id)) this.#ids.delete(id);
  }

  clear(): void {
    this.#ids.clear();
    this.#last = undefined;
  }
}
