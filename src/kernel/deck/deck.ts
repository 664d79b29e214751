// The servers that belong together, for the header of every page. A page reads them from its own server's `deck.json`, since
// a policy keeps it from others.
import type { Clock } from '../clock.ts';
import { withDeadline } from '../deadline.ts';
import { type DeckReport, type DeckServer, readDeck } from './report.ts';

/** Reports the servers that belong together, for the one that is asked. Never rejects. */
export type Deck = (own: DeckServer) => Promise<DeckReport>;

/** The deck of a server started alone. */
export const aloneDeck: Deck = async (own) => ({ hub: null, servers: [own] });

/** How long an answer of the hub is used, and how long a failing hub is left alone. */
const FRESH_MS = 10_000;
const ANSWER_MS = 2_000;

/** The deck of the hub at a URL; of the server alone without one, or while the hub does not answer. */
export function openDeck(hubUrl: string | undefined, clock: Clock): Deck {
  if (hubUrl === undefined) return aloneDeck;
  const hub = `${hubUrl}/`;
  let read: Promise<readonly DeckServer[] | undefined> | undefined;
  let readAt = 0;
  return async (own) => {
    if (!read || clock.now() - readAt >= FRESH_MS) {
      readAt = clock.now();
      read = fetchServers(hub, clock);
    }
    const others = await read;
    return others ? { hub, servers: withOwn(others, own) } : aloneDeck(own);
  };
}

/** Puts the server that is asked in the place of the one with its name. */
export function withOwn(servers: readonly DeckServer[], own: DeckServer): readonly DeckServer[] {
  const others = servers.filter(({ name }) => name !== own.name);
  const at = servers.findIndex(({ name }) => name === own.name);
  return others.toSpliced(at < 0 ? others.length : at, 0, own);
}

async function fetchServers(hub: string, clock: Clock): Promise<readonly DeckServer[] | undefined> {
  const { HttpClient } = await import('../http-client/http-client.ts');
  const http = new HttpClient();
  try {
    const url = `${hub}deck.json`;
    const answer = await withDeadline({ clock, ms: ANSWER_MS }, (signal) => http.send({ url, signal }));
    return answer.isOk ? readDeck(answer.text, hub)?.servers : undefined;
  } catch {
    return undefined;
  } finally {
    await http.close();
  }
}
