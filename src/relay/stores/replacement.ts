import { type FlagStore, ITEM_KINDS, type ItemKind } from '../flag-store.ts';
import type { StoredData, StoredText, StoreWrite } from './driver.ts';
import { decodeItem, storedText } from './item.ts';

/** The versions of the items that this process has read from a store or written there. */
export type KnownVersions = Readonly<Record<ItemKind, Map<string, number>>>;

export interface ReplacementRules {
  /** Whether the stored data are of the same environment, so that newer items stay. */
  readonly keepsNewer: boolean;
  /** Undefined: nothing has been read yet. */
  readonly known: KnownVersions | undefined;
}

export interface Replacement {
  readonly writes: readonly StoreWrite[];
  /** Stored items that are newer than those in memory. */
  readonly newer: readonly { readonly kind: ItemKind; readonly key: string; readonly text: string }[];
}

/** The writes that make a store equal to the memory. Pure. */
export function planReplacement(stored: StoredData, memory: FlagStore, rules: ReplacementRules): Replacement {
  const writes: StoreWrite[] = [];
  const newer: Replacement['newer'][number][] = [];
  for (const kind of ITEM_KINDS) {
    const held = stored.items[kind];
    for (const [key, { version, json }] of memory.entries(kind)) {
      const text = storedText(kind, version, json);
      const before = held.get(key);
      if (before?.text === text) continue;
      if (before && rules.keepsNewer && isNewer(before, version)) newer.push({ kind, key, text: before.text });
      else writes.push({ kind, key, revision: before?.revision, item: { version, text } });
    }
    for (const [key, before] of held)
      if (memory.version(kind, key) === undefined && isRemoved(before, rules, rules.known?.[kind].get(key)))
        writes.push({ kind, key, revision: before.revision, item: undefined });
  }
  return { writes, newer };
}

function isNewer({ text }: StoredText, version: number): boolean {
  const decoded = decodeItem(text);
  return decoded !== undefined && decoded.version > version;
}

/**
 * An item that is not in memory stays if another relay has stored it since this one has looked: it may be new. A tombstone stays
 * to hold off older versions.
 */
function isRemoved(
  { text }: StoredText,
  { keepsNewer, known }: ReplacementRules,
  knownAs: number | undefined,
): boolean {
  if (!keepsNewer) return true;
  const decoded = decodeItem(text);
  if (!decoded) return true;
  if (decoded.isDeleted) return false;
  return known === undefined || (knownAs !== undefined && decoded.version <= knownAs);
}
