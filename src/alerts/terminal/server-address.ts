import { CommandError, ExitCode } from '../../kernel/errors.ts';
import type { Terminal } from '../../kernel/terminal/terminal.ts';

const DEFAULT_URL = 'http://localhost:9093';

export interface ServerAddress {
  /** Where API v2 is mounted, without a slash at the end; holds no credentials. */
  readonly apiUrl: string;
  /** The address as it may be shown: without credentials. */
  readonly shown: string;
  /** The header that carries the credentials of the URL, if it had any. */
  readonly authorization?: string;
}

function badAddress(source: string, text: string, why: string): CommandError {
  // What may hold a password is not repeated.
  const quoted = text.includes('@') ? '' : ` "${text}"`;
  return new CommandError(`${source}:${quoted} ${why}, such as ${DEFAULT_URL}`, ExitCode.usage);
}

function basicCredentials({ username, password }: URL): string | undefined {
  if (!username && !password) return undefined;
  const pair = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
  return `Basic ${Buffer.from(pair, 'utf8').toString('base64')}`;
}

/** Reads the URL of a server as a user writes it, with its path prefix and its credentials. Throws for wrong usage. */
export function parseServerAddress(text: string, source: string): ServerAddress {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (!url || (url.protocol !== 'http:' && url.protocol !== 'https:')) {
    throw badAddress(source, text, 'must be an http or https URL');
  }
  if (url.search || url.hash) throw badAddress(source, text, 'must be a URL without a query and a fragment');
  const shown = `${url.origin}${url.pathname.replace(/\/+$/, '').replace(/\/api\/v2$/, '')}`;
  let authorization: string | undefined;
  try {
    authorization = basicCredentials(url);
  } catch {
    throw badAddress(source, text, 'must be a URL whose name and password are percent-encoded');
  }
  return { apiUrl: `${shown}/api/v2`, shown, ...(authorization && { authorization }) };
}

/** The server that a command talks to: the flag's, else the environment's, else the one on this machine. */
export function findServerAddress(flag: string | undefined, terminal: Terminal): ServerAddress {
  if (flag !== undefined) return parseServerAddress(flag, '--alertmanager.url');
  const variable = terminal.env.OPSDECK_ALERTS_URL;
  return parseServerAddress(variable || DEFAULT_URL, 'OPSDECK_ALERTS_URL');
}
