import { type Refusal, refuse } from './refusal.ts';

/** Names that stand for the server itself, or for a path. */
const RESERVED: ReadonlySet<string> = new Set(['system', 'server', 'me', 'opsdeck']);
/** `@all` mentions everybody, `@oncall` the user on call. */
const RESERVED_FOR_USERS: ReadonlySet<string> = new Set([...RESERVED, 'all', 'oncall']);

/** Only new users and slugs are refused; existing ones keep theirs. */
export const isReservedSlug = (slug: string): boolean => RESERVED.has(slug.toLowerCase());

export const isReservedUserId = (id: string): boolean => RESERVED_FOR_USERS.has(id.toLowerCase());

export function refuseReservedUserId(id: string): Refusal | undefined {
  if (!isReservedUserId(id)) return undefined;
  return refuse('name_taken', `the id ${id} is reserved for the server; choose another`, { path: 'id' });
}
