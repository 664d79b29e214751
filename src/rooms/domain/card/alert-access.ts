import type { RoomAccess } from '../access.ts';
import { type Caller, rulesServer } from '../caller.ts';
import { type Refusal, refuse } from '../refusal.ts';
import type { Room } from '../room/room.ts';

/** The slugs and ids of the rooms from which the alert server may be used, as given by the operator. */
export type AlertRooms = ReadonlySet<string>;

export const isAlertRoom = (rooms: AlertRooms, { id, slug }: Pick<Room, 'id' | 'slug'>): boolean =>
  rooms.has(id) || rooms.has(slug);

/**
 * Whether a caller that may write in a room may use the alert server, or another one, from there: an admin of the server, and in the
 * named rooms members that somebody added. Members that joined a public room by themselves were chosen by nobody.
 */
export function requireAlertUser(
  caller: Caller,
  { room, member, isModerator }: RoomAccess,
  rooms: AlertRooms,
  server = 'the alert server',
): Refusal | undefined {
  if (rulesServer(caller)) return undefined;
  if (!isAlertRoom(rooms, room))
    return refuse(
      'forbidden',
      `only admins of the server may use ${server} from this room; one of them can name the room in --alerts-rooms`,
    );
  if (isModerator) return undefined;
  if (!member || member.role === 'guest')
    return refuse('forbidden', `guests may not use ${server}; ask an admin of the room to be made a member`);
  if (room.visibility !== 'public' || member.invitedBy !== null) return undefined;
  return refuse(
    'forbidden',
    `people who joined a public room by themselves may not use ${server}; ask an admin of the room to remove you and add you again`,
  );
}

/** A silence that matches everything. */
export function requireForce(caller: Caller): Refusal | undefined {
  return rulesServer(caller) ? undefined : refuse('forbidden', '--force is for admins of the server; name a label');
}

/** The caller that sets a slug. */
export interface SlugGiver {
  readonly caller: Caller;
  readonly alertRooms: AlertRooms;
}

/** A slug in `--alerts-rooms` gives access to the alert server. */
export function requireSlugGiver({ caller, alertRooms }: SlugGiver, slug: string): Refusal | undefined {
  if (!alertRooms.has(slug) || rulesServer(caller)) return undefined;
  const reason = `slug: only an admin of the server gives the slug ${slug}, which --alerts-rooms names; choose another`;
  return refuse('forbidden', reason, { path: 'slug' });
}
