import { isLoopbackHost } from '../../kernel/http/site-address.ts';

export interface Reach {
  readonly host: string;
  readonly baseUrl: string | undefined;
  readonly allowedHosts: readonly string[];
  readonly corsOrigins: readonly string[];
}

/**
 * The first setting by which others than the programs of this machine reach the server; `undefined`: none does. A proxy
 * connects from this machine, so the listen address alone says nothing; a page of another origin acts for whoever wrote it.
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
