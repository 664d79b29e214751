import { ITEM_KINDS, type ItemKind } from '../../flag-store.ts';
import type { StoreDriver, StoredData, StoredText, StoreWrite } from '../../stores/driver.ts';

/** A store in this process that fails on demand. Several drivers may share one. */
export class MemoryDriver implements StoreDriver {
  readonly items: Readonly<Record<ItemKind, Map<string, StoredText>>> = { flags: new Map(), segments: new Map() };
  source: string | undefined;
  isMarked = false;
  /** The error of each call while set; `writes`: of writes only. */
  failure: string | undefined;
  writeFailure: string | undefined;
  maxBytes = Number.POSITIVE_INFINITY;
  /** Called between the decision and each write. */
  beforeWrite: () => void = () => {};
  /** Number of calls of each kind. */
  readonly calls = { isInitialised: 0, read: 0, readItem: 0, write: 0 };
  #revision = 0;

  put(kind: ItemKind, key: string, text: string): void {
    this.items[kind].set(key, { text, revision: ++this.#revision });
  }

  /** `key:version` of all flags, with `deleted`. */
  get flags(): readonly string[] {
    return [...this.items.flags]
      .map(([key, { text }]) => {
        const { version, deleted } = JSON.parse(text) as { version: number; deleted?: boolean };
        return `${key}:${version}${deleted ? ' deleted' : ''}`;
      })
      .sort();
  }

  clear(): void {
    for (const kind of ITEM_KINDS) this.items[kind].clear();
    this.isMarked = false;
    this.source = undefined;
  }

  fits({ item }: StoreWrite): boolean {
    return !item || item.text.length <= this.maxBytes;
  }

  async isInitialised(): Promise<boolean> {
    this.#call('isInitialised');
    return this.isMarked;
  }

  async read(): Promise<StoredData> {
    this.#call('read');
    const items = { flags: new Map(this.items.flags), segments: new Map(this.items.segments) };
    return { isInitialised: this.isMarked, source: this.source, items };
  }

  async readItem(kind: ItemKind, key: string): Promise<StoredText | undefined> {
    this.#call('readItem');
    return this.items[kind].get(key);
  }

  async write(writes: readonly StoreWrite[], source?: string): Promise<'written' | 'conflict'> {
    this.#call('write');
    if (this.writeFailure !== undefined) throw new Error(this.writeFailure);
    this.beforeWrite();
    for (const { kind, key, revision } of writes)
      if (this.items[kind].get(key)?.revision !== revision) return 'conflict';
    for (const { kind, key, item } of writes) {
      if (item) this.put(kind, key, item.text);
      else this.items[kind].delete(key);
    }
    if (source !== undefined) {
      this.source = source;
      this.isMarked = true;
    }
    return 'written';
  }

  #call(name: keyof MemoryDriver['calls']): void {
    this.calls[name]++;
    if (this.failure !== undefined) throw new Error(this.failure);
  }
}
