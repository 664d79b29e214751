/** Something that a server cannot do at present. */
export interface Condition {
  /** Its kind, for programs; never changes. */
  readonly code: string;
  /** In words for people. */
  readonly text: string;
  /** What the words name, such as an instant or an error. */
  readonly values: Readonly<Record<string, string>>;
}

/** What a server cannot do at present. */
export class Conditions {
  readonly #conditions = new Map<string, Condition>();

  /** Adds a condition, or replaces the one with this name. */
  set(name: string, condition: Condition): void {
    this.#conditions.set(name, condition);
  }

  clear(name: string): void {
    this.#conditions.delete(name);
  }

  /** In the order in which they began. */
  list(): readonly Condition[] {
    return [...this.#conditions.values()];
  }
}
