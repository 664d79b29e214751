import type { Secret } from './copilot/copilot.ts';
import type { Records } from './record.ts';

/** The owner of a stored secret that the server's key does not decrypt, and that must be entered again. */
export interface ClosedSecret {
  readonly of: 'hook' | 'copilot' | 'provider';
  /** Of the hook; of the copilot's room; the provider's name. */
  readonly id: string;
  /** Of the hook, room or provider. */
  readonly name: string;
  /** The slug of its room; `null`: of the whole server. */
  readonly room: string | null;
}

type Named = Pick<Records, 'hook' | 'room'>;
/** Finds a record. */
type Find = <K extends keyof Named>(kind: K, key: string) => Named[K] | undefined;

/** The secrets that do not open, in the order of their owners' names. */
export function closedSecrets(
  secrets: Iterable<readonly [string, Secret]>,
  opens: (owner: string, secret: Secret) => boolean,
  find: Find,
): readonly ClosedSecret[] {
  const closed = [...secrets].filter(([owner, secret]) => !opens(owner, secret));
  return closed.map(([owner]) => named(owner, find)).sort((a, b) => (printClosed(a) < printClosed(b) ? -1 : 1));
}

/** `owner`: as in Secret. */
function named(owner: string, find: Find): ClosedSecret {
  const kind = owner.slice(0, owner.indexOf('/'));
  const id = owner.slice(kind.length + 1);
  const slugOf = (roomId: string) => find('room', roomId)?.slug ?? roomId;
  if (kind === 'provider') return { of: kind, id, name: id, room: null };
  if (kind === 'room') return { of: 'copilot', id, name: find('room', id)?.name ?? id, room: slugOf(id) };
  const hook = find('hook', id);
  return { of: 'hook', id, name: hook?.name ?? id, room: hook?.roomId ? slugOf(hook.roomId) : null };
}

/** Such as `hook Robot (room ops)`. */
export function printClosed({ of, name, room }: ClosedSecret): string {
  if (of === 'copilot') return `copilot of room ${room}`;
  return `${of} ${name}${room === null ? '' : ` (room ${room})`}`;
}

/** How its secret is entered again. */
export function remedyOf({ of, id, room }: ClosedSecret): string {
  if (of === 'hook') return `opsdeck rooms hook rotate ${id}`;
  if (of === 'copilot') return `opsdeck rooms copilot set ${room} --key-stdin`;
  return `PUT /api/provider/${id} with its apiKey`;
}
