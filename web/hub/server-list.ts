import type { HubEntry } from '../../src/hub/contract.ts';

/** Reads the list of servers; undefined if it is invalid. Entries without a title or a web address are left out. */
export function parseServers(text: string): HubEntry[] | undefined {
  let list: unknown;
  try {
    list = JSON.parse(text);
  } catch {
    return undefined;
  }
  if (!Array.isArray(list)) return undefined;
  return list.flatMap((entry: unknown) => {
    if (typeof entry !== 'object' || entry === null) return [];
    const textOf = (key: string): string => {
      const value = (entry as Record<string, unknown>)[key];
      return typeof value === 'string' ? value : '';
    };
    const server: HubEntry = {
      name: textOf('name'),
      title: textOf('title') || textOf('name'),
      description: textOf('description'),
      url: textOf('url'),
      status: textOf('status'),
      example: textOf('example'),
    };
    return server.title !== '' && /^https?:\/\//.test(server.url) && URL.canParse(server.url) ? [server] : [];
  });
}

/**
 * The address to link to. For a server that listens on all addresses it is the name under which the hub was reached.
 */
export function linkOf(url: string, hubHost: string): string {
  const target = new URL(url);
  const everywhere = target.hostname === '0.0.0.0' || target.hostname === '[::]';
  if (everywhere) target.hostname = hubHost;
  return target.href;
}
