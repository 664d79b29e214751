import { type Refusal, refuse } from '../refusal.ts';
import type { UserRef } from '../user/user.ts';
import type { JsonObject, Message } from './message.ts';

/** Of ids that the server derives, so that it finds its own message again: alert cards, copilots' answers, hooks' answers. */
const RESERVED_PREFIXES = ['alert-', 'answer-', 'hook-'] as const;
/** Of cards that the server makes and reads again. */
const RESERVED_KINDS: ReadonlySet<unknown> = new Set(['alert', 'command']);

/** A client that could choose the id of a later message of the server's would receive its content. */
export function checkChosenId(id: string | undefined): Refusal | undefined {
  if (id === undefined || !RESERVED_PREFIXES.some((prefix) => id.startsWith(prefix))) return undefined;
  const reason = "id: ids that begin with alert-, answer- and hook- are the server's own; choose another";
  return refuse('invalid_body', reason, { path: 'id' });
}

/** What a card of these kinds says, the server believes. */
export function checkChosenCard(card: JsonObject | null): Refusal | undefined {
  if (!hasReservedKind(card)) return undefined;
  const reason = `card: only the server makes cards of the kind ${card?.kind}; choose another kind`;
  return refuse('invalid_body', reason, { path: 'card' });
}

export const hasReservedKind = (card: JsonObject | null): boolean => card !== null && RESERVED_KINDS.has(card.kind);

/** The id under which an incoming hook writes. No user can have it: theirs hold no colon. */
export const hookAuthorId = (hookId: string): string => `hook:${hookId}`;

const isHook = ({ id, kind }: UserRef): boolean => kind === 'bridge' && id.startsWith(hookAuthorId(''));

/** Whether a message is one of the server's alert cards, whatever may have become of its content. */
export const isAlertCard = ({ type, author }: Pick<Message, 'type' | 'author'>): boolean =>
  type === 'alert' && isHook(author);

/** Whether the server alone says what stands in a message; a question to the copilot is its author's. */
export function isServerMade(message: Pick<Message, 'type' | 'author' | 'card'>): boolean {
  const { type, card } = message;
  return isAlertCard(message) || (type === 'command' && hasReservedKind(card) && card?.command !== 'ask');
}
