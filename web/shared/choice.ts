/** A year, in seconds. */
const KEPT_S = 31_536_000;

/** Tables of texts are also read by tests, which have no page: then this throws. */
const page = () => (globalThis as unknown as { readonly document: { cookie: string } }).document;

/**
 * What was chosen under a key on any page of this host: a cookie, since a page on another port has a storage of its own; else
 * what this page's storage holds. Undefined if nothing valid was chosen, or the browser forbids storage.
 */
export function readChoice<T extends string>(key: string, known: readonly T[]): T | undefined {
  try {
    const cookie = page()
      .cookie.split('; ')
      .find((pair) => pair.startsWith(`${key}=`));
    const chosen = cookie?.slice(key.length + 1);
    return known.find((one) => one === chosen) ?? known.find((one) => one === localStorage.getItem(key));
  } catch {
    return undefined;
  }
}

/** Keeps a choice for all pages of this host. */
export function keepChoice(key: string, chosen: string): void {
  try {
    page().cookie = `${key}=${chosen}; path=/; max-age=${KEPT_S}; samesite=lax`;
    localStorage.setItem(key, chosen);
  } catch {
    // Forbidden storage: the choice lasts until the page is closed.
  }
}
