import { createHash } from 'node:crypto';
import { readCommandCard } from '../card/command-card.ts';
import type { StateView } from '../change.ts';
import type { RoomEvent } from '../event.ts';
import { memberKey } from '../member/member.ts';
import type { Message } from '../message/message.ts';
import type { Room } from '../room/room.ts';
import type { CopilotSettings } from './copilot.ts';
import { copilotUserId } from './user.ts';

/**
 * What a committed event asks of the copilot of its room. `now`: an answer. `soon`: an answer once the author has
 * finished writing. `ifAnswered`: an answer, if the copilot has written in that thread before.
 */
export type Trigger =
  | { readonly when: 'never' }
  | { readonly when: 'now' | 'soon' | 'ifAnswered'; readonly room: Room; readonly message: Message };

const NEVER: Trigger = { when: 'never' };

/** The same cause gives the same run id, so that it is answered once. */
export function autoRunId(roomId: string, messageId: string): string {
  return hashId(roomId, messageId, 'auto');
}

/** A run is retried once; a further retry finds the same run. */
export const retryRunId = (roomId: string, runId: string): string => hashId(roomId, runId, 'retry');

function hashId(roomId: string, cause: string, kind: string): string {
  const hash = createHash('sha256').update(JSON.stringify([roomId, cause, kind]));
  return `run-${hash.digest('hex').slice(0, 40)}`;
}

/** The message that a run writes. */
export const answerIdOf = (runId: string): string => `answer-${runId}`;

/** Decided by the event alone: edits, imports, silent messages and those of copilots ask for nothing. */
export function decideTrigger(view: StateView, event: RoomEvent): Trigger {
  if (event.type !== 'message.created') return NEVER;
  const { message } = event;
  if (message.silent || message.deleted || message.type === 'system') return NEVER;
  if (message.type === 'command' && readCommandCard(message.card)?.command !== 'ask') return NEVER;
  const room = view.get('room', event.roomId);
  const copilot = room?.copilot;
  if (!room || !copilot?.enabled || room.archived || room.deletedAt !== null) return NEVER;
  if (message.type === 'command')
    return copilot.trigger !== 'off' && mayAsk(view, copilot, message) ? { when: 'now', room, message } : NEVER;
  if (copilot.trigger === 'alert') return isNewAlert(message) ? { when: 'now', room, message } : NEVER;
  if (message.type === 'alert' || !mayAsk(view, copilot, message)) return NEVER;
  const isPerson = message.author.kind === 'human';
  if (copilot.trigger === 'always') return isPerson ? { when: 'soon', room, message } : NEVER;
  if (copilot.trigger !== 'mention') return NEVER;
  if (message.mentions.copilot || holdsKeyword(message, copilot)) return { when: 'now', room, message };
  // A bot that answers the copilot must not make it answer again.
  return message.threadId !== null && isPerson ? { when: 'ifAnswered', room, message } : NEVER;
}

function isNewAlert({ type, card }: Message): boolean {
  return type === 'alert' && card?.state !== 'resolved';
}

function mayAsk(view: StateView, copilot: CopilotSettings, { author, roomId, replyTo, threadId }: Message): boolean {
  if (author.kind === 'bot') {
    const isAnswer = replyTo !== null || threadId !== null;
    if (!copilot.allowBots || isAnswer) return false;
  } else if (author.kind !== 'human') return false;
  return hasTriggerRole(view, copilot, roomId, author.id);
}

/**
 * Whether the copilot answers users of that role; a server admin who is not a member counts as an admin of the room.
 */
export function hasTriggerRole(view: StateView, copilot: CopilotSettings, roomId: string, userId: string): boolean {
  const role = view.get('member', memberKey(roomId, userId))?.role ?? 'admin';
  return copilot.triggerRoles.includes(role);
}

function holdsKeyword({ body }: Message, { triggerKeywords }: CopilotSettings): boolean {
  if (triggerKeywords.length === 0) return false;
  const text = body.toLowerCase();
  return triggerKeywords.some((keyword) => hasWord(text, keyword.toLowerCase()));
}

/** The keyword as a whole word. */
function hasWord(text: string, word: string): boolean {
  const isWordy = (char: string | undefined) => char !== undefined && /[\p{L}\p{N}_]/u.test(char);
  for (let at = text.indexOf(word); at !== -1; at = text.indexOf(word, at + 1)) {
    const before = isWordy(text[at - 1]) && isWordy(word[0]);
    const after = isWordy(text[at + word.length]) && isWordy(word.at(-1));
    if (!before && !after) return true;
  }
  return false;
}

/** Whether a thread's root shows that the copilot has written in the thread; it names only the last five authors. */
export function namesCopilot(root: Pick<Message, 'author' | 'thread'>, roomId: string): boolean {
  const id = copilotUserId(roomId);
  return root.author.id === id || (root.thread?.participants.includes(id) ?? false);
}

/** The thread in which a run answers a message: its root, or `null` for the main flow. */
export function threadOf(
  replyIn: CopilotSettings['replyIn'],
  trigger: Pick<Message, 'id' | 'threadId'>,
): string | null {
  return trigger.threadId ?? (replyIn === 'thread' ? trigger.id : null);
}
