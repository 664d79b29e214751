import { type Deck, withOwn } from '../kernel/deck/deck.ts';
import type { DeckServer } from '../kernel/deck/report.ts';
import type { HubEntry } from './contract.ts';

/** The deck of `opsdeck up`: the servers that run in its process. */
export class UpDeck {
  /** Undefined until the hub listens. */
  hubUrl: string | undefined;
  readonly #described: () => readonly HubEntry[];

  constructor(described: () => readonly HubEntry[]) {
    this.#described = described;
  }

  readonly read: Deck = async (own) => ({ hub: this.hubUrl ?? null, servers: withOwn(await this.servers(), own) });

  async servers(): Promise<readonly DeckServer[]> {
    return this.#described().map(({ name, title, url }) => ({ name, title, url, state: 'ready' }));
  }
}
