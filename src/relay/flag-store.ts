import { createHash } from 'node:crypto';
import { accepted, type Outcome, refused } from '../kernel/outcome.ts';
import type { DataSize } from './data-size.ts';
import type { CompiledFlag } from './domain/compile.ts';
import { kindOf } from './domain/context/context.ts';
import type { FlagLookup } from './domain/evaluation/scope.ts';
import { isJsonObject, type Json } from './domain/json.ts';
import type { CompiledSegment } from './domain/segment-match.ts';
import { prepareFlag, prepareSegment, type StoredItem, tombstone } from './stored-item.ts';

export type ItemKind = 'flags' | 'segments';
export const ITEM_KINDS: readonly ItemKind[] = ['flags', 'segments'];

/** All flags and segments of an environment, by key, as received from upstream or a file. */
export interface FlagData {
  readonly flags: Readonly<Record<string, Json>>;
  readonly segments: Readonly<Record<string, Json>>;
}

/** An item as received, on one line. */
export interface ItemText {
  readonly kind: ItemKind;
  readonly key: string;
  readonly json: string;
}

/** Notified after each change. `before` is the previous item; undefined if there was none. */
export interface FlagListener {
  /** Any item may have changed. */
  replaced(): void;
  /** `json` is the item as received, on one line. Also called if the store had a newer version, as in ld-relay. */
  changed(kind: ItemKind, key: string, json: string, before: Compiled | undefined): void;
  removed(kind: ItemKind, key: string, version: number, before: Compiled | undefined): void;
  /** Contexts may have joined or left big segments; no item has changed. */
  membersChanged?(): void;
}

export type Compiled = CompiledFlag | CompiledSegment;

/**
 * The flags and segments of one environment. An item is compiled when it changes; its JSON is kept, so that unknown
 * properties reach the SDKs.
 */
export class FlagStore implements FlagLookup {
  readonly #flags = new Map<string, StoredItem<CompiledFlag>>();
  readonly #segments = new Map<string, StoredItem<CompiledSegment>>();
  readonly #listeners = new Set<FlagListener>();
  #isInitialised = false;
  /** Cached until an item changes. */
  #sorted: readonly CompiledFlag[] | undefined;
  readonly #texts = new Map<ItemKind, string>();
  #etag: string | undefined;
  #bigSegmentKinds: ReadonlySet<string> | undefined;
  #parts = 0;
  #chars = 0;

  /** Whether a complete set of data has been stored. */
  get isInitialised(): boolean {
    return this.#isInitialised;
  }

  get size(): DataSize {
    return { items: this.#flags.size + this.#segments.size, parts: this.#parts, chars: this.#chars };
  }

  subscribe(listener: FlagListener): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  flag(key: string): CompiledFlag | undefined {
    return this.#flags.get(key)?.compiled;
  }

  segment(key: string): CompiledSegment | undefined {
    return this.#segments.get(key)?.compiled;
  }

  /** All flags, sorted by key. */
  flags(): readonly CompiledFlag[] {
    this.#sorted ??= [...this.#flags.values()]
      .flatMap(({ compiled }) => compiled ?? [])
      .sort((a, b) => (a.flag.key < b.flag.key ? -1 : 1));
    return this.#sorted;
  }

  /** The context kinds of the big segments; empty without any. */
  get bigSegmentKinds(): ReadonlySet<string> {
    this.#bigSegmentKinds ??= new Set(
      [...this.#segments.values()].flatMap(({ compiled }) =>
        compiled?.segment.unbounded ? kindOf(compiled.segment.unboundedContextKind) : [],
      ),
    );
    return this.#bigSegmentKinds;
  }

  /** Notifies the listeners that contexts may have joined or left big segments. */
  changeMembers(): void {
    for (const listener of this.#listeners) listener.membersChanged?.();
  }

  /** An item as received; undefined if unknown. */
  json(kind: ItemKind, key: string): string | undefined {
    return this.#items(kind).get(key)?.json;
  }

  /** The keys of a kind, without deleted items. */
  *keys(kind: ItemKind): Iterable<string> {
    for (const [key, { json }] of this.#items(kind)) if (json !== undefined) yield key;
  }

  /** The version of an item, even if deleted. */
  version(kind: ItemKind, key: string): number | undefined {
    return this.#items(kind).get(key)?.version;
  }

  /** All items of a kind by key, also deleted ones, whose JSON is undefined. */
  entries(kind: ItemKind): Iterable<readonly [key: string, item: Pick<StoredItem<unknown>, 'version' | 'json'>]> {
    return this.#items(kind);
  }

  /** All items of a kind as one JSON object, without deleted ones. */
  text(kind: ItemKind): string {
    let text = this.#texts.get(kind);
    if (text === undefined) {
      const pairs: string[] = [];
      for (const [key, { json }] of this.#items(kind))
        if (json !== undefined) pairs.push(`${JSON.stringify(key)}:${json}`);
      text = `{${pairs.join(',')}}`;
      this.#texts.set(kind, text);
    }
    return text;
  }

  /** All data, with the versions of deleted items: `load` makes the same store of it. */
  *items(): Generator<ItemText> {
    for (const kind of ITEM_KINDS)
      for (const [key, { json, version }] of this.#items(kind))
        yield { kind, key, json: json ?? JSON.stringify({ key, version, deleted: true }) };
  }

  /** Changes with any flag: 15 hexadecimal digits of a hash over all keys and versions, including deleted flags. */
  get flagsTag(): string {
    if (this.#etag === undefined) {
      const hash = createHash('sha1');
      for (const key of [...this.#flags.keys()].sort()) hash.update(`${key}:${this.#flags.get(key)?.version}`);
      this.#etag = hash.digest('hex').slice(0, 15);
    }
    return this.#etag;
  }

  /** Replaces all data, or nothing if an item is invalid; the refusal names it. */
  replace(data: FlagData): Outcome<void> {
    const flags = prepareAll(data.flags, 'flags', prepareFlag);
    if (!flags.ok) return flags;
    const segments = prepareAll(data.segments, 'segments', prepareSegment);
    if (!segments.ok) return segments;
    this.#fill(flags.value, segments.value);
    return accepted(undefined);
  }

  /** Replaces all data by the items of another store. Throws for an invalid one. */
  load(items: Iterable<ItemText>): void {
    const flags = new Map<string, StoredItem<CompiledFlag>>();
    const segments = new Map<string, StoredItem<CompiledSegment>>();
    for (const { kind, key, json } of items) {
      if (kind === 'flags') flags.set(key, requireValue(prepareFlag(JSON.parse(json), json)));
      else segments.set(key, requireValue(prepareSegment(JSON.parse(json), json)));
    }
    this.#fill(flags, segments);
  }

  #fill(
    flags: ReadonlyMap<string, StoredItem<CompiledFlag>>,
    segments: ReadonlyMap<string, StoredItem<CompiledSegment>>,
  ): void {
    fill(this.#flags, flags);
    fill(this.#segments, segments);
    this.#isInitialised = true;
    this.#parts = 0;
    this.#chars = 0;
    for (const kind of ITEM_KINDS) for (const [key, item] of this.#items(kind)) this.#addSize(key, item, 1);
    this.#invalidate('flags');
    this.#invalidate('segments');
    for (const listener of this.#listeners) listener.replaced();
  }

  /** Stores an item unless the stored version is as new. Notifies listeners in either case. */
  upsert(kind: ItemKind, key: string, item: Json): Outcome<'stored' | 'old'> {
    const prepared: Outcome<StoredItem<CompiledFlag | CompiledSegment>> =
      kind === 'flags' ? prepareFlag(item) : prepareSegment(item);
    if (!prepared.ok) return refused(`${kind} ${JSON.stringify(key)}: ${prepared.reason}`);
    const { version, json } = prepared.value;
    const before = this.#items(kind).get(key)?.compiled;
    const isNew = this.#put(kind, key, prepared.value);
    for (const listener of this.#listeners) {
      if (json === undefined) listener.removed(kind, key, version, before);
      else listener.changed(kind, key, json, before);
    }
    return accepted(isNew ? 'stored' : 'old');
  }

  /** Deletes an item unless the stored version is as new. Notifies listeners in either case. */
  remove(kind: ItemKind, key: string, version: number): 'removed' | 'old' {
    const before = this.#items(kind).get(key)?.compiled;
    const isNew = this.#put(kind, key, tombstone(version));
    for (const listener of this.#listeners) listener.removed(kind, key, version, before);
    return isNew ? 'removed' : 'old';
  }

  #put(kind: ItemKind, key: string, item: StoredItem<CompiledFlag | CompiledSegment>): boolean {
    const held = this.#items(kind) as Map<string, StoredItem<CompiledFlag | CompiledSegment>>;
    const known = held.get(key);
    if (known && known.version >= item.version) return false;
    if (known) this.#addSize(key, known, -1);
    held.set(key, item);
    this.#addSize(key, item, 1);
    this.#invalidate(kind);
    return true;
  }

  #addSize(key: string, { json = '', parts }: StoredItem<unknown>, sign: 1 | -1): void {
    this.#parts += sign * parts;
    this.#chars += sign * (key.length + json.length);
  }

  #items(kind: ItemKind): ReadonlyMap<string, StoredItem<CompiledFlag | CompiledSegment>> {
    return kind === 'flags' ? this.#flags : this.#segments;
  }

  #invalidate(kind: ItemKind): void {
    this.#texts.delete(kind);
    if (kind === 'segments') {
      this.#bigSegmentKinds = undefined;
      return;
    }
    this.#sorted = undefined;
    this.#etag = undefined;
  }
}

function fill<T>(held: Map<string, T>, items: ReadonlyMap<string, T>): void {
  held.clear();
  for (const [key, item] of items) held.set(key, item);
}

function prepareAll<T>(
  items: Readonly<Record<string, Json>>,
  kind: ItemKind,
  prepare: (item: Json) => Outcome<StoredItem<T>>,
): Outcome<ReadonlyMap<string, StoredItem<T>>> {
  const prepared = new Map<string, StoredItem<T>>();
  for (const [key, item] of Object.entries(items)) {
    const one = prepare(item);
    if (!one.ok) return refused(`${kind} ${JSON.stringify(key)}: ${one.reason}`);
    prepared.set(key, one.value);
  }
  return accepted(prepared);
}

function requireValue<T>(outcome: Outcome<T>): T {
  if (!outcome.ok) throw new Error(outcome.reason);
  return outcome.value;
}

/** Reads the `data` of a `put`, or a file of the same form; both properties are optional. */
export function readFlagData(json: unknown): Outcome<FlagData> {
  if (!isJsonObject(json)) return refused('expected an object with flags and segments');
  const { flags = {}, segments = {} } = json;
  if (!isJsonObject(flags ?? {})) return refused('flags: expected an object');
  if (!isJsonObject(segments ?? {})) return refused('segments: expected an object');
  return accepted({ flags: (flags ?? {}) as FlagData['flags'], segments: (segments ?? {}) as FlagData['segments'] });
}
