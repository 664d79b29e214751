import { CommandError, ExitCode } from '../../kernel/errors.ts';
import type { Terminal } from '../../kernel/terminal/terminal.ts';

const DEFAULT_URL = 'http://localhost:9093';

export interface ServerAddress {
  /** The URL of API v2, without a final slash and without credentials. */
  readonly apiUrl: string;
  /** The URL for display, without credentials. */
  readonly shown: string;
  /** The header with the credentials of the URL, if it had any. */
  readonly authorization?: string;
}

function badAddress(source: string, text: string, why: string): CommandError {
  // Not quoted: it may contain a password.
  const quoted = text.includes('@') ? '' : ` "${text}"`;
  return new CommandError(`${source}:${quoted} ${why}, such as ${DEFAULT_URL}`, ExitCode.usage);
}

function basicCredentials({ username, password }: URL): string | undefined {
  if (!username && !password) return undefined;
  const pair = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
  return `Basic ${Buffer.from(pair, 'utf8').toString('base64')}`;
}

/** Reads the URL of a server, with a path prefix and credentials. Throws for wrong usage. */
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

/** The server of a command: from the flag, the environment, or the default on this machine. */
export function findServerAddress(flag: string | undefined, terminal: Terminal): ServerAddress {
  if (flag !== undefined) return parseServerAddress(flag, '--url');
  const variable = terminal.env.OPSDECK_ALERTS_URL;
  return parseServerAddress(variable || DEFAULT_URL, 'OPSDECK_ALERTS_URL');
}
