import { type Refusal, refuse } from './refusal.ts';

export const roomEtag = (version: number): string => `"r${version}"`;
export const messageEtag = (version: number): string => `"m${version}"`;
export const copilotEtag = (version: number): string => `"c${version}"`;

/**
 * Whether a change may be made to what is there now, by the value of the request's `If-Match`: `undefined` where it has
 * none. `current` is `undefined` where nothing is there. Source: RFC 9110, section 13.1.1; strong comparison.
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

/** Whether `If-None-Match` names what is there, so that it need not be sent again; weak comparison (section 13.1.2). */
export function matchesIfNoneMatch(ifNoneMatch: string | undefined, current: string): boolean {
  if (ifNoneMatch === undefined) return false;
  return ifNoneMatch.trim() === '*' || etagsIn(ifNoneMatch.replaceAll('W/"', '"')).includes(current);
}

/** The entity tags of a list, weak ones with their `W/`. */
function etagsIn(list: string): readonly string[] {
  return list.match(/(?:W\/)?"[^"]*"/g) ?? [];
}
