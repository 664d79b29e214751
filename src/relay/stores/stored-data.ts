import { accepted, type Outcome, refused } from '../../kernel/outcome.ts';
import type { Json } from '../domain/json.ts';
import { type FlagStore, ITEM_KINDS, type ItemKind } from '../flag-store.ts';
import { STORED_KINDS, type StoredData } from './driver.ts';
import { type DecodedItem, decodeItem } from './item.ts';
import type { NewerItem } from './persistent-store.ts';

/**
 * Makes the memory equal to the stored data, if those are complete; refused with the name of an item that cannot be read. The
 * value says whether the memory has changed.
 */
export function restoreData(data: StoredData, memory: FlagStore): Outcome<boolean> {
  if (!data.isInitialised || isEqual(data, memory)) return accepted(false);
  const read: Record<ItemKind, Record<string, Json>> = { flags: {}, segments: {} };
  for (const kind of ITEM_KINDS) {
    for (const [key, { text }] of data.items[kind]) {
      const decoded = decodeItem(text);
      if (!decoded) return refused(`the item ${JSON.stringify(key)} of ${STORED_KINDS[kind]} cannot be decoded`);
      Object.defineProperty(read[kind], key, { value: decoded.json, enumerable: true });
    }
  }
  const replaced = memory.replace(read);
  return replaced.ok ? accepted(true) : replaced;
}

function isEqual({ items }: StoredData, memory: FlagStore): boolean {
  if (!memory.isInitialised || memory.size.items !== items.flags.size + items.segments.size) return false;
  return ITEM_KINDS.every((kind) =>
    [...items[kind]].every(([key, { text }]) => {
      const json = memory.json(kind, key);
      if (json !== undefined) return json === text;
      const decoded = decodeItem(text);
      return decoded?.isDeleted === true && decoded.version === memory.version(kind, key);
    }),
  );
}

/**
 * Takes the stored items that are newer than those in memory; unknown ones too, if the source may have missed them. Returns the
 * keys of items that cannot be decoded.
 */
export function takeNewer({ items }: StoredData, memory: FlagStore, takesUnknown: boolean): readonly string[] {
  const broken: string[] = [];
  for (const kind of ITEM_KINDS) {
    for (const [key, { text }] of items[kind]) {
      const version = memory.version(kind, key);
      if (memory.json(kind, key) === text) continue;
      const decoded = decodeItem(text);
      if (!decoded) broken.push(key);
      else if (version === undefined ? takesUnknown : decoded.version > version) apply(kind, key, decoded, memory);
    }
  }
  return broken;
}

export function applyNewer(items: readonly NewerItem[], memory: FlagStore): void {
  for (const { kind, key, text } of items) {
    const decoded = decodeItem(text);
    if (decoded) apply(kind, key, decoded, memory);
  }
}

/** The memory refuses what is no flag or segment. */
function apply(kind: ItemKind, key: string, { version, isDeleted, json }: DecodedItem, memory: FlagStore): void {
  if (isDeleted) memory.remove(kind, key, version);
  else memory.upsert(kind, key, json);
}
