import { checkEmoji } from '../domain/message/reaction.ts';
import type { MessageReader } from '../messages/reader.ts';
import type { MessageWriter } from '../messages/writer.ts';
import { answerRefusal } from './answer/answers.ts';
import type { Paths } from './index.ts';
import { answerStored } from './messages.ts';
import { admit, type CallerHandler, type GuardParts } from './request/guard.ts';

export interface ReactionRouteParts {
  readonly guard: GuardParts;
  readonly messages: Pick<MessageWriter, 'react'>;
  readonly reader: MessageReader;
}

/** The caller's reactions to a message. */
export function reactionPaths(parts: ReactionRouteParts): Paths {
  const react =
    (reacts: boolean): CallerHandler =>
    async (c, caller) => {
      const emoji = checkEmoji(c.req.param('emoji') ?? '');
      if (!emoji.ok) return answerRefusal(c, emoji);
      const reacted = await parts.messages.react(caller, c.req.param('id') ?? '', emoji.value, reacts);
      return answerStored(parts, c, caller, reacted);
    };
  return {
    '/api/message/:id/reaction/:emoji': {
      PUT: admit(parts.guard, { scope: 'react', limit: 'edit' }, react(true)),
      DELETE: admit(parts.guard, { scope: 'react', limit: 'edit' }, react(false)),
    },
  };
}
