import { readdirSync } from 'node:fs';
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
import type { AgentId } from '../agents/event.ts';
import { isDefaultCsv } from '../project-files/rules.ts';
import { type EnvFile, readEnvFile } from './env-file.ts';
import { findRedirections } from './sessions.ts';
import { SETTINGS } from './settings.ts';
import { readToken, readTokenList } from './tokens.ts';
import { colorOf, DEFAULT_USERS, readUserIds, tokenVariable, variableSuffix } from './users.ts';

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
  /** Whether the user is an assistant, whose live data are its logs. */
  readonly isAgent: boolean;
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
  /** The assistants whose logs are read; they are users too. */
  readonly agents: readonly AgentId[];
  /** Absolute: the price table for these logs. Undefined: the one inside. */
  readonly prices: string | undefined;
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
    decided.includes(name)
      ? undefined
      : (name === PRIVATE_SETTING ? [environment] : layers).map((layer) => layer[name]?.trim()).find(Boolean),
  );
  const values = valuesOf(SETTINGS, readSettings(SETTINGS, [variables, flagLayer(flags)], problems));
  const { host, port, upstreamUrl, cookieName, allowRemote, allowedHosts, agents = [], prices } = values;
  const options: DashboardOptions = {
    host,
    port,
    projectDir,
    // Of rooms with the same environment; other folders are known by their content.
    withheld: environment.OPSDECK_DATA_DIR ? [resolve(environment.OPSDECK_DATA_DIR)] : [],
    upstreamUrl,
    cookieName,
    users: readUsers({ listed: values.users, agents, layers, cookieName, projectDir }, problems),
    agents,
    prices: prices && resolve(prices),
    cacheTtlMs: values.cacheTtlSeconds * 1000,
    allowRemote,
    allowedHosts: allowedHosts?.toLowerCase().split(/[\s,]+/) ?? [],
    deckUrl: values.deckUrl,
  };
  const userIds = options.users.map(({ id }) => id);
  problems.push(...findRedirections({ environment, file: file.variables, path, decided, userIds }));
  if (!isLoopbackHost(host) && !allowRemote) problems.push(refusedRemote(host));
  if (problems.length > 0) return { ok: false, problems };
  if (file.variables[PRIVATE_SETTING]) warnings.push(`${PRIVATE_SETTING} in ${path} is not used: ${WHY_PRIVATE}`);
  return { ok: true, value: { options, warnings: [...warnings, ...warningsOf(options)] } };
}

/** A project may belong to another user, whose `.env` must not open the private logs of the operator. */
const PRIVATE_SETTING = 'USAGE_AGENTS';
const WHY_PRIVATE = 'logs of assistants are private; write --agents, or set it in the environment';

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

interface UserSources {
  readonly listed: string | undefined;
  readonly agents: readonly AgentId[];
  readonly layers: readonly Variables[];
  readonly cookieName: string;
  readonly projectDir: string;
}

/** In each layer the variable of a user stands above the list of USER_TOKENS. */
function readUsers(sources: UserSources, problems: string[]): readonly DashboardUser[] {
  const { listed, agents, layers, cookieName } = sources;
  const lists = layers.map((layer) => readTokenList(layer.USER_TOKENS, problems));
  const withTokens = lists.flatMap((list) => [...list.keys()]);
  const otherwise = needsDefaultUsers(sources) ? [...DEFAULT_USERS, ...withTokens] : withTokens;
  const ids = readUserIds(listed, otherwise, agents, problems);
  return ids.map((id, index) => {
    const variable = tokenVariable(id);
    const raw = layers.map((layer, i) => layer[variable]?.trim() || lists[i]?.get(id)).find(Boolean);
    const emails = layers.map((layer) => layer[`USAGE_EMAIL_${variableSuffix(id)}`]?.trim()).find(Boolean) ?? '';
    const isAgent = agents.some((agent) => agent === id);
    if (isAgent && raw) problems.push(`${variable}: ${id} is an assistant of --agents; give the user another name`);
    return {
      id,
      color: colorOf(index),
      emails: emails
        .toLowerCase()
        .split(/[\s,]+/)
        .filter(Boolean),
      token: raw === undefined ? undefined : readToken(raw, id, cookieName, problems),
      tokenVariable: variable,
      isAgent,
    };
  });
}

/** Beside assistants they are shown only if they may have data. */
function needsDefaultUsers({ agents, layers, projectDir }: UserSources): boolean {
  if (agents.length === 0) return true;
  const hasToken = DEFAULT_USERS.some((id) => layers.some((layer) => layer[tokenVariable(id)]?.trim()));
  return hasToken || holdsCsv(projectDir);
}

function holdsCsv(projectDir: string): boolean {
  try {
    return readdirSync(join(projectDir, 'data')).some((name) => isDefaultCsv(`data/${name}`));
  } catch {
    return false;
  }
}
