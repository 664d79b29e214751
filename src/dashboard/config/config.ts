import { join, resolve } from 'node:path';
import { messageOf, systemCodeOf } from '../../kernel/errors.ts';
import { isLoopbackHost } from '../../kernel/http/site-address.ts';
import { readRegularFileSync } from '../../kernel/storage/regular-file.ts';
import { type EnvFile, readEnvFile } from './env-file.ts';
import { findRedirections } from './sessions.ts';
import { readToken, readTokenList } from './tokens.ts';
import { colorOf, readUserIds, tokenVariable, type Variables, variableSuffix } from './users.ts';

/** Somebody whose usage is shown. */
export interface DashboardUser {
  /** As in `?user=`: small letters, digits, `-`, `_`. */
  readonly id: string;
  readonly color: string;
  /** Addresses that stand for the user in the `User` column of team exports. */
  readonly emails: readonly string[];
  /** The value of the session cookie; a secret. Undefined: there is no live data. */
  readonly token: string | undefined;
  /** The variable that would hold the token, for hints. */
  readonly tokenVariable: string;
}

export interface DashboardOptions {
  readonly host: string;
  readonly port: number;
  /** Absolute; its `data/` holds the CSV files and the markers. */
  readonly projectDir: string;
  /** Folders and files of servers: nothing of them is served, should they lie in the project. */
  readonly withheld: readonly string[];
  /** Without a slash at the end. */
  readonly upstreamUrl: string;
  readonly cookieName: string;
  /** In the order of the toolbar; at least one. */
  readonly users: readonly DashboardUser[];
  /** 0: nothing is kept. */
  readonly cacheTtlMs: number;
  /** Whether others than this machine may be answered. */
  readonly allowRemote: boolean;
  /** Names under which the server may be asked beside addresses and its own. */
  readonly allowedHosts: readonly string[];
}

/** What the command line says; it stands above the environment, and that above the file `.env` of the project. */
export interface DashboardFlags {
  readonly host?: string;
  readonly port?: string;
  readonly project?: string;
  readonly upstreamUrl?: string;
  readonly users?: string;
  readonly allowRemote?: boolean;
}

export type ConfigOutcome =
  | { readonly ok: true; readonly options: DashboardOptions; readonly warnings: readonly string[] }
  /** All that is wrong, in words that hold no secret. */
  | { readonly ok: false; readonly problems: readonly string[] };

export const DASHBOARD_DEFAULTS = {
  host: '127.0.0.1',
  port: 8060,
  upstreamUrl: 'https://cursor.com',
  cookieName: 'UpstreamSessionToken',
  cacheTtlSeconds: 120,
} as const;

const MAX_TTL_SECONDS = 86_400;

/** Reads the configuration of the dashboard from flags, the environment and the project's `.env`. */
export function loadConfig(flags: DashboardFlags, environment: Variables): ConfigOutcome {
  const projectDir = resolve(flags.project ?? '.');
  const problems: string[] = [];
  const warnings: string[] = [];
  const path = join(projectDir, '.env');
  const file = readProjectEnv(path, problems);
  for (const line of file.badLines) warnings.push(`${path}: line ${line} is no NAME=value`);
  const layers: readonly Variables[] = [environment, file.variables];
  const setting = (name: string) => layers.map((layer) => layer[name]?.trim()).find(Boolean);
  const cookieName = readCookieName(setting('USAGE_SESSION_COOKIE'), problems);
  const options: DashboardOptions = {
    host: flags.host ?? setting('USAGE_WEB_HOST') ?? DASHBOARD_DEFAULTS.host,
    port: readPort(flags.port, setting('USAGE_WEB_PORT'), problems),
    projectDir,
    // Of rooms that share this environment; other folders are known by what lies in them.
    withheld: environment.OPSDECK_DATA_DIR ? [resolve(environment.OPSDECK_DATA_DIR)] : [],
    upstreamUrl: readUpstream(flags.upstreamUrl, setting('USAGE_UPSTREAM_URL'), problems),
    cookieName,
    users: readUsers(flags.users ?? setting('USAGE_USERS'), layers, cookieName, problems),
    cacheTtlMs: readTtl(setting('USAGE_EVENTS_CACHE_TTL'), problems) * 1000,
    allowRemote: flags.allowRemote ?? false,
    allowedHosts: (setting('USAGE_WEB_ALLOWED_HOSTS') ?? '')
      .toLowerCase()
      .split(/[\s,]+/)
      .filter(Boolean),
  };
  const userIds = options.users.map(({ id }) => id);
  const decided = flags.upstreamUrl === undefined ? [] : ['USAGE_UPSTREAM_URL'];
  problems.push(...findRedirections({ environment, file: file.variables, path, decided, userIds }));
  if (!isLoopbackHost(options.host) && !options.allowRemote) problems.push(refusedRemote(options.host));
  if (problems.length > 0) return { ok: false, problems };
  return { ok: true, options, warnings: [...warnings, ...warningsOf(options)] };
}

function refusedRemote(host: string): string {
  return `${host} can be reached from other machines, and this server reads usage with your session: add --allow-remote if that is meant`;
}

function warningsOf({ upstreamUrl, users }: DashboardOptions): string[] {
  const { protocol, hostname } = new URL(upstreamUrl);
  const isPlain = protocol === 'http:' && !isLoopbackHost(hostname);
  return isPlain && users.some(({ token }) => token)
    ? [`session tokens travel unencrypted to ${upstreamUrl}: use https`]
    : [];
}

function readProjectEnv(path: string, problems: string[]): EnvFile {
  try {
    return readEnvFile(readRegularFileSync(path));
  } catch (error) {
    const code = systemCodeOf(error);
    if (code !== 'ENOENT' && code !== 'ENOTDIR') problems.push(`cannot read ${path}: ${code ?? messageOf(error)}`);
    return { variables: {}, badLines: [] };
  }
}

function readPort(flag: string | undefined, variable: string | undefined, problems: string[]): number {
  const text = flag ?? variable ?? String(DASHBOARD_DEFAULTS.port);
  if (/^\d{1,5}$/.test(text) && Number(text) <= 65_535) return Number(text);
  problems.push(`${flag === undefined ? 'USAGE_WEB_PORT' : '--port'}: write a port from 0 to 65535`);
  return DASHBOARD_DEFAULTS.port;
}

function readTtl(text: string | undefined, problems: string[]): number {
  if (text === undefined) return DASHBOARD_DEFAULTS.cacheTtlSeconds;
  const seconds = /^\d+(\.\d+)?$/.test(text) ? Number(text) : Number.NaN;
  if (seconds <= MAX_TTL_SECONDS) return seconds;
  problems.push(`USAGE_EVENTS_CACHE_TTL: write seconds from 0 (keep nothing) to ${MAX_TTL_SECONDS}`);
  return DASHBOARD_DEFAULTS.cacheTtlSeconds;
}

function readUpstream(flag: string | undefined, variable: string | undefined, problems: string[]): string {
  const text = flag ?? variable ?? DASHBOARD_DEFAULTS.upstreamUrl;
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url && /^https?:$/.test(url.protocol) && !url.username && !url.password && !url.search && !url.hash)
    return url.href.replace(/\/+$/, '');
  const name = flag === undefined ? 'USAGE_UPSTREAM_URL' : '--upstream-url';
  problems.push(`${name}: write an http or https URL without a name or password, such as https://cursor.com`);
  return DASHBOARD_DEFAULTS.upstreamUrl;
}

function readCookieName(text: string | undefined, problems: string[]): string {
  if (text === undefined || /^[\w-]{1,64}$/.test(text)) return text ?? DASHBOARD_DEFAULTS.cookieName;
  problems.push('USAGE_SESSION_COOKIE: write the name of a cookie, such as UpstreamSessionToken');
  return DASHBOARD_DEFAULTS.cookieName;
}

/** In each layer a variable of the user's own stands above the list of USER_TOKENS. */
function readUsers(
  listed: string | undefined,
  layers: readonly Variables[],
  cookieName: string,
  problems: string[],
): readonly DashboardUser[] {
  const lists = layers.map((layer) => readTokenList(layer.USER_TOKENS, problems));
  const ids = readUserIds(
    listed,
    lists.flatMap((list) => [...list.keys()]),
    problems,
  );
  return ids.map((id, index) => {
    const variable = tokenVariable(id);
    const raw = layers.map((layer, i) => layer[variable]?.trim() || lists[i]?.get(id)).find(Boolean);
    const emails = layers.map((layer) => layer[`USAGE_EMAIL_${variableSuffix(id)}`]?.trim()).find(Boolean) ?? '';
    return {
      id,
      color: colorOf(index),
      emails: emails
        .toLowerCase()
        .split(/[\s,]+/)
        .filter(Boolean),
      token: raw === undefined ? undefined : readToken(raw, id, cookieName, problems),
      tokenVariable: variable,
    };
  });
}
