import type { HttpBindings } from '@hono/node-server';
import type { Fetch } from './server-guard.ts';

/** Which sites a server is, and which may use it from a browser. */
export interface SiteRules {
  /** Names of the server beside those of this machine. Undefined: it may be asked for under any. */
  readonly hosts: readonly string[] | undefined;
  /** Whose pages may change things here, beside the server's own. Undefined: those of any origin. */
  readonly allowsOrigin: ((origin: string) => boolean) | undefined;
  /** What the operator can do for a client that is refused for its Host. */
  readonly hostHint: string;
}

/** Whether only this machine can reach what listens there. */
export function isLoopbackHost(host: string): boolean {
  const name = bare(host);
  return name === 'localhost' || name.endsWith('.localhost') || name === '::1' || /^127(\.\d{1,3}){3}$/.test(name);
}

/** The host of a Host header, without its port, in lower case; undefined: not a valid header. */
export function hostnameOf(header: string | undefined): string | undefined {
  const match = /^(\[[\da-f:.]+\]|[\w.-]+)(?::\d{1,5})?$/i.exec(header ?? '');
  return match?.[1] && bare(match[1]);
}

/** A host as it is compared: in small letters, without brackets and without the dot at the end. */
export function bare(host: string): string {
  return host
    .toLowerCase()
    .replace(/^\[(.*)\]$/, '$1')
    .replace(/\.$/, '');
}

export interface SiteHeaders {
  readonly origin: string | undefined;
  readonly host: string | undefined;
  /** Sec-Fetch-Site. */
  readonly site: string | undefined;
}

/**
 * Whether a page of another site sent the request. Without Origin it was no page's POST or PUT; a browser tells of
 * other requests by Sec-Fetch-Site.
 */
export function isForeign({ origin, host, site }: SiteHeaders): boolean {
  if (site === 'cross-site' || site === 'same-site') return true;
  if (origin === undefined) return false;
  // Behind a proxy that speaks TLS the scheme is another; the host and its port are not.
  return !URL.canParse(origin) || new URL(origin).host !== host?.toLowerCase();
}

/**
 * Keeps pages of other sites out of a server that asks nobody who they are: those that have led a name of their own to
 * this machine (DNS rebinding), and those that send what needs no permission of the browser.
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
