import type { RoomAccess } from '../access.ts';
import type { ChangeView } from '../change.ts';
import type { MessageChanged } from '../event.ts';
import { accepted, type Outcome, type Refusal, refuse } from '../refusal.ts';
import type { Message } from './message.ts';
import { nextVersion } from './outcome.ts';

const MAX_PARTICIPANTS = 5;

/** A message of this room that a post refers to, if its author may read it. */
export function findReferred(
  view: ChangeView,
  { room, afterSeq }: RoomAccess,
  path: 'replyTo' | 'threadId',
  id: string,
): Outcome<Message> {
  const message = view.message(id)?.message;
  if (message && message.roomId === room.id && message.seq > afterSeq) return accepted(message);
  return refuse('invalid_body', `${path}: there is no message ${id} in this room`, { path });
}

/** Threads have one level. */
export function requireRoot(message: Message): Refusal | undefined {
  return message.threadId === null
    ? undefined
    : refuse(
        'invalid_body',
        `threadId: the message ${message.id} is a reply itself; name its root ${message.threadId}`,
        {
          path: 'threadId',
        },
      );
}

/** The thread's root after a reply. */
export function countReply(root: Message, authorId: string, now: number): MessageChanged {
  const { replies = 0, participants = [] } = root.thread ?? {};
  const thread = {
    replies: replies + 1,
    lastReplyAt: now,
    participants: [...participants.filter((id) => id !== authorId), authorId].slice(-MAX_PARTICIPANTS),
  };
  return rootChanged(nextVersion(root, now, { thread }));
}

/** The thread's root after a reply was deleted; participants and times stay. */
export function uncountReply(root: Message, now: number): readonly MessageChanged[] {
  if (!root.thread) return [];
  const thread = { ...root.thread, replies: Math.max(0, root.thread.replies - 1) };
  return [rootChanged(nextVersion(root, now, { thread }))];
}

function rootChanged(message: Message): MessageChanged {
  return { type: 'message.updated', roomId: message.roomId, message };
}
