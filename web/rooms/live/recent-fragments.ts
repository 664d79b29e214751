interface Cloneable {
  cloneNode(deep: boolean): unknown;
}

/** A cache of the nodes of the latest texts, up to a total number of characters. */
export class RecentFragments<Fragment extends Cloneable> {
  readonly #fragments = new Map<string, Fragment>();
  readonly #maxCharacters: number;
  #characters = 0;

  constructor(maxCharacters: number) {
    this.#maxCharacters = maxCharacters;
  }

  /** A copy, which the caller may change. */
  get(text: string): Fragment | undefined {
    return this.#fragments.get(text)?.cloneNode(true) as Fragment | undefined;
  }

  /** Keeps a copy as the latest one. */
  keep(text: string, fragment: Fragment): void {
    const kept = this.#fragments.get(text) ?? (fragment.cloneNode(true) as Fragment);
    this.#drop(text);
    this.#fragments.set(text, kept);
    this.#characters += text.length;
    for (const oldest of this.#fragments.keys()) {
      if (this.#characters <= this.#maxCharacters) break;
      this.#drop(oldest);
    }
  }

  #drop(text: string): void {
    if (this.#fragments.delete(text)) this.#characters -= text.length;
  }
}
