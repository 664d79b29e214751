import type { FlagListener, FlagStore, ItemKind } from '../flag-store.ts';
import { ITEM_KINDS } from '../flag-store.ts';

/** A change of a flag or segment. */
export interface ItemChange {
  /** Counts up per environment, from 1. */
  readonly id: number;
  /** Epoch milliseconds. */
  readonly at: number;
  readonly kind: ItemKind;
  readonly key: string;
  /** JSON before and after; undefined: there was or is none. */
  readonly before: string | undefined;
  readonly after: string | undefined;
  /** The comment of the user who made the change on the page. */
  readonly comment: string | undefined;
}

interface KnownItem {
  readonly json: string;
  /** Epoch milliseconds; undefined: unchanged since the first data. */
  readonly changedAt: number | undefined;
}

const MAX_CHANGES = 300;
/** Characters of JSON in all kept changes: the oldest are dropped beyond it. */
const MAX_CHARS = 2 ** 20;

/** The last changes of an environment's flags and segments. The first data are no change. */
export class ChangeLog implements FlagListener {
  readonly #store: FlagStore;
  readonly #now: () => number;
  readonly #known: Readonly<Record<ItemKind, Map<string, KnownItem>>> = { flags: new Map(), segments: new Map() };
  readonly #changes: ItemChange[] = [];
  #chars = 0;
  #lastId = 0;
  #hasData = false;
  /** Comments on changes that have not arrived yet, by flag. */
  readonly #comments = new Map<string, string>();

  constructor(store: FlagStore, now: () => number) {
    this.#store = store;
    this.#now = now;
    store.subscribe(this);
  }

  /** Oldest first. */
  get changes(): readonly ItemChange[] {
    return this.#changes;
  }

  /** Time of the last change of a flag in epoch milliseconds; undefined: none since the first data. */
  changedAt(key: string): number | undefined {
    return this.#known.flags.get(key)?.changedAt;
  }

  /** Adds a comment to the next change of a flag; returns a function that takes it back. */
  comment(key: string, comment: string): () => void {
    this.#comments.set(key, comment);
    return () => this.#comments.delete(key);
  }

  replaced(): void {
    for (const kind of ITEM_KINDS) {
      const known = this.#known[kind];
      const present = new Set(this.#store.keys(kind));
      for (const key of present) this.#note(kind, key);
      for (const key of known.keys()) if (!present.has(key)) this.#note(kind, key);
    }
    this.#hasData = true;
  }

  changed(kind: ItemKind, key: string): void {
    this.#note(kind, key);
  }

  removed(kind: ItemKind, key: string): void {
    this.#note(kind, key);
  }

  /** Compares an item with the known one: the store also reports changes that it did not take. */
  #note(kind: ItemKind, key: string): void {
    const known = this.#known[kind];
    const before = known.get(key)?.json;
    const after = this.#store.json(kind, key);
    if (before === after) return;
    const at = this.#now();
    if (after === undefined) known.delete(key);
    else known.set(key, { json: after, changedAt: this.#hasData ? at : undefined });
    if (!this.#hasData) return;
    const comment = kind === 'flags' ? this.#comments.get(key) : undefined;
    if (comment !== undefined) this.#comments.delete(key);
    this.#add({ id: ++this.#lastId, at, kind, key, before, after, comment });
  }

  #add(change: ItemChange): void {
    this.#changes.push(change);
    this.#chars += sizeOf(change);
    while (this.#changes.length > MAX_CHANGES || (this.#chars > MAX_CHARS && this.#changes.length > 1)) {
      const oldest = this.#changes.shift();
      if (oldest) this.#chars -= sizeOf(oldest);
    }
  }
}

function sizeOf({ before = '', after = '' }: ItemChange): number {
  return before.length + after.length;
}
