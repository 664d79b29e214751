import { checkEmoji } from '../domain/message/reaction.ts';
import type { MessageReader } from '../messages/reader.ts';
import type { MessageWriter } from '../messages/writer.ts';
import { answerRefusal } from './answer/answers.ts';
import type { Paths } from './index.ts';
import { answerStored } from './messages.ts';
import { admit, type CallerHandler, type GuardParts } from './request/guard.ts';
import { param } from './request/query.ts';

export interface ReactionRouteParts {
  readonly guard: GuardParts;
  readonly messages: Pick<MessageWriter, 'react' | 'pin'>;
  readonly reader: MessageReader;
}

/** Reactions to messages, and pins. */
export function reactionPaths(parts: ReactionRouteParts): Paths {
  return {
    '/api/message/:id/reaction/:emoji': {
      PUT: admit(parts.guard, { scope: 'react', limit: 'edit' }, react(parts, true)),
      DELETE: admit(parts.guard, { scope: 'react', limit: 'edit' }, react(parts, false)),
    },
    '/api/message/:id/pin': {
      PUT: admit(parts.guard, { scope: 'manage', limit: 'edit' }, pin(parts, true)),
      DELETE: admit(parts.guard, { scope: 'manage', limit: 'edit' }, pin(parts, false)),
    },
  };
}

function react(parts: ReactionRouteParts, reacts: boolean): CallerHandler {
  return async (c, caller) => {
    const emoji = checkEmoji(param(c, 'emoji'));
    if (!emoji.ok) return answerRefusal(c, emoji);
    return answerStored(parts, c, caller, await parts.messages.react(caller, param(c, 'id'), emoji.value, reacts));
  };
}

function pin(parts: ReactionRouteParts, pinned: boolean): CallerHandler {
  return async (c, caller) => answerStored(parts, c, caller, await parts.messages.pin(caller, param(c, 'id'), pinned));
}
