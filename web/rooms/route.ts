import { addressOf, ROOT } from './root.ts';

/** The parts of the page's address. */
export interface Route {
  /** A slug or an id; `undefined`: the room that the server has chosen. */
  readonly room: string | undefined;
  readonly message: string | undefined;
  /** The code of an invite. */
  readonly invite: string | undefined;
}

export function parsePath(path: string): Route {
  const [kind, first, m, message] = path.slice(ROOT.length).split('/').map(decode);
  if (kind === 'i' && first) return { room: undefined, message: undefined, invite: first };
  if (kind !== 'r' || !first) return { room: undefined, message: undefined, invite: undefined };
  return { room: first, message: m === 'm' && message ? message : undefined, invite: undefined };
}

export const pathOfRoom = (slug: string): string => addressOf(`/r/${encodeURIComponent(slug)}`);
export const pathOfMessage = (slug: string, id: string): string => `${pathOfRoom(slug)}/m/${encodeURIComponent(id)}`;

function decode(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
