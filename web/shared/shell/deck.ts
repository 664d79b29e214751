import type { DeckReport, DeckServer, ServerState } from '../../../src/kernel/deck/report.ts';

export type { DeckReport, DeckServer, ServerState };

/** The products in the order of the header; other names of a deck are left out. */
export const PRODUCTS = ['alerts', 'relay', 'dashboard', 'rooms'] as const;
export type Product = (typeof PRODUCTS)[number];

const STATES: readonly ServerState[] = ['ready', 'degraded', 'failing', 'unknown'];

/** Reads `deck.json`, whose links are resolved from `base`; undefined if it is invalid. */
export function parseDeck(text: string, base: string): DeckReport | undefined {
  let found: unknown;
  try {
    found = JSON.parse(text);
  } catch {
    return undefined;
  }
  if (!isObject(found) || !Array.isArray(found.servers)) return undefined;
  const servers = found.servers.flatMap((one: unknown) => readServer(one, base));
  return { hub: linkOf(found.hub, base) ?? null, servers };
}

function readServer(found: unknown, base: string): readonly DeckServer[] {
  if (!isObject(found)) return [];
  const name = PRODUCTS.find((product) => product === found.name);
  const url = linkOf(found.url, base);
  if (name === undefined || url === undefined) return [];
  const title = typeof found.title === 'string' ? found.title : name;
  return [{ name, title, url, state: STATES.find((state) => state === found.state) ?? 'unknown' }];
}

/**
 * The address to link to, as seen from a page: a server that listens on every address is reached under the page's own name, and
 * one on loopback under `localhost` if the page is. Undefined unless it is a web address.
 */
export function linkOf(found: unknown, base: string): string | undefined {
  if (typeof found !== 'string' || !URL.canParse(found, base)) return undefined;
  const url = new URL(found, base);
  if (url.protocol !== 'http:' && url.protocol !== 'https:') return undefined;
  const { hostname } = new URL(base);
  const isEverywhere = url.hostname === '0.0.0.0' || url.hostname === '[::]';
  if (isEverywhere || (url.hostname === '127.0.0.1' && hostname === 'localhost')) url.hostname = hostname;
  return url.href;
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null;
