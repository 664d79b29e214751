import type { StateView } from '../change.ts';
import { type RecordChange, record } from '../record.ts';
import { type Member, memberKey, type Role } from './member.ts';

/** A moderator's restrictions of a member, kept when the member leaves. */
export interface Standing {
  readonly isGuest: boolean;
  readonly silencedUntil: number | null;
}

const keyOf = (roomId: string, userId: string): string => `standing/${memberKey(roomId, userId)}`;

/** Keeps the restrictions of a leaving member, if there are any. */
export function keepStanding({ roomId, userId, role, silencedUntil }: Member, now: number): readonly RecordChange[] {
  const isSilenced = silencedUntil !== null && silencedUntil > now;
  const isGuest = role === 'guest';
  if (!isSilenced && !isGuest) return [];
  const standing: Standing = { isGuest, silencedUntil: isSilenced ? silencedUntil : null };
  return [record('setting', keyOf(roomId, userId), { value: JSON.stringify(standing) })];
}

/** Whether restrictions of a former member are kept. */
export const hasStanding = (view: StateView, roomId: string, userId: string): boolean =>
  view.get('setting', keyOf(roomId, userId)) !== undefined;

/** Restores restrictions: the member to be added, and the removal of the kept record. */
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

/** A member added by a moderator has the role that the moderator gives. */
export function forgetStanding(view: StateView, roomId: string, userId: string): readonly RecordChange[] {
  const key = keyOf(roomId, userId);
  return view.get('setting', key) ? [record('setting', key, null)] : [];
}
