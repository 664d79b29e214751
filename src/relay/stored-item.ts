import { accepted, type Outcome } from '../kernel/outcome.ts';
import { countParts } from './data-size.ts';
import { type CompiledFlag, compileFlag } from './domain/compile.ts';
import { readFlag } from './domain/flag.ts';
import type { Json } from './domain/json.ts';
import { readSegment } from './domain/segment.ts';
import { type CompiledSegment, compileSegment } from './domain/segment-match.ts';

/** A flag or segment as a store keeps it. */
export interface StoredItem<T> {
  readonly version: number;
  /** As received, on one line; undefined for a deleted item. */
  readonly json: string | undefined;
  readonly compiled: T | undefined;
  /** As in DataSize. */
  readonly parts: number;
}

/** Refuses an invalid flag. `json` is its text, if known. */
export function prepareFlag(item: Json, json?: string): Outcome<StoredItem<CompiledFlag>> {
  const flag = readFlag(item);
  if (!flag.ok) return flag;
  const { version, deleted } = flag.value;
  return accepted(
    deleted ? tombstone(version) : storedItem(json ?? JSON.stringify(item), version, compileFlag(flag.value)),
  );
}

/** Refuses an invalid segment. `json` is its text, if known. */
export function prepareSegment(item: Json, json?: string): Outcome<StoredItem<CompiledSegment>> {
  const segment = readSegment(item);
  if (!segment.ok) return segment;
  const { version, deleted } = segment.value;
  return accepted(
    deleted ? tombstone(version) : storedItem(json ?? JSON.stringify(item), version, compileSegment(segment.value)),
  );
}

/** A deleted item. */
export function tombstone(version: number): StoredItem<never> {
  return { version, json: undefined, compiled: undefined, parts: 0 };
}

function storedItem<T>(json: string, version: number, compiled: T): StoredItem<T> {
  return { version, json, compiled, parts: countParts(json) };
}
