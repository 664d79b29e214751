import { type Refusal, refuse } from '../refusal.ts';
import type { UserRef } from '../user/user.ts';
import type { JsonObject, Message } from './message.ts';

/**
 * Prefixes of ids that the server derives to find its own messages again: alert cards, answers of copilots and hooks,
 * reminders, timelines of incidents.
 */
const RESERVED_PREFIXES = ['alert-', 'answer-', 'hook-', 'reminder-', 'incident-'] as const;
/** Kinds of cards that the server writes and reads. */
const RESERVED_KINDS: ReadonlySet<unknown> = new Set(['alert', 'command']);

/** A client that chose the id of a later message of the server would receive its content. */
export function checkChosenId(id: string | undefined): Refusal | undefined {
  if (id === undefined || !RESERVED_PREFIXES.some((prefix) => id.startsWith(prefix))) return undefined;
  const reason = `id: ids that begin with ${RESERVED_PREFIXES.join(', ')} are the server's own; choose another`;
  return refuse('invalid_body', reason, { path: 'id' });
}

/** The server trusts the content of such cards. */
export function checkChosenCard(card: JsonObject | null): Refusal | undefined {
  if (!hasReservedKind(card)) return undefined;
  const reason = `card: only the server makes cards of the kind ${card?.kind}; choose another kind`;
  return refuse('invalid_body', reason, { path: 'card' });
}

export const hasReservedKind = (card: JsonObject | null): boolean => card !== null && RESERVED_KINDS.has(card.kind);

/** The author id of an incoming hook; no user can have it, since the ids of users hold no colon. */
export const hookAuthorId = (hookId: string): string => `hook:${hookId}`;

const isHook = ({ id, kind }: UserRef): boolean => kind === 'bridge' && id.startsWith(hookAuthorId(''));

/** Whether a message is an alert card of the server, whatever its content. */
export const isAlertCard = ({ type, author }: Pick<Message, 'type' | 'author'>): boolean =>
  type === 'alert' && isHook(author);

/** Whether only the server may change a message; a question to the copilot belongs to its author. */
export function isServerMade(message: Pick<Message, 'type' | 'author' | 'card'>): boolean {
  const { type, card } = message;
  return isAlertCard(message) || (type === 'command' && hasReservedKind(card) && card?.command !== 'ask');
}
