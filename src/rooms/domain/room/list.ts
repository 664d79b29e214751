import { accessTo, type RoomAccess } from '../access.ts';
import type { Caller } from '../caller.ts';
import type { StateView } from '../change.ts';

/** A filter of rooms. */
export interface RoomFilter {
  /** Whether the caller is a member. */
  readonly joined?: boolean | undefined;
  /** `any`: archived ones too. */
  readonly archived: boolean | 'any';
  /** All of them must match. */
  readonly labels: readonly (readonly [string, string])[];
  /** Part of the name, slug or topic, in lower case. */
  readonly text: string;
}

/** A room with the caller's rights, if it passes the filter. */
export function selectRoom(
  view: StateView,
  caller: Caller,
  roomId: string,
  filter: RoomFilter,
): RoomAccess | undefined {
  const room = view.get('room', roomId);
  const access = room && room.deletedAt === null ? accessTo(view, caller, room) : undefined;
  if (!room || !access) return undefined;
  const { member } = access;
  // A server admin may read direct rooms of others, but they are not listed.
  if (room.visibility === 'direct' && !member) return undefined;
  if (filter.joined !== undefined && filter.joined !== (member !== undefined)) return undefined;
  const isArchived = room.archived || (member?.archived ?? false);
  if (filter.archived !== 'any' && filter.archived !== isArchived) return undefined;
  for (const [key, value] of filter.labels) if (room.labels[key] !== value) return undefined;
  if (filter.text === '') return access;
  const text = `${room.name}\n${room.slug}\n${room.topic}`.toLowerCase();
  return text.includes(filter.text) ? access : undefined;
}
