import { requireLive, requireMember } from '../access.ts';
import type { Caller } from '../caller.ts';
import type { ChangeView, Decision } from '../change.ts';
import { accepted, type Outcome, type Refusal, refuse } from '../refusal.ts';
import { findMessage, requireAlive } from './access.ts';
import type { Reaction } from './message.ts';
import { changed, type MessageOutcome, nextVersion, unchanged } from './outcome.ts';

const MAX_EMOJI = 50;
const MAX_CODE_POINTS = 16;
const MAX_USERS = 20;
const NAMED = /^:[a-z0-9_+-]{1,32}:$/;
const graphemes = new Intl.Segmenter('en', { granularity: 'grapheme' });

/** One user-perceived character, or a name such as `:shipit:`. */
export function checkEmoji(text: string): Outcome<string> {
  if (NAMED.test(text)) return accepted(text);
  const isShort = text !== '' && text.length <= MAX_CODE_POINTS * 2 && [...text].length <= MAX_CODE_POINTS;
  const isVisible = text.isWellFormed() && !/[\p{Cc}\p{Zs}\p{Zl}\p{Zp}]/u.test(text) && !/^[\p{Cf}\p{M}]+$/u.test(text);
  if (isShort && isVisible && [...graphemes.segment(text)].length === 1) return accepted(text);
  return refuse(
    'invalid_query',
    `a reaction is one character of at most ${MAX_CODE_POINTS} code points, or a name such as :shipit:`,
  );
}

/** Decides that a reaction is added or removed. Guests may react. */
export function decideReaction(
  view: ChangeView,
  caller: Caller,
  id: string,
  emoji: string,
  reacts: boolean,
): Decision<MessageOutcome> {
  const found = findMessage(view, caller, id, view.message(id));
  if (!found.ok) return found;
  const { stored } = found.value;
  const { message, contentHash } = stored;
  const userId = caller.user.id;
  const mayReact = caller.isAdmin || caller.kind === 'copilot';
  const refusal =
    (mayReact ? undefined : requireMember(found.value)) ?? requireAlive(found.value) ?? requireLive(found.value);
  if (refusal) return refusal;
  if (view.hasReacted({ messageId: id, emoji, userId }) === reacts) return unchanged(stored);
  const reactions = reacts
    ? addReaction(message.reactions, emoji, userId)
    : dropReaction(message.reactions, emoji, userId);
  if ('code' in reactions) return reactions;
  const type = reacts ? ('reaction.added' as const) : ('reaction.removed' as const);
  const next = nextVersion(message, view.now, { reactions });
  return changed({ events: [{ type, roomId: message.roomId, emoji, userId, message: next }] }, contentHash);
}

function addReaction(reactions: readonly Reaction[], emoji: string, userId: string): readonly Reaction[] | Refusal {
  const known = reactions.find((reaction) => reaction.emoji === emoji);
  if (known) return reactions.map((reaction) => (reaction === known ? addUser(known, userId) : reaction));
  if (reactions.length < MAX_EMOJI) return [...reactions, { emoji, count: 1, userIds: [userId] }];
  return refuse('limit_reached', `a message has at most ${MAX_EMOJI} different reactions`);
}

function addUser({ emoji, count, userIds }: Reaction, userId: string): Reaction {
  return { emoji, count: count + 1, userIds: userIds.length < MAX_USERS ? [...userIds, userId] : userIds };
}

function dropReaction(reactions: readonly Reaction[], emoji: string, userId: string): readonly Reaction[] {
  return reactions.flatMap((reaction) => {
    if (reaction.emoji !== emoji) return [reaction];
    const userIds = reaction.userIds.filter((id) => id !== userId);
    return reaction.count > 1 ? [{ emoji, count: reaction.count - 1, userIds }] : [];
  });
}
