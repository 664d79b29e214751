import { type Refusal, refuse } from './refusal.ts';

/** Under these the server itself is spoken of, or a path is. */
const RESERVED: ReadonlySet<string> = new Set(['system', 'server', 'me', 'opsdeck']);
/** `@all` calls everybody. */
const RESERVED_FOR_USERS: ReadonlySet<string> = new Set([...RESERVED, 'all']);

/** Of what is new: whoever had such an id before keeps it. */
export const isReservedSlug = (slug: string): boolean => RESERVED.has(slug.toLowerCase());

export const isReservedUserId = (id: string): boolean => RESERVED_FOR_USERS.has(id.toLowerCase());

export function refuseReservedUserId(id: string): Refusal | undefined {
  if (!isReservedUserId(id)) return undefined;
  return refuse('name_taken', `the id ${id} is reserved for the server; choose another`, { path: 'id' });
}
