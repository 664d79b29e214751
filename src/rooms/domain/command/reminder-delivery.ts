import { createHash } from 'node:crypto';
import { accessTo } from '../access.ts';
import { roomPart } from '../caller.ts';
import { commandJson } from '../card/command-card.ts';
import { type Change, type ChangeView, type Decision, joinWrite, type Write } from '../change.ts';
import type { MessageOutcome } from '../message/outcome.ts';
import { decidePost, type PostRules } from '../message/post.ts';
import { record } from '../record.ts';
import { accepted } from '../refusal.ts';
import { makeUser } from '../user/new-user.ts';
import type { Reminder } from './reminder.ts';

const AUTHOR = makeUser('system:reminder', 0, { name: 'Reminder', kind: 'system' });

/** The id of its message, the same on every node. */
const messageIdOf = ({ id }: Reminder): string =>
  `reminder-${createHash('sha256').update(id).digest('hex').slice(0, 40)}`;

/**
 * Posts a reminder and removes it in one commit, so that nodes that do so at the same time post it once. `null`: it was
 * posted already, or its user may not read the room any more.
 */
export function deliverReminder(due: Reminder, rules: PostRules): Change<MessageOutcome | null> {
  return {
    messages: [messageIdOf(due), ...(due.threadId === null ? [] : [due.threadId])],
    decide(view) {
      const reminder = view.get('reminder', due.id);
      if (!reminder || reminder.at > view.now) return { ok: true, write: null, answer: () => null };
      const removal: Write = { records: [record('reminder', reminder.id, null)] };
      if (view.message(messageIdOf(reminder)) || !isWanted(view, reminder))
        return { ok: true, write: removal, answer: () => null };
      return joinWrite(post(view, reminder, rules), accepted(removal));
    },
  };
}

function isWanted(view: ChangeView, { roomId, userId }: Reminder): boolean {
  const room = view.get('room', roomId);
  const user = view.get('user', userId);
  if (!room || room.deletedAt !== null || !user || user.disabled) return false;
  const isAdmin = user.role === 'admin';
  const rights = { scopes: new Set<never>(), roomIds: null, tokenId: null, expiresAt: null };
  return accessTo(view, { kind: 'user', user, isAdmin, ...rights }, room) !== undefined;
}

function post(view: ChangeView, reminder: Reminder, rules: PostRules): Decision<MessageOutcome> {
  const { roomId, threadId, userId, text } = reminder;
  const root = threadId === null ? undefined : view.message(threadId)?.message;
  const again = { name: 'again', label: 'Again in 10 min', line: `/remind 10m ${text}` };
  const draft = {
    room: roomId,
    id: messageIdOf(reminder),
    type: 'command',
    body: `@${userId} ${text}`,
    format: 'markdown',
    replyTo: null,
    threadId: root && !root.deleted ? root.id : null,
    alsoInRoom: false,
    attachments: [],
    card: commandJson({ kind: 'command', command: 'remind', by: userId, title: 'Reminder', actions: [again] }),
    silent: false,
    status: 'complete',
    run: null,
    byServer: true,
  } as const;
  return decidePost(view, roomPart('hook', AUTHOR, roomId), draft, new Map(), rules);
}
