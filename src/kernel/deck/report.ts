/** `failing`: somebody is needed now; `degraded`: soon; `unknown`: it could not be determined. */
export const SERVER_STATES = ['ready', 'degraded', 'failing', 'unknown'] as const;
export type ServerState = (typeof SERVER_STATES)[number];

/** One server of a deck: all that a page may know of it without signing in there. */
export interface DeckServer {
  /** As in the command line: `alerts`, `relay`, `dashboard`, `rooms`. */
  readonly name: string;
  readonly title: string;
  /** Of its page; relative to `deck.json` for the server that is asked. */
  readonly url: string;
  readonly state: ServerState;
}

/** `deck.json` of every server. */
export interface DeckReport {
  /** The page that links to all servers; null if there is no such page. */
  readonly hub: string | null;
  readonly servers: readonly DeckServer[];
}

const MAX_SERVERS = 16;
const MAX_TITLE_LENGTH = 40;

/** Reads the deck of another server; undefined if it is invalid. Entries without a name or a web address are left out. */
export function readDeck(text: string, base: string): DeckReport | undefined {
  let found: unknown;
  try {
    found = JSON.parse(text);
  } catch {
    return undefined;
  }
  if (!isObject(found) || !Array.isArray(found.servers)) return undefined;
  const servers = found.servers.slice(0, MAX_SERVERS).flatMap((one) => readServer(one, base));
  return { hub: webAddress(found.hub, base) ?? null, servers };
}

function readServer(found: unknown, base: string): readonly DeckServer[] {
  if (!isObject(found) || typeof found.name !== 'string' || !/^[\w-]{1,40}$/.test(found.name)) return [];
  const { name, title } = found;
  const url = webAddress(found.url, base);
  if (url === undefined) return [];
  const state = SERVER_STATES.find((known) => known === found.state) ?? 'unknown';
  return [{ name, title: typeof title === 'string' ? title.slice(0, MAX_TITLE_LENGTH) : name, url, state }];
}

/** An absolute http or https URL; a server that listens on every address is reached where the deck was. */
export function webAddress(found: unknown, base: string): string | undefined {
  if (typeof found !== 'string' || !URL.canParse(found, base)) return undefined;
  const url = new URL(found, base);
  if (!/^https?:$/.test(url.protocol) || url.username || url.password) return undefined;
  if (url.hostname === '0.0.0.0' || url.hostname === '[::]') url.hostname = new URL(base).hostname;
  return url.href;
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null;
