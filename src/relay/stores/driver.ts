import type { ItemKind } from '../flag-store.ts';

/** The names under which ld-relay and the SDKs store each kind. */
export const STORED_KINDS: Readonly<Record<ItemKind, string>> = { flags: 'features', segments: 'segments' };
/** Marks a complete set of data; SDKs in daemon mode look for it. */
export const INITED = '$inited';
/** Whose data it is. Only opsdeck writes and reads it. */
export const SOURCE = '$source';

/** Differs after each change of an item; a database may use its text. */
export type Revision = string | number;

export interface StoredText {
  /** JSON of a flag, segment or tombstone; may be anything if another program wrote it. */
  readonly text: string;
  readonly revision: Revision;
}

/** All data under one prefix. */
export interface StoredData {
  readonly isInitialised: boolean;
  /** Of the environment whose data were written last; undefined if not by opsdeck. */
  readonly source: string | undefined;
  readonly items: Readonly<Record<ItemKind, ReadonlyMap<string, StoredText>>>;
}

export interface StoreWrite {
  readonly kind: ItemKind;
  readonly key: string;
  /** Of the stored item that is replaced; undefined for a new item. */
  readonly revision: Revision | undefined;
  /** Undefined: removed. */
  readonly item: { readonly version: number; readonly text: string } | undefined;
}

/**
 * The data of one environment in a database, in the layout of LaunchDarkly's SDKs. Each call ends in seconds; it rejects if
 * the database is away, hangs or refuses.
 */
export interface StoreDriver {
  /** Whether an item is small enough for the database. */
  fits(write: StoreWrite): boolean;
  /** Whether the data are marked as complete. */
  isInitialised(): Promise<boolean>;
  read(): Promise<StoredData>;
  readItem(kind: ItemKind, key: string): Promise<StoredText | undefined>;
  /**
   * `conflict` if an item has another revision; some may have been written then. With `source`, the data are marked as
   * complete in the end.
   */
  write(writes: readonly StoreWrite[], source?: string): Promise<'written' | 'conflict'>;
}
