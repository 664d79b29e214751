import { requireLive } from '../access.ts';
import type { Caller } from '../caller.ts';
import { followCard } from '../card/live-card.ts';
import type { ChangeView, Decision, Write } from '../change.ts';
import { checkIfMatch, messageEtag } from '../etag.ts';
import { refuse } from '../refusal.ts';
import { findMessage } from './access.ts';
import { auditOf } from './edit.ts';
import { NO_MENTIONS } from './mention.ts';
import type { Message } from './message.ts';
import { changed, type MessageOutcome, nextVersion, unchanged } from './outcome.ts';
import { unpin } from './pin.ts';
import { uncountReply } from './thread.ts';

export interface Removal {
  readonly reason?: string | undefined;
  readonly ifMatch?: string | undefined;
}

/** Decides that a message becomes a tombstone, by its author or a moderator. */
export function decideRemoval(
  view: ChangeView,
  caller: Caller,
  id: string,
  { reason, ifMatch }: Removal,
): Decision<MessageOutcome> {
  const found = findMessage(view, caller, id, view.message(id));
  if (!found.ok) return found;
  const { stored, room, isAuthor, isModerator } = found.value;
  if (!isAuthor && !isModerator)
    return refuse('forbidden', 'only its author, and admins and owners of the room, may delete a message');
  const { message, contentHash } = stored;
  if (message.deleted) return unchanged(stored);
  const refusal = requireLive(found.value) ?? checkIfMatch(ifMatch, messageEtag(message.version));
  if (refusal) return refusal;
  const tombstone = bury(message, caller.user.id, reason ?? null, view.now);
  const root = message.threadId === null ? undefined : view.message(message.threadId)?.message;
  const followed = followCard(view, tombstone);
  const write: Write = {
    events: [
      { type: 'message.deleted', roomId: message.roomId, message: tombstone },
      ...(root ? uncountReply(root, view.now) : []),
      ...followed.events,
    ],
    records: [...(message.pinned ? [unpin(room, message.id, view.now)] : []), ...followed.records],
    audit: isAuthor ? [] : [auditOf(message, caller, view.now, 'message.delete')],
  };
  return changed(write, contentHash);
}

/** The tombstone keeps position, author, times and thread. */
function bury(message: Message, by: string, reason: string | null, now: number): Message {
  return nextVersion(message, now, {
    body: '',
    attachments: [],
    card: null,
    reactions: [],
    mentions: NO_MENTIONS,
    pinned: false,
    status: message.status === 'streaming' ? 'cancelled' : message.status,
    deleted: true,
    deletedAt: now,
    deletedBy: by,
    deleteReason: reason,
  });
}
