import { bare, findForwarding, hostnameOf, isLoopbackHost } from '../../kernel/http/site-address.ts';
import { type Refusal, refuse } from '../domain/refusal.ts';

export interface OriginRules {
  readonly auth: 'none' | 'token';
  /** Nobody signs in, also behind a proxy. */
  readonly insecure: boolean;
  /** Where the server listens; `undefined` is every interface. */
  readonly host: string | undefined;
  readonly baseUrl: string | undefined;
  /** Host names beside this machine's own. */
  readonly allowedHosts: readonly string[];
  /** Origins of pages that may use the interface. */
  readonly corsOrigins: readonly string[];
}

export interface Asking {
  readonly method: string;
  /** Path and query as received, with or without an origin before them. */
  readonly url: string;
  readonly isStream: boolean;
  readonly host: string | undefined;
  readonly origin: string | undefined;
  readonly site: string | undefined;
  readonly authorization: string | undefined;
  /** Of all headers, in lower case. */
  readonly headerNames: () => Iterable<string>;
}

const SECRET_PARAMETER =
  /[?&](access_token|token|api_?key|auth|authorization|bearer|secret)=|[?&=](Bearer(%20|\+))?odr_\w{46}/i;
const IN_QUERY = refuse(
  'invalid_query',
  'a token in the address ends up in logs: send it as the header Authorization: Bearer …; for EventSource take a ticket from POST /api/event/ticket',
);

/**
 * Refuses requests of other sites' pages. Without sign-in any page in the user's browser could reach this server: by a
 * host name that resolves to it (DNS rebinding), or by requests that need no permission. With a cookie, by requests
 * that carry the cookie.
 */
export class OriginGuard {
  readonly #rules: OriginRules;
  readonly #hosts: ReadonlySet<string>;
  readonly #origins: ReadonlySet<string>;
  /** The last `Host` header that was accepted; nearly all requests have the same one. */
  #lastHost: string | undefined;

  constructor(rules: OriginRules) {
    this.#rules = rules;
    const base = rules.baseUrl === undefined ? [] : [new URL(rules.baseUrl)];
    const listening = rules.host === undefined ? [] : [bare(rules.host)];
    this.#hosts = new Set([
      ...rules.allowedHosts.map(bare),
      ...base.map(({ hostname }) => bare(hostname)),
      ...listening,
    ]);
    this.#origins = new Set([
      ...rules.corsOrigins.map((origin) => origin.toLowerCase()),
      ...base.map(({ origin }) => origin),
    ]);
  }

  /** Whether pages of that origin may read answers. */
  allowsOrigin(origin: string): boolean {
    return this.#origins.size > 0 && this.#origins.has(origin.toLowerCase());
  }

  refuse(asking: Asking): Refusal | undefined {
    const { method, url, isStream, host, origin, site, authorization } = asking;
    const isOpen = this.#rules.auth === 'none';
    if (isOpen && !this.#isOwnHost(host)) return refuse('host_refused', explainHost(host));
    const proxy = isOpen && !this.#rules.insecure ? findForwarding(asking.headerNames()) : undefined;
    if (proxy !== undefined) return refuse('forbidden', explainProxy(proxy));
    const query = url.indexOf('?');
    if (query !== -1 && SECRET_PARAMETER.test(url.slice(query))) return IN_QUERY;
    if (origin === undefined && site === undefined) return undefined;
    // A page with a token of its own needs no cookie, and passed a preflight request.
    if (!isOpen && authorization !== undefined) return undefined;
    const isSafe = method === 'GET' || method === 'HEAD' || method === 'OPTIONS';
    if (isSafe && !isStream) return undefined;
    if (!this.#isForeign(host, origin, site)) return undefined;
    return refuse('origin_refused', `a page of ${origin ?? 'another site'} may not do this: --cors-origin lets one in`);
  }

  #isOwnHost(header: string | undefined): boolean {
    if (header !== undefined && header === this.#lastHost) return true;
    const name = hostnameOf(header);
    if (name === undefined || !(isLoopbackHost(name) || this.#hosts.has(name))) return false;
    this.#lastHost = header;
    return true;
  }

  #isForeign(host: string | undefined, origin: string | undefined, site: string | undefined): boolean {
    if (origin === undefined) return site === 'cross-site' || site === 'same-site';
    if (this.allowsOrigin(origin)) return false;
    // Behind a proxy with TLS the scheme differs; host and port do not.
    return !URL.canParse(origin) || new URL(origin).host !== host?.toLowerCase();
  }
}

function explainHost(host: string | undefined): string {
  if (host === undefined) return 'the request has no Host: name this server by an address of this machine';
  return `this server is not ${host}: start it with --allowed-host to answer there`;
}

const explainProxy = (header: string): string =>
  `the header ${header} shows a proxy, whose users would all be admins: start the server with --base-url and --auth token, or force it with --auth insecure-none`;
