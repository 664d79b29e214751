/** The users where none are listed. */
export const DEFAULT_USERS = ['info', 'slope'];
const USER_ID = /^[a-z0-9][a-z0-9_-]{0,31}$/;
/** In the filter it means every user. */
const EVERYBODY = 'all';
const MAX_USERS = 32;
/** Distinct for most kinds of colour vision, with a contrast of at least 3:1 on white and on near-black. */
const COLORS = ['#3b7dd8', '#c9631b', '#7a68d9', '#1f8a70', '#b8507a', '#8a7a1f'];

export function colorOf(index: number): string {
  return COLORS[index % COLORS.length] ?? '#3b7dd8';
}

/** The ending of the variables of a user: `my-team` → `MY_TEAM`. */
export function variableSuffix(id: string): string {
  return id.toUpperCase().replaceAll('-', '_');
}

export function tokenVariable(id: string): string {
  return `USAGE_SESSION_TOKEN_${variableSuffix(id)}`;
}

/** The listed users, or `otherwise`; then the assistants. */
export function readUserIds(
  listed: string | undefined,
  otherwise: readonly string[],
  agents: readonly string[],
  problems: string[],
): readonly string[] {
  const wanted = [...(listed?.split(',') ?? otherwise), ...agents];
  const ids = [...new Set(wanted.map((id) => id.trim()).filter(Boolean))];
  for (const id of ids) {
    if (id === EVERYBODY) problems.push('a user cannot be called all: that means every user');
    else if (!USER_ID.test(id))
      problems.push(`user ${JSON.stringify(id)}: write small letters, digits, - and _, at most 32`);
  }
  const variables = new Set(ids.map(variableSuffix));
  if (variables.size < ids.length) problems.push('two users share a variable: their names differ in - and _ only');
  if (ids.length === 0) problems.push('--users: name at least one user, such as info,slope');
  if (ids.length > MAX_USERS) problems.push(`--users: at most ${MAX_USERS}`);
  return ids;
}
