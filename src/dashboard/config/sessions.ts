import type { Variables } from '../../kernel/settings/settings.ts';
import { tokenVariable } from './users.ts';

/** The settings that decide where the session of a user is sent, and which pages may use it through this server. */
const DECISIVE = ['USAGE_UPSTREAM_URL', 'USAGE_SESSION_COOKIE', 'USAGE_WEB_ALLOWED_HOSTS'] as const;

export interface SessionSources {
  readonly environment: Variables;
  /** The variables of the project's `.env`, and its path. */
  readonly file: Variables;
  readonly path: string;
  /** Variables that a flag overrides. */
  readonly decided: readonly (string | undefined)[];
  readonly userIds: readonly string[];
}

/**
 * A project may belong to another user: its `.env` decides where sessions of the same file are sent, but never the operator's
 * own. The problems name variables and no value.
 */
export function findRedirections({ environment, file, path, decided, userIds }: SessionSources): readonly string[] {
  const has = (variables: Variables, name: string) => Boolean(variables[name]?.trim());
  const own = [...userIds.map(tokenVariable), 'USER_TOKENS'].filter((name) => has(environment, name));
  if (own.length === 0) return [];
  return DECISIVE.filter((name) => has(file, name) && !has(environment, name) && !decided.includes(name)).map(
    (name) =>
      `${name} is set in ${path}, but ${own.join(', ')} in the environment: a project's .env does not decide about sessions of the environment; set ${name} there too, or move the tokens into the file`,
  );
}
