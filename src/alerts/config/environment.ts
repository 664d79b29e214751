export type Environment = Readonly<Record<string, string | undefined>>;

/** Expands environment variables in texts and keeps the originals. */
export class Expansions {
  readonly #environment: Environment;
  readonly #sources = new Map<string, string>();
  readonly #values = new Set<string>();

  constructor(environment: Environment) {
    this.#environment = environment;
  }

  /** `${NAME}` stands for a variable, `$$` for `$`; any other `$` for itself. */
  expand(written: string): { readonly text: string } | { readonly unset: string } {
    if (!written.includes('$')) return { text: written };
    let unset: string | undefined;
    let hasVariable = false;
    const text = written.replace(/\$\$|\$\{([A-Za-z_][A-Za-z0-9_]*)\}/g, (whole, name: string | undefined) => {
      if (name === undefined) return '$';
      hasVariable = true;
      const value = this.#environment[name];
      if (value === undefined) unset ??= name;
      else if (value !== '') this.#values.add(value);
      return value ?? whole;
    });
    if (unset !== undefined) return { unset };
    if (hasVariable && text !== '') this.#sources.set(text, written);
    return { text };
  }

  /** The values of all variables used. */
  get values(): readonly string[] {
    return [...this.#values];
  }

  /** The original of an expanded text. */
  sourceOf(text: string): string | undefined {
    return this.#sources.get(text);
  }
}
