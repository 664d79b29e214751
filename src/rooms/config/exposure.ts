import { isLoopbackHost } from '../../kernel/http/site-address.ts';

export interface Reach {
  readonly host: string;
  readonly baseUrl: string | undefined;
  readonly allowedHosts: readonly string[];
  readonly corsOrigins: readonly string[];
}

/**
 * The first setting by which clients outside this machine reach the server; `undefined`: none. The listen address alone is
 * not enough, since a proxy connects from this machine, and a page of another origin acts for its author.
 */
export function exposureOf({ host, baseUrl, allowedHosts, corsOrigins }: Reach): string | undefined {
  if (!isLoopbackHost(host)) return `--host ${host}`;
  if (baseUrl !== undefined && isForeign(baseUrl)) return `--base-url ${baseUrl}`;
  const name = allowedHosts.find((one) => !isLoopbackHost(one));
  if (name !== undefined) return `--allowed-host ${name}`;
  const origin = corsOrigins.find(isForeign);
  return origin === undefined ? undefined : `--cors-origin ${origin}`;
}

const isForeign = (url: string): boolean => !isLoopbackHost(new URL(url).hostname);
