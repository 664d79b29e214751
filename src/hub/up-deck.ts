import { type Deck, withOwn } from '../kernel/deck/deck.ts';
import type { DeckServer, ServerState } from '../kernel/deck/report.ts';
import type { HubEntry, Summary } from './contract.ts';

/** A server of the process. */
export interface DescribedServer extends Pick<HubEntry, 'name' | 'title' | 'url'> {
  /** A shell command that works as it stands. */
  example(): string;
  state(): ServerState;
  /** Cheap, since each page reads it every few seconds. The cookies of the page name its user in the rooms. */
  summary(cookies: string | undefined): Summary | Promise<Summary>;
}

/** The deck of `opsdeck up`: the servers that run in its process. */
export class UpDeck {
  /** Undefined until the hub listens. */
  hubUrl: string | undefined;
  readonly #servers: () => readonly DescribedServer[];

  constructor(servers: () => readonly DescribedServer[]) {
    this.#servers = servers;
  }

  readonly read: Deck = async (own) => ({ hub: this.hubUrl ?? null, servers: withOwn(this.servers(), own) });

  /** Without numbers: these are for the hub's page alone. */
  servers(): readonly DeckServer[] {
    return this.#servers().map(({ name, title, url, state }) => ({ name, title, url, state: state() }));
  }

  entries(cookies: string | undefined): Promise<readonly HubEntry[]> {
    return Promise.all(
      this.#servers().map(async (server) => {
        const { name, title, url } = server;
        const summary = await summaryOf(server, cookies);
        return { name, title, url, state: server.state(), summary, example: server.example() };
      }),
    );
  }
}

async function summaryOf(server: DescribedServer, cookies: string | undefined): Promise<Summary | null> {
  try {
    return await server.summary(cookies);
  } catch {
    return null;
  }
}
