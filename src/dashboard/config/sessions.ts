import type { Variables } from '../../kernel/settings/settings.ts';
import { tokenVariable } from './users.ts';

/** What decides where the session of a user is sent, and who may use it through this server. */
const DECISIVE = ['USAGE_UPSTREAM_URL', 'USAGE_SESSION_COOKIE', 'USAGE_WEB_ALLOWED_HOSTS'] as const;

export interface SessionSources {
  readonly environment: Variables;
  /** What the project's `.env` says, and its path. */
  readonly file: Variables;
  readonly path: string;
  /** Settings that the command line decides. */
  readonly decided: readonly (string | undefined)[];
  readonly userIds: readonly string[];
}

/**
 * A folder may be somebody else's: what its `.env` says of where sessions go holds for those in the same file, and never
 * for the operator's own. The problems name variables and no value.
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
