import { type RoomAccess, requireLive } from '../access.ts';
import type { Caller } from '../caller.ts';
import type { ChangeView, StateView, Write } from '../change.ts';
import { memberKey } from '../member/member.ts';
import { record } from '../record.ts';
import { accepted, type Outcome, refuse } from '../refusal.ts';
import { auditOf } from './change.ts';
import type { Duty, Room } from './room.ts';

const MAX_TOPIC = 250;
/** The end of a topic that names the user on call. */
const TOPIC_END = /(?:^| \u00b7 )on call: @\S+(?: until \S+ \S+ UTC)?$/;

/** The id of the user on call. */
export function onCallOf(view: StateView, roomId: string, now: number): string | undefined {
  const duty = view.get('duty', roomId);
  return duty && (duty.until === null || duty.until > now) ? duty.userId : undefined;
}

/**
 * Puts a member on call and into the topic, or nobody (`null`). Moderators may, and the user on call, to hand over.
 * `printUntil` prints an instant for the topic.
 */
export function decideDuty(
  view: ChangeView,
  caller: Caller,
  access: RoomAccess,
  duty: Duty | null,
  printUntil: (at: number) => string,
): Outcome<Write> {
  const { room, isModerator } = access;
  const refusal = requireLive(access);
  if (refusal) return refusal;
  if (!isModerator && onCallOf(view, room.id, view.now) !== caller.user.id)
    return refuse('forbidden', 'only admins and owners of the room, and the user on call, may say who is on call');
  const role = duty && view.get('member', memberKey(room.id, duty.userId))?.role;
  if (duty && (!role || role === 'guest' || view.get('user', duty.userId)?.disabled !== false))
    return refuse('member_not_found', `${duty.userId} is no member of the room who may write; add them first`);
  const words = duty && `on call: @${duty.userId}${duty.until === null ? '' : ` until ${printUntil(duty.until)}`}`;
  const topic = topicWith(room.topic, words);
  const changed: Room = { ...room, topic, version: room.version + 1, updatedAt: view.now };
  return accepted({
    records: [record('duty', room.id, duty), record('room', room.id, changed)],
    events: [{ type: 'room.updated', roomId: room.id, room: changed }],
    audit: [auditOf(view, caller, 'room.oncall', room.id, duty?.userId ?? room.id)],
  });
}

/** The topic with other words about the user on call at its end; a topic that leaves no space stays as it is. */
function topicWith(topic: string, words: string | null): string {
  const others = topic.replace(TOPIC_END, '');
  const next = [others, words].filter((part) => part !== null && part !== '').join(' · ');
  return [...next].length <= MAX_TOPIC ? next : others;
}
