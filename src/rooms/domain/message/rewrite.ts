import { followCard } from '../card/live-card.ts';
import { checkCard } from '../card/message-card.ts';
import type { ChangeView, Decision } from '../change.ts';
import { isSameCard } from '../content-hash.ts';
import { accepted, type Outcome, refuse } from '../refusal.ts';
import { noSuchMessage } from './access.ts';
import type { JsonObject, Message, MessageStatus, MessageType, RunRef } from './message.ts';
import { changed, type MessageOutcome, nextVersion, unchanged } from './outcome.ts';
import { checkBody } from './text.ts';

/** A change by the server itself: of a copilot's text or an alert's card. */
export interface RewriteDraft {
  readonly body?: string;
  readonly card?: JsonObject | null;
  readonly status?: MessageStatus;
  readonly run?: RunRef | null;
  readonly silent?: boolean;
  readonly isAlert?: boolean;
}

/** The expected message; another one under the same id counts as missing. */
export interface RewriteTarget {
  readonly id: string;
  readonly roomId: string;
  readonly type: MessageType;
  readonly authorId: string;
}

/** Decides a rewrite: without history, rights or mentions. */
export function decideRewrite(
  view: ChangeView,
  target: RewriteTarget,
  draft: RewriteDraft | ((current: Message) => Outcome<RewriteDraft>),
  { maxBodyBytes }: { readonly maxBodyBytes: number },
): Decision<MessageOutcome> {
  const { id } = target;
  const stored = view.message(id);
  if (!stored || !isTarget(target, stored.message)) return noSuchMessage(id);
  const { message, contentHash } = stored;
  if (message.deleted) return refuse('deleted', `the message ${id} was deleted`);
  const drafted = typeof draft === 'function' ? draft(message) : accepted(draft);
  if (!drafted.ok) return drafted;
  const { isAlert = false, ...changes } = drafted.value;
  const body = checkBody(changes.body ?? message.body, maxBodyBytes);
  if (!body.ok) return body;
  const refusal = checkCard(changes.card ?? null);
  if (refusal) return refusal;
  const next = nextVersion(message, view.now, { ...changes, body: body.value });
  const isSame = saysTheSame(message, next);
  const { events, records } = followCard(view, isSame ? message : next);
  if (isSame)
    return records.length === 0 ? unchanged(stored) : { ok: true, write: { events, records }, answer: () => stored };
  const type = isAlert ? 'alert.updated' : 'message.updated';
  return changed({ events: [{ type, roomId: message.roomId, message: next }, ...events], records }, contentHash);
}

export const isTarget = ({ roomId, type, authorId }: Omit<RewriteTarget, 'id'>, message: Message): boolean =>
  message.roomId === roomId && message.type === type && message.author.id === authorId;

function saysTheSame(a: Message, b: Message): boolean {
  return (
    a.body === b.body &&
    a.status === b.status &&
    a.silent === b.silent &&
    JSON.stringify(a.run) === JSON.stringify(b.run) &&
    isSameCard(a.card, b.card)
  );
}
