import type { HubEntry } from '../../src/hub/contract.ts';
import { linkOf } from '../shared/shell/deck.ts';

/** Reads `servers.json`, with links as seen from `base`; undefined if it is invalid. Entries without a name or a web address are left out. */
export function parseServers(text: string, base: string): HubEntry[] | undefined {
  let list: unknown;
  try {
    list = JSON.parse(text);
  } catch {
    return undefined;
  }
  if (!Array.isArray(list)) return undefined;
  return list.flatMap((entry: Partial<HubEntry> | null) => {
    const url = linkOf(entry?.url, base);
    if (!entry || typeof entry.name !== 'string' || url === undefined) return [];
    const { name, title = name, state = 'unknown', summary = null, example = '' } = entry;
    return [{ name, title, url, state, summary, example }];
  });
}
