import type { HttpBindings } from '@hono/node-server';
import type { Fetch } from './server-guard.ts';

/** The sites of a server, and the pages that may use it. */
export interface SiteRules {
  /** Names of the server beside those of this machine. Undefined: any name. */
  readonly hosts: readonly string[] | undefined;
  /** Whether pages of an origin other than the server's own may change things. Undefined: those of any origin may. */
  readonly allowsOrigin: ((origin: string) => boolean) | undefined;
  /** What the operator can do about a refused Host. */
  readonly hostHint: string;
}

/** Whether only this machine can reach a listener there. */
export function isLoopbackHost(host: string): boolean {
  const name = bare(host);
  return name === 'localhost' || name.endsWith('.localhost') || name === '::1' || /^127(\.\d{1,3}){3}$/.test(name);
}

/** The host of a Host header, without its port, in lower case; undefined: not a valid header. */
export function hostnameOf(header: string | undefined): string | undefined {
  const match = /^(\[[\da-f:.]+\]|[\w.-]+)(?::\d{1,5})?$/i.exec(header ?? '');
  return match?.[1] && bare(match[1]);
}

/** A host for comparisons: in small letters, without brackets and a final dot. */
export function bare(host: string): string {
  return host
    .toLowerCase()
    .replace(/^\[(.*)\]$/, '$1')
    .replace(/\.$/, '');
}

/** Headers that proxies add to forwarded requests. Sources: RFC 7239, RFC 9110 section 7.6.3, the manuals of CDNs. */
const FORWARDING =
  /^(forwarded|via|cdn-loop|true-client-ip|x-real-ip|x-client-ip|x-cluster-client-ip|x-envoy-external-address|(x-original-|x-)forwarded($|-.*)|(cf|fly|fastly|akamai)-.*)$/;

/** The first of these names, in lower case, by which a request shows that a proxy forwarded it. */
export function findForwarding(names: Iterable<string>): string | undefined {
  for (const name of names) if (FORWARDING.test(name)) return name;
  return undefined;
}

export interface SiteHeaders {
  readonly origin: string | undefined;
  readonly host: string | undefined;
  /** Sec-Fetch-Site. */
  readonly site: string | undefined;
}

/**
 * Whether a page of another site sent the request. A page's POST or PUT has an Origin; for other requests a browser sends
 * Sec-Fetch-Site.
 */
export function isForeign({ origin, host, site }: SiteHeaders): boolean {
  if (site === 'cross-site' || site === 'same-site') return true;
  if (origin === undefined) return false;
  // Behind a TLS proxy the scheme differs, but not the host and port.
  return !URL.canParse(origin) || new URL(origin).host !== host?.toLowerCase();
}

/**
 * Keeps pages of other sites out of a server without authentication: those that point a name of their own to this machine
 * (DNS rebinding), and those that send requests for which a browser needs no permission.
 */
export function guardSite(fetch: Fetch, { hosts, allowsOrigin, hostHint }: SiteRules): Fetch {
  const names = hosts && new Set(hosts.map(bare));
  const isOwnHost = (header: string | undefined) => {
    const name = hostnameOf(header);
    return names === undefined || (name !== undefined && (isLoopbackHost(name) || names.has(name)));
  };
  return (request, env) => {
    const { method = '', headers } = (env as HttpBindings).incoming;
    const { origin, host } = headers;
    if (!isOwnHost(host)) return refuse(`this server is not ${JSON.stringify(host ?? '')}: ${hostHint}`);
    const isSafe = method === 'GET' || method === 'HEAD' || method === 'OPTIONS';
    if (isSafe || allowsOrigin === undefined) return fetch(request, env);
    if (origin !== undefined && allowsOrigin(origin)) return fetch(request, env);
    const site = headers['sec-fetch-site'];
    if (!isForeign({ origin, host, site: typeof site === 'string' ? site : undefined })) return fetch(request, env);
    return refuse(`pages of ${JSON.stringify(origin ?? 'another site')} may not change anything here`);
  };
}

function refuse(reason: string): Response {
  const headers = { 'content-type': 'text/plain; charset=utf-8', 'x-content-type-options': 'nosniff' };
  return new Response(`${reason}\n`, { status: 403, headers });
}
