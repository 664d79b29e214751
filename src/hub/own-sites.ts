import type { ListenAddress } from '../kernel/http/listen-address.ts';
import { isLoopbackHost, type SiteRules } from '../kernel/http/site-address.ts';

/** The origins of servers that run together: their pages may use each other. */
export class OwnSites {
  readonly #origins = new Set<string>();

  /** Adds a server by its URL. */
  add(url: string): void {
    const { origin, protocol, port } = new URL(url);
    this.#origins.add(origin).add(`${protocol}//localhost:${port}`);
  }

  /** Restricts host names only for loopback addresses: those for other machines are unknown. */
  rulesFor({ host }: ListenAddress, flag: string): SiteRules {
    return {
      hosts: host !== undefined && isLoopbackHost(host) ? [] : undefined,
      allowsOrigin: (origin) => this.#origins.has(origin),
      hostHint: `use localhost, or listen on an address that other machines reach (${flag})`,
    };
  }
}
