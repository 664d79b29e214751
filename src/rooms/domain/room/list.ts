import { accessTo, type RoomAccess } from '../access.ts';
import type { Caller } from '../caller.ts';
import type { StateView } from '../change.ts';

/** Which rooms are asked for. */
export interface RoomFilter {
  /** Of which he is a member, or is not. */
  readonly joined?: boolean | undefined;
  /** `any`: those that are put away as well. */
  readonly archived: boolean | 'any';
  /** All of them must be there. */
  readonly labels: readonly (readonly [string, string])[];
  /** Part of the name, slug or topic, in small letters. */
  readonly text: string;
}

/** A room as the caller sees it, if it is one of those that he asks for. */
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
  // An admin may read what two people write to each other; in his list it has no place.
  if (room.visibility === 'direct' && !member) return undefined;
  if (filter.joined !== undefined && filter.joined !== (member !== undefined)) return undefined;
  const isArchived = room.archived || (member?.archived ?? false);
  if (filter.archived !== 'any' && filter.archived !== isArchived) return undefined;
  for (const [key, value] of filter.labels) if (room.labels[key] !== value) return undefined;
  if (filter.text === '') return access;
  const text = `${room.name}\n${room.slug}\n${room.topic}`.toLowerCase();
  return text.includes(filter.text) ? access : undefined;
}
