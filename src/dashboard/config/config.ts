import { join, resolve } from 'node:path';
import { messageOf, systemCodeOf } from '../../kernel/errors.ts';
import { isLoopbackHost } from '../../kernel/http/site-address.ts';
import {
  type ConfigOutcome,
  type Flags,
  flagLayer,
  readSettings,
  type Variables,
  valuesOf,
  variableLayer,
} from '../../kernel/settings/settings.ts';
import { readRegularFileSync } from '../../kernel/storage/regular-file.ts';
import { type EnvFile, readEnvFile } from './env-file.ts';
import { findRedirections } from './sessions.ts';
import { SETTINGS } from './settings.ts';
import { readToken, readTokenList } from './tokens.ts';
import { colorOf, readUserIds, tokenVariable, variableSuffix } from './users.ts';

/** A user whose usage is shown. */
export interface DashboardUser {
  /** As in `?user=`: small letters, digits, `-`, `_`. */
  readonly id: string;
  readonly color: string;
  /** The user's addresses in the `User` column of team exports. */
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
  /** Folders and files of servers, which are not served even if they are in the project. */
  readonly withheld: readonly string[];
  /** Without a slash at the end. */
  readonly upstreamUrl: string;
  readonly cookieName: string;
  /** In the order of the toolbar; at least one. */
  readonly users: readonly DashboardUser[];
  /** 0: nothing is kept. */
  readonly cacheTtlMs: number;
  /** Whether other machines are answered. */
  readonly allowRemote: boolean;
  /** Names under which the server answers, beside addresses and its own. */
  readonly allowedHosts: readonly string[];
  /** The hub whose servers the page links to. Undefined: none. */
  readonly deckUrl: string | undefined;
}

export interface DashboardConfig {
  readonly options: DashboardOptions;
  readonly warnings: readonly string[];
}

/** Reads the configuration: flags stand above the environment, and that above the project's `.env`. */
export function loadConfig(flags: Flags<typeof SETTINGS>, environment: Variables): ConfigOutcome<DashboardConfig> {
  const problems: string[] = [];
  const projectDir = resolve(String(flags.project ?? '.'));
  const path = join(projectDir, '.env');
  const file = readProjectEnv(path, problems);
  const warnings = file.badLines.map((line) => `${path}: line ${line} is no NAME=value`);
  const layers: readonly Variables[] = [environment, file.variables];
  const decided = Object.entries(SETTINGS).flatMap(([key, { variable }]) =>
    flags[key as keyof typeof SETTINGS] === undefined ? [] : [variable],
  );
  const variables = variableLayer((name) =>
    decided.includes(name) ? undefined : layers.map((layer) => layer[name]?.trim()).find(Boolean),
  );
  const values = valuesOf(SETTINGS, readSettings(SETTINGS, [variables, flagLayer(flags)], problems));
  const { host, port, upstreamUrl, cookieName, allowRemote, allowedHosts } = values;
  const options: DashboardOptions = {
    host,
    port,
    projectDir,
    // Of rooms with the same environment; other folders are known by their content.
    withheld: environment.OPSDECK_DATA_DIR ? [resolve(environment.OPSDECK_DATA_DIR)] : [],
    upstreamUrl,
    cookieName,
    users: readUsers(values.users, layers, cookieName, problems),
    cacheTtlMs: values.cacheTtlSeconds * 1000,
    allowRemote,
    allowedHosts: allowedHosts?.toLowerCase().split(/[\s,]+/) ?? [],
    deckUrl: values.deckUrl,
  };
  const userIds = options.users.map(({ id }) => id);
  problems.push(...findRedirections({ environment, file: file.variables, path, decided, userIds }));
  if (!isLoopbackHost(host) && !allowRemote) problems.push(refusedRemote(host));
  if (problems.length > 0) return { ok: false, problems };
  return { ok: true, value: { options, warnings: [...warnings, ...warningsOf(options)] } };
}

function refusedRemote(host: string): string {
  return `${host} can be reached from other machines, and this server reads usage with your session: add --allow-remote to allow that`;
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

/** In each layer the variable of a user stands above the list of USER_TOKENS. */
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
