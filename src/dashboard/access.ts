import { isIP } from 'node:net';

/** Whether only this machine can reach what listens there. */
export function isLoopbackHost(host: string): boolean {
  const name = bare(host);
  return name === 'localhost' || name.endsWith('.localhost') || name === '::1' || /^127(\.\d{1,3}){3}$/.test(name);
}

/** Who may be asked for: what a browser sends as Host decides, not where the connection came from. */
export interface AccessRules {
  readonly host: string;
  readonly allowRemote: boolean;
  /** In small letters. */
  readonly allowedHosts: readonly string[];
  /** The name of this machine. */
  readonly machineName: string;
}

/**
 * Whether a request's Host is one of this server's. A foreign name that resolves to this machine is how a page of
 * somebody else reads a local server (DNS rebinding); an address cannot be rebound.
 */
export function isOwnHost(header: string | undefined, rules: AccessRules): boolean {
  const name = hostnameOf(header);
  if (name === undefined) return false;
  if (isLoopbackHost(name) || rules.allowedHosts.includes(name)) return true;
  if (!rules.allowRemote) return false;
  const machine = rules.machineName.toLowerCase();
  return isIP(name) !== 0 || [bare(rules.host), machine, `${machine}.local`].includes(name);
}

/**
 * Whether a page of another site sent the request. Without Origin it was no page's POST or PUT; a browser tells of
 * other requests by Sec-Fetch-Site.
 */
export function isForeign(headers: {
  readonly origin: string | undefined;
  readonly host: string | undefined;
  readonly site: string | undefined;
}): boolean {
  if (headers.site === 'cross-site' || headers.site === 'same-site') return true;
  if (headers.origin === undefined) return false;
  // Behind a proxy that speaks TLS the scheme is another; the host and its port are not.
  return !URL.canParse(headers.origin) || new URL(headers.origin).host !== headers.host?.toLowerCase();
}

function hostnameOf(header: string | undefined): string | undefined {
  const match = /^(\[[\da-f:.]+\]|[\w.-]+)(?::\d{1,5})?$/i.exec(header ?? '');
  return match?.[1] && bare(match[1]);
}

function bare(host: string): string {
  return host
    .toLowerCase()
    .replace(/^\[(.*)\]$/, '$1')
    .replace(/\.$/, '');
}
