import type { StateView } from '../change.ts';
import { type RecordChange, record } from '../record.ts';
import { type Member, memberKey, type Role } from './member.ts';

/** What a moderator has put on somebody, which he does not get rid of by leaving and coming back. */
export interface Standing {
  readonly isGuest: boolean;
  readonly silencedUntil: number | null;
}

const keyOf = (roomId: string, userId: string): string => `standing/${memberKey(roomId, userId)}`;

/** Notes it when somebody goes; nothing of who goes free. */
export function keepStanding({ roomId, userId, role, silencedUntil }: Member, now: number): readonly RecordChange[] {
  const isSilenced = silencedUntil !== null && silencedUntil > now;
  const isGuest = role === 'guest';
  if (!isSilenced && !isGuest) return [];
  const standing: Standing = { isGuest, silencedUntil: isSilenced ? silencedUntil : null };
  return [record('setting', keyOf(roomId, userId), { value: JSON.stringify(standing) })];
}

/** Whether something is noted of somebody who was in a room. */
export const hasStanding = (view: StateView, roomId: string, userId: string): boolean =>
  view.get('setting', keyOf(roomId, userId)) !== undefined;

/** Takes it up again: the member as he may come in, and that it is noted no more. */
export function resumeStanding(
  view: StateView,
  member: Member,
  role: Role,
): { readonly member: Member; readonly records: readonly RecordChange[] } {
  const key = keyOf(member.roomId, member.userId);
  const noted = view.get('setting', key);
  if (!noted) return { member, records: [] };
  const { isGuest, silencedUntil } = JSON.parse(noted.value) as Standing;
  const resumed = { ...member, role: isGuest && role === 'member' ? ('guest' as const) : role, silencedUntil };
  return { member: resumed, records: [record('setting', key, null)] };
}

/** Whoever is brought in by a moderator is what that one says. */
export function forgetStanding(view: StateView, roomId: string, userId: string): readonly RecordChange[] {
  const key = keyOf(roomId, userId);
  return view.get('setting', key) ? [record('setting', key, null)] : [];
}
