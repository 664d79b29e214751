import type { Message } from '../message/message.ts';
import type { Member } from './member.ts';

/** A thread with unread replies. */
export interface UnreadThread {
  readonly rootId: string;
  /** The last unread reply. */
  readonly lastId: string;
  readonly unread: number;
}

/** What a member has not read of the messages that concern the member. */
export interface UnreadConcerns {
  /** Mentions outside threads. */
  readonly mentionIds: readonly string[];
  readonly threads: readonly UnreadThread[];
}

/**
 * `messages`: of the member's room, ascending: mentions and the replies of the member's threads. The position in a room
 * says nothing about its threads, whose replies the room does not show; writing in a thread reads it.
 */
export function unreadConcerns(messages: readonly Message[], member: Member): UnreadConcerns {
  const { userId, lastReadSeq, threadReads, joinedSeq } = member;
  const mentionIds: string[] = [];
  const threads = new Map<string, UnreadThread>();
  for (const { id, seq, author, threadId, alsoInRoom, silent, deleted } of messages) {
    if (author.id === userId) {
      if (threadId !== null) threads.delete(threadId);
      continue;
    }
    if (silent || deleted || ((threadId === null || alsoInRoom) && seq <= lastReadSeq)) continue;
    if (threadId === null) mentionIds.push(id);
    else if (seq > Math.max(joinedSeq, threadReads[threadId] ?? 0))
      threads.set(threadId, { rootId: threadId, lastId: id, unread: (threads.get(threadId)?.unread ?? 0) + 1 });
  }
  return { mentionIds, threads: [...threads.values()] };
}
