import type { Page } from './alert-pages.ts';

/** So many queries are remembered: those that pages and scripts repeat every few seconds. */
const MAX_SELECTIONS = 8;

/** What a query took of each page, by the version of the page; undefined where that was all of its bytes. */
type Parts = ReadonlyMap<number, Buffer | undefined>;

const NONE: Parts = new Map();

interface Selection {
  readonly parts: Parts;
  /** In bytes. */
  readonly size: number;
}

/**
 * What the queries that were asked last have taken from the pages of a listing: asked again, each costs only the pages
 * that have changed since. Together they hold no more bytes than the pages.
 */
export class Selections<Item> {
  /** By query, those asked least recently first. */
  readonly #selections = new Map<string, Selection>();

  /** What the query wants of each page; `take` gives that of one, a copy or all of its bytes. */
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

  /** Something has changed that no page tells. */
  clear(): void {
    this.#selections.clear();
  }

  /** Leaves the newest in any case, which is a part of the pages. */
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
