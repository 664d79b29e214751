import { createHash } from 'node:crypto';
import { accepted, type Outcome, refused } from '../kernel/outcome.ts';
import { countParts, type DataSize } from './data-size.ts';
import {
  type CompiledFlag,
  type CompiledSegment,
  compileFlag,
  compileSegment,
  type FlagLookup,
} from './domain/evaluation/evaluate.ts';
import { readFlag } from './domain/flag.ts';
import { isJsonObject, type Json } from './domain/json.ts';
import { readSegment } from './domain/segment.ts';

export type ItemKind = 'flags' | 'segments';
export const ITEM_KINDS: readonly ItemKind[] = ['flags', 'segments'];

/** All flags and segments of an environment, by key, as they come from upstream or from a file. */
export interface FlagData {
  readonly flags: Readonly<Record<string, Json>>;
  readonly segments: Readonly<Record<string, Json>>;
}

/** Is told of changes after they have taken effect. `before` is what stood there; undefined when nothing did. */
export interface FlagListener {
  /** Everything may be different. */
  replaced(): void;
  /** `json` is the item as it came, on one line; also told of where the store knew a newer one, as ld-relay does. */
  changed(kind: ItemKind, key: string, json: string, before: Compiled | undefined): void;
  removed(kind: ItemKind, key: string, version: number, before: Compiled | undefined): void;
}

export type Compiled = CompiledFlag | CompiledSegment;

interface Held<T> {
  readonly version: number;
  /** As it came, on one line; undefined: it was deleted, and only its version is known. */
  readonly json: string | undefined;
  readonly compiled: T | undefined;
  /** As in DataSize. */
  readonly parts: number;
}

/**
 * The flags and segments of one environment. A flag is compiled when it changes; its own JSON is kept, so that what this
 * program does not know of it reaches the SDKs all the same.
 */
export class FlagStore implements FlagLookup {
  readonly #flags = new Map<string, Held<CompiledFlag>>();
  readonly #segments = new Map<string, Held<CompiledSegment>>();
  readonly #listeners = new Set<FlagListener>();
  #isInitialised = false;
  /** Made of all items when somebody asks, and kept until one changes. */
  #sorted: readonly CompiledFlag[] | undefined;
  readonly #texts = new Map<ItemKind, string>();
  #etag: string | undefined;
  #parts = 0;
  #chars = 0;

  /** Whether there has ever been a whole set of data. */
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

  /** Every flag that is not deleted, sorted by key. */
  flags(): readonly CompiledFlag[] {
    this.#sorted ??= [...this.#flags.values()]
      .flatMap(({ compiled }) => compiled ?? [])
      .sort((a, b) => (a.flag.key < b.flag.key ? -1 : 1));
    return this.#sorted;
  }

  /** An item as it came; undefined when there is none. */
  json(kind: ItemKind, key: string): string | undefined {
    return this.#held(kind).get(key)?.json;
  }

  /** The version of an item, deleted or not. */
  version(kind: ItemKind, key: string): number | undefined {
    return this.#held(kind).get(key)?.version;
  }

  /** All items of a kind as one JSON object, deleted ones left out. */
  text(kind: ItemKind): string {
    let text = this.#texts.get(kind);
    if (text === undefined) {
      const pairs: string[] = [];
      for (const [key, { json }] of this.#held(kind))
        if (json !== undefined) pairs.push(`${JSON.stringify(key)}:${json}`);
      text = `{${pairs.join(',')}}`;
      this.#texts.set(kind, text);
    }
    return text;
  }

  /** Changes whenever a flag does: 15 hexadecimal digits over all keys and versions, deleted ones too. */
  get flagsTag(): string {
    if (this.#etag === undefined) {
      const hash = createHash('sha1');
      for (const key of [...this.#flags.keys()].sort()) hash.update(`${key}:${this.#flags.get(key)?.version}`);
      this.#etag = hash.digest('hex').slice(0, 15);
    }
    return this.#etag;
  }

  /** Takes a whole set, or nothing of it: the reason of a refusal names the item and what is wrong with it. */
  replace(data: FlagData): Outcome<void> {
    const flags = prepareAll(data.flags, 'flags', prepareFlag);
    if (!flags.ok) return flags;
    const segments = prepareAll(data.segments, 'segments', prepareSegment);
    if (!segments.ok) return segments;
    fill(this.#flags, flags.value);
    fill(this.#segments, segments.value);
    this.#isInitialised = true;
    this.#parts = 0;
    this.#chars = 0;
    for (const kind of ITEM_KINDS) for (const [key, item] of this.#held(kind)) this.#weigh(key, item, 1);
    this.#forget('flags');
    this.#forget('segments');
    for (const listener of this.#listeners) listener.replaced();
    return accepted(undefined);
  }

  /** Takes one item, unless what is known of it is as new; listeners are told either way. */
  upsert(kind: ItemKind, key: string, item: Json): Outcome<'stored' | 'old'> {
    const prepared: Outcome<Held<CompiledFlag | CompiledSegment>> =
      kind === 'flags' ? prepareFlag(item) : prepareSegment(item);
    if (!prepared.ok) return refused(`${kind} ${JSON.stringify(key)}: ${prepared.reason}`);
    const { version, json } = prepared.value;
    const before = this.#held(kind).get(key)?.compiled;
    const isNew = this.#put(kind, key, prepared.value);
    for (const listener of this.#listeners) {
      if (json === undefined) listener.removed(kind, key, version, before);
      else listener.changed(kind, key, json, before);
    }
    return accepted(isNew ? 'stored' : 'old');
  }

  /** Deletes one item, unless what is known of it is as new; listeners are told either way. */
  remove(kind: ItemKind, key: string, version: number): 'removed' | 'old' {
    const before = this.#held(kind).get(key)?.compiled;
    const isNew = this.#put(kind, key, tombstone(version));
    for (const listener of this.#listeners) listener.removed(kind, key, version, before);
    return isNew ? 'removed' : 'old';
  }

  #put(kind: ItemKind, key: string, item: Held<CompiledFlag | CompiledSegment>): boolean {
    const held = this.#held(kind) as Map<string, Held<CompiledFlag | CompiledSegment>>;
    const known = held.get(key);
    if (known && known.version >= item.version) return false;
    if (known) this.#weigh(key, known, -1);
    held.set(key, item);
    this.#weigh(key, item, 1);
    this.#forget(kind);
    return true;
  }

  #weigh(key: string, { json = '', parts }: Held<unknown>, sign: 1 | -1): void {
    this.#parts += sign * parts;
    this.#chars += sign * (key.length + json.length);
  }

  #held(kind: ItemKind): ReadonlyMap<string, Held<CompiledFlag | CompiledSegment>> {
    return kind === 'flags' ? this.#flags : this.#segments;
  }

  #forget(kind: ItemKind): void {
    this.#texts.delete(kind);
    if (kind === 'segments') return;
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
  prepare: (item: Json) => Outcome<Held<T>>,
): Outcome<ReadonlyMap<string, Held<T>>> {
  const prepared = new Map<string, Held<T>>();
  for (const [key, item] of Object.entries(items)) {
    const one = prepare(item);
    if (!one.ok) return refused(`${kind} ${JSON.stringify(key)}: ${one.reason}`);
    prepared.set(key, one.value);
  }
  return accepted(prepared);
}

function prepareFlag(item: Json): Outcome<Held<CompiledFlag>> {
  const flag = readFlag(item);
  if (!flag.ok) return flag;
  const { version, deleted } = flag.value;
  return accepted(deleted ? tombstone(version) : holding(item, version, compileFlag(flag.value)));
}

function prepareSegment(item: Json): Outcome<Held<CompiledSegment>> {
  const segment = readSegment(item);
  if (!segment.ok) return segment;
  const { version, deleted } = segment.value;
  return accepted(deleted ? tombstone(version) : holding(item, version, compileSegment(segment.value)));
}

function holding<T>(item: Json, version: number, compiled: T): Held<T> {
  const json = JSON.stringify(item);
  return { version, json, compiled, parts: countParts(json) };
}

function tombstone(version: number): Held<never> {
  return { version, json: undefined, compiled: undefined, parts: 0 };
}

/** Reads the `data` of a `put`, or a file of the same form: both parts may be missing. */
export function readFlagData(json: unknown): Outcome<FlagData> {
  if (!isJsonObject(json)) return refused('expected an object with flags and segments');
  const { flags = {}, segments = {} } = json;
  if (!isJsonObject(flags ?? {})) return refused('flags: expected an object');
  if (!isJsonObject(segments ?? {})) return refused('segments: expected an object');
  return accepted({ flags: (flags ?? {}) as FlagData['flags'], segments: (segments ?? {}) as FlagData['segments'] });
}
