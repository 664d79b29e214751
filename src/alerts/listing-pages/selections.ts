import type { Page } from './alert-pages.ts';

/** Cached queries: the ones that pages and scripts repeat every few seconds. */
const MAX_SELECTIONS = 8;

/** The result of a query for each page, by the page's version; undefined when it was the whole page. */
type Parts = ReadonlyMap<number, Buffer | undefined>;

const NONE: Parts = new Map();

interface Selection {
  readonly parts: Parts;
  /** In bytes. */
  readonly size: number;
}

/**
 * Caches the results of the last queries per page of a listing: a repeated query costs only the pages that have changed.
 * The cache holds no more bytes than the pages.
 */
export class Selections<Item> {
  /** By query, least recently used first. */
  readonly #selections = new Map<string, Selection>();

  /** The result of the query for each page; `take` computes that of one: a copy, or all of its bytes. */
  read(query: string, pages: readonly Page<Item>[], take: (page: Page<Item>) => Buffer): readonly Buffer[] {
    const known = this.#selections.get(query)?.parts ?? NONE;
    const parts = new Map<number, Buffer | undefined>();
    const pieces: Buffer[] = [];
    let size = 0;
    let most = 0;
    for (const page of pages) {
      const bytes = known.has(page.version) ? (known.get(page.version) ?? page.bytes) : take(page);
      const part = bytes === page.bytes ? undefined : bytes;
      parts.set(page.version, part);
      if (bytes.length > 0) pieces.push(bytes);
      size += part?.length ?? 0;
      most += page.bytes.length;
    }
    this.#selections.delete(query);
    this.#selections.set(query, { parts, size });
    this.#forgetOldest(most);
    return pieces;
  }

  /** Drops all results, after a change that no page version shows. */
  clear(): void {
    this.#selections.clear();
  }

  /** Keeps the newest in any case. */
  #forgetOldest(mostBytes: number): void {
    let bytes = 0;
    for (const { size } of this.#selections.values()) bytes += size;
    for (const [query, { size }] of this.#selections) {
      if (bytes <= mostBytes && this.#selections.size <= MAX_SELECTIONS) return;
      this.#selections.delete(query);
      bytes -= size;
    }
  }
}
