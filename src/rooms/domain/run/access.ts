import { accessTo, type RoomAccess, requireWriter } from '../access.ts';
import type { Caller } from '../caller.ts';
import type { StateView } from '../change.ts';
import { hasTriggerRole } from '../copilot/trigger.ts';
import type { StoredMessage } from '../message/message.ts';
import { accepted, type Outcome, type Refusal, refuse } from '../refusal.ts';
import { usableCopilot } from './change.ts';
import type { Run } from './run.ts';

/** The messages of a run, if they exist. */
export interface RunMessages {
  readonly answer: StoredMessage | undefined;
  readonly trigger: StoredMessage | undefined;
}

export const noSuchRun = (id: string): Refusal => refuse('run_not_found', `there is no run ${id}`);

/** A run found through its room, with the caller's rights; a private one only for its asker. */
export function findRun(
  view: StateView,
  caller: Caller,
  id: string,
  run: Run | undefined,
  { answer }: RunMessages,
): Outcome<RoomAccess> {
  const room = run && view.get('room', run.roomId);
  if (!run || !room || room.deletedAt !== null) return noSuchRun(id);
  const access = accessTo(view, caller, room);
  if (!access || (run.audience !== null && run.audience !== caller.user.id)) return noSuchRun(id);
  return isBefore(access, caller, run, answer) ? noSuchRun(id) : accepted(access);
}

/** Whether it precedes the caller's visible history. */
function isBefore(
  { afterSeq, member }: RoomAccess,
  { user }: Caller,
  run: Run,
  answer: StoredMessage | undefined,
): boolean {
  if (afterSeq === 0 || run.startedBy === user.id) return false;
  if (answer) return answer.message.seq <= afterSeq;
  return run.queuedAt < (member?.joinedAt ?? Number.POSITIVE_INFINITY);
}

/** Its starter, the author of the message that asked, and moderators may cancel and retry a run. */
export function requireRunManager(
  { isModerator }: RoomAccess,
  { user }: Caller,
  { startedBy }: Run,
  { trigger }: RunMessages,
): Refusal | undefined {
  if (isModerator || startedBy === user.id || trigger?.message.author.id === user.id) return undefined;
  return refuse('forbidden', 'only its asker, and admins and owners of the room, may do this to a run');
}

/** Whether the caller may ask a room's copilot directly; the private one only if switched on. */
export function requireAsker(
  view: StateView,
  caller: Caller,
  access: RoomAccess,
  isPrivate: boolean,
  now: number,
): Refusal | undefined {
  const { room, member } = access;
  const refusal = requireWriter(access, caller, now);
  if (refusal) return refusal;
  const copilot = usableCopilot(room, isPrivate);
  if (!copilot.ok) return copilot;
  if (isPrivate && !member?.copilot)
    return refuse(
      'forbidden',
      `your private copilot is off in this room; switch it on with PUT /api/room/${room.slug} {"copilot": true}`,
    );
  return isPrivate || hasTriggerRole(view, copilot.value, room.id, caller.user.id)
    ? undefined
    : refuse('forbidden', 'the copilot of this room does not listen to your role');
}
