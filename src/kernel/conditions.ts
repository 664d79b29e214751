/** What a server cannot do at present, in words for people. */
export class Conditions {
  readonly #texts = new Map<string, string>();

  /** Adds a condition, or replaces the text of the one with this name. */
  set(name: string, text: string): void {
    this.#texts.set(name, text);
  }

  clear(name: string): void {
    this.#texts.delete(name);
  }

  /** The texts, in the order in which their conditions began. */
  list(): readonly string[] {
    return [...this.#texts.values()];
  }
}
