import { type Deck, withOwn } from '../kernel/deck/deck.ts';
import type { DeckServer, ServerState } from '../kernel/deck/report.ts';
import type { HubEntry, Summary } from './contract.ts';

/** A server of the process. */
export interface DescribedServer extends Pick<HubEntry, 'name' | 'title' | 'url'> {
  /** A shell command that works as it stands. */
  example(): string;
  /** Cheap, since each page asks for it every few seconds. */
  summary(): Summary | Promise<Summary>;
}

/** The deck of `opsdeck up`: the servers that run in its process. */
export class UpDeck {
  /** Undefined until the hub listens. */
  hubUrl: string | undefined;
  readonly #servers: () => readonly DescribedServer[];

  constructor(servers: () => readonly DescribedServer[]) {
    this.#servers = servers;
  }

  readonly read: Deck = async (own) => {
    const servers = await this.servers();
    const state = servers.find(({ name }) => name === own.name)?.state ?? own.state;
    return { hub: this.hubUrl ?? null, servers: withOwn(servers, { ...own, state }) };
  };

  /** Without numbers: these are for the hub's page alone. */
  async servers(): Promise<readonly DeckServer[]> {
    return (await this.entries()).map(({ name, title, url, state }) => ({ name, title, url, state }));
  }

  entries(): Promise<readonly HubEntry[]> {
    return Promise.all(
      this.#servers().map(async (server) => {
        const { name, title, url } = server;
        const summary = await summaryOf(server);
        return { name, title, url, state: stateOf(summary), summary, example: server.example() };
      }),
    );
  }
}

async function summaryOf(server: DescribedServer): Promise<Summary | null> {
  try {
    return await server.summary();
  } catch {
    return null;
  }
}

/** A server that cannot do its work is not ready, even if it answers. */
export function stateOf(summary: Summary | null): ServerState {
  switch (summary?.kind) {
    case undefined:
      return 'unknown';
    case 'alerts':
      return summary.failing.length > 0 ? 'failing' : 'ready';
    case 'relay':
      if (summary.sources.some(({ state }) => state === 'OFF')) return 'failing';
      return summary.sources.every(({ state }) => state === 'VALID') ? 'ready' : 'degraded';
    case 'dashboard':
    case 'rooms':
      return 'ready';
  }
}
