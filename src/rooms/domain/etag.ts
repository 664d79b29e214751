import { createHash } from 'node:crypto';
import type { Member } from './member/member.ts';
import { type Refusal, refuse } from './refusal.ts';
import type { Token } from './token/token.ts';
import type { User } from './user/user.ts';

/** What a room's tag is made of: messages and alerts change a room without a new version. */
interface TaggedRoom {
  readonly version: number;
  readonly lastSeq: number;
  readonly firingAlerts?: number;
}

/** `"r7-42"`, and with two firing alerts `"r7-42-2"`. */
export const roomEtag = ({ version, lastSeq, firingAlerts = 0 }: TaggedRoom): string =>
  `"r${[version, lastSeq, ...(firingAlerts > 0 ? [firingAlerts] : [])].join('-')}"`;
export const messageEtag = (version: number): string => `"m${version}"`;
export const copilotEtag = (version: number): string => `"c${version}"`;
export const userEtag = ({ name, kind, avatarColor, role, disabled }: User): string =>
  contentEtag('u', [name, kind, avatarColor, role, disabled]);
export const tokenEtag = ({ id, name }: Token): string => contentEtag('t', [id, name]);
/** A member's tag for others: without the read position, which would cause needless conflicts. */
export const memberEtag = ({ role, silencedUntil, joinedAt }: Member): string =>
  contentEtag('p', [role, silencedUntil, joinedAt]);

/** A room's tag for one member, with the counts in it: they change with every message, without a version. */
export const meEtag = (json: string): string => contentEtag('e', [json]);

/** For objects without a version: equal text, equal tag. */
function contentEtag(kind: string, content: readonly unknown[]): string {
  return `"${kind}${createHash('sha256').update(JSON.stringify(content)).digest('base64url').slice(0, 16)}"`;
}

/**
 * Checks the request's `If-Match` against the current tag; each is `undefined` where it does not exist. Source: RFC
 * 9110, section 13.1.1; strong comparison.
 */
export function checkIfMatch(ifMatch: string | undefined, current: string | undefined): Refusal | undefined {
  if (ifMatch === undefined) return undefined;
  if (current !== undefined && (ifMatch.trim() === '*' || etagsIn(ifMatch).includes(current))) return undefined;
  const reason =
    current === undefined
      ? 'nothing is there that If-Match could match'
      : `it has changed since: it is ${current} now; read it again`;
  return refuse('version_mismatch', reason, current === undefined ? {} : { etag: current });
}

/** As `checkIfMatch`, for a room: by its version alone, since a message is no conflict. `"r7"` means version 7, too. */
export function checkRoomMatch(ifMatch: string | undefined, room: TaggedRoom): Refusal | undefined {
  const current = roomEtag(room);
  return checkIfMatch(ifMatch?.replace(new RegExp(`"r${room.version}(-\\d+){0,2}"`, 'g'), current), current);
}

/** Whether `If-None-Match` names the current tag, so that 304 suffices; weak comparison (section 13.1.2). */
export function matchesIfNoneMatch(ifNoneMatch: string | undefined, current: string): boolean {
  if (ifNoneMatch === undefined) return false;
  return ifNoneMatch.trim() === '*' || etagsIn(ifNoneMatch.replaceAll('W/"', '"')).includes(current);
}

/** The entity tags of a list, weak ones with their `W/`. */
function etagsIn(list: string): readonly string[] {
  return list.match(/(?:W\/)?"[^"]*"/g) ?? [];
}
