import type { StateView } from '../change.ts';
import { type RecordChange, record } from '../record.ts';
import { type Refusal, refuse } from '../refusal.ts';
import type { User } from '../user/user.ts';
import { memberKey } from './member.ts';

type Person = Pick<User, 'id' | 'role'>;

/**
 * A guest of the server: a user, not an admin, whom nobody has added to a room as more than a guest; direct messages do
 * not count. This stays so after leaving the last room. Guests see only users they share a room with, read public rooms
 * only as members, and create no rooms.
 */
export function isGuest(view: StateView, { id, role }: Person): boolean {
  if (role === 'admin') return false;
  let isIn = false;
  for (const roomId of view.roomIdsOf(id)) {
    if (view.get('member', memberKey(roomId, id))?.role === 'guest') isIn = true;
    else if (view.get('room', roomId)?.visibility !== 'direct') return false;
  }
  return isIn || view.get('setting', markOf(id)) !== undefined;
}

export const requireMoreThanGuest = (view: StateView, user: Person): Refusal | undefined =>
  isGuest(view, user) ? refuse('forbidden', 'guests cannot create rooms; ask a member') : undefined;

/** The ids of the users visible to a user; `undefined`: all. */
export function visiblePeople(view: StateView, user: Person): ReadonlySet<string> | undefined {
  if (!isGuest(view, user)) return undefined;
  const ids = new Set([user.id]);
  for (const roomId of view.roomIdsOf(user.id)) {
    if (view.get('room', roomId)?.deletedAt !== null) continue;
    for (const { userId } of view.membersOf(roomId)) ids.add(userId);
  }
  return ids;
}

/** Notes, before a guest leaves a room, that it is a guest. */
export function keepGuest(view: StateView, userId: string): readonly RecordChange[] {
  const user = view.get('user', userId);
  return user && isGuest(view, user) ? [record('setting', markOf(userId), { value: 'guest' })] : [];
}

/** When a guest is added to a room as more than a guest. */
export function forgetGuest(view: StateView, userId: string): readonly RecordChange[] {
  return view.get('setting', markOf(userId)) ? [record('setting', markOf(userId), null)] : [];
}

const markOf = (userId: string): string => `guest/${userId}`;
