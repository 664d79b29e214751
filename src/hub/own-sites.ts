import type { ListenAddress } from '../kernel/http/listen-address.ts';
import { isLoopbackHost, type SiteRules } from '../kernel/http/site-address.ts';

/** The sites of servers that run together: pages of each may use the others. */
export class OwnSites {
  readonly #origins = new Set<string>();

  /** Adds a server by its URL. */
  add(url: string): void {
    const { origin, protocol, port } = new URL(url);
    this.#origins.add(origin).add(`${protocol}//localhost:${port}`);
  }

  /** An address that other machines reach may have any name there. */
  rulesFor({ host }: ListenAddress, flag: string): SiteRules {
    return {
      hosts: host !== undefined && isLoopbackHost(host) ? [] : undefined,
      allowsOrigin: (origin) => this.#origins.has(origin),
      hostHint: `ask for localhost, or let it listen where others reach it (${flag})`,
    };
  }
}
