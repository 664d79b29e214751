import { isJsonObject, type Json } from '../domain/json.ts';
import type { ItemKind } from '../flag-store.ts';

/** The text of an item; of a tombstone if `json` is undefined. */
export function storedText(kind: ItemKind, version: number, json: string | undefined): string {
  return (
    json ??
    JSON.stringify({
      ...TOMBSTONES[kind],
      version,
      ...(kind === 'segments' ? { generation: null } : {}),
      deleted: true,
    })
  );
}

/** All properties of an item, since some SDKs read nothing less. */
const TOMBSTONES: Readonly<Record<ItemKind, { readonly [name: string]: Json }>> = {
  flags: {
    key: '$deleted',
    on: false,
    prerequisites: [],
    targets: [],
    contextTargets: [],
    rules: [],
    fallthrough: {},
    offVariation: null,
    variations: [],
    clientSide: false,
    salt: '',
    trackEvents: false,
    trackEventsFallthrough: false,
    debugEventsUntilDate: null,
  },
  segments: {
    key: '$deleted',
    included: [],
    excluded: [],
    includedContexts: [],
    excludedContexts: [],
    salt: '',
    rules: [],
  },
};

export interface DecodedItem {
  readonly version: number;
  readonly isDeleted: boolean;
  readonly json: Json;
}

/** Undefined for a text that is no item. */
export function decodeItem(text: string): DecodedItem | undefined {
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch {
    return undefined;
  }
  if (!isJsonObject(json) || typeof json.version !== 'number') return undefined;
  return { version: Math.trunc(json.version), isDeleted: json.deleted === true, json };
}
