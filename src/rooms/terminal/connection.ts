import { homedir } from 'node:os';
import { join } from 'node:path';
import * as v from 'valibot';
import { CommandError, ExitCode, systemCodeOf } from '../../kernel/errors.ts';
import type { Terminal } from '../../kernel/terminal/terminal.ts';

/** The options of all commands with a server. */
export interface ConnectionOptions {
  readonly url?: string;
  readonly token?: string;
  readonly user?: string;
  /** Milliseconds. */
  readonly timeout: number;
  readonly json?: boolean;
}

/** The server's address and the user's credentials. */
export interface Connection {
  /** Without a slash at the end, and without credentials. */
  readonly url: string;
  readonly token: string | undefined;
  /** Used without sign-in. */
  readonly user: string | undefined;
  readonly timeoutMs: number;
  /** As of the terminal. */
  readonly startWaitMs?: number | undefined;
  readonly variables: Terminal['env'];
}

const DEFAULT_URL = 'http://127.0.0.1:8065';
const USER = /^[a-z0-9][a-z0-9._-]{0,63}$/;
const TOKEN = /^[\x21-\x7e]+$/;

const configSchema = v.looseObject({
  rooms: v.optional(
    v.looseObject({ url: v.optional(v.string()), token: v.optional(v.string()), user: v.optional(v.string()) }),
  ),
});
type RoomsSection = NonNullable<v.InferOutput<typeof configSchema>['rooms']>;

/** Flags rank above variables, and these above the user's file. */
export function readConnection(options: ConnectionOptions, terminal: Terminal): Connection {
  const { env, startWaitMs } = terminal;
  const file = readConfig(terminal);
  const written: readonly (readonly [string, string | undefined])[] = [
    ['--url', options.url],
    ['OPSDECK_ROOMS_URL', env.OPSDECK_ROOMS_URL || undefined],
    ['url', file.url],
    ['', DEFAULT_URL],
  ];
  const [source = '', text = DEFAULT_URL] = written.find(([, value]) => value !== undefined) ?? [];
  const url = readAddress(text, source);
  // The file's token belongs to the file's server, and is not sent to another.
  const isFilesOwn = file.url === undefined || readAddress(file.url, 'url') === url;
  const token = options.token ?? (env.OPSDECK_ROOMS_TOKEN || undefined) ?? (isFilesOwn ? file.token : undefined);
  if (token !== undefined && !TOKEN.test(token))
    throw new CommandError('invalid token: it has letters, digits and "_", such as odr_…', ExitCode.usage);
  const user = options.user ?? (env.OPSDECK_ROOMS_USER || undefined) ?? file.user;
  if (user !== undefined && !USER.test(user))
    throw new CommandError('--user: write small letters, digits, ".", "_" and "-"', ExitCode.usage);
  return { url, token, user, timeoutMs: options.timeout, startWaitMs, variables: env };
}

export function configPath({ env }: Terminal): string {
  return join(env.XDG_CONFIG_HOME || join(env.HOME || homedir(), '.config'), 'opsdeck', 'config.json');
}

function readConfig(terminal: Terminal): RoomsSection {
  const path = configPath(terminal);
  let text: string;
  try {
    text = terminal.readFile(path);
  } catch (error) {
    const code = systemCodeOf(error);
    if (code === 'ENOENT' || code === 'ENOTDIR') return {};
    throw new CommandError(`cannot read ${path}: ${code ?? 'not text'}`, ExitCode.usage);
  }
  const example = '{"rooms": {"url": "https://chat.example.com", "token": "odr_…"}}';
  try {
    return v.parse(configSchema, JSON.parse(text)).rooms ?? {};
  } catch {
    // The errors of JSON.parse and valibot are not quoted, since the file may hold a token.
    throw new CommandError(`${path} is not as expected; write ${example}`, ExitCode.usage);
  }
}

function readAddress(text: string, source: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (!url || !/^https?:$/.test(url.protocol) || url.search || url.hash || url.username || url.password)
    throw new CommandError(
      `${source}: write an http or https URL without user and query, such as ${DEFAULT_URL}`,
      ExitCode.usage,
    );
  return url.href.replace(/\/+$/, '');
}
