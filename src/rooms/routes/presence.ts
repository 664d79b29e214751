import { printOnline } from '../contract/feed.ts';
import { findRoom } from '../domain/access.ts';
import type { Presence } from '../feed/presence.ts';
import { announceTyping, type TypingParts } from '../feed/typing.ts';
import { answerJson, answerOutcome } from './answer/answers.ts';
import type { Paths } from './index.ts';
import { admit, type CallerHandler, type GuardParts } from './request/guard.ts';
import { param } from './request/query.ts';

export interface PresenceParts extends TypingParts {
  readonly guard: GuardParts;
  /** `undefined`: presence is off. */
  readonly presence: Presence | undefined;
}

/** Users that are online in a room, and users that type. */
export function presencePaths(parts: PresenceParts): Paths {
  const { guard } = parts;
  return {
    '/api/room/:id/typing': { POST: admit(guard, { scope: 'write', limit: 'typing' }, postTyping(parts)) },
    '/api/room/:id/presence': { GET: admit(guard, { scope: 'read' }, getPresence(parts)) },
  };
}

function postTyping(parts: PresenceParts): CallerHandler {
  return (c, caller) => answerOutcome(c, announceTyping(parts, caller, param(c, 'id')), () => c.body(null, 204));
}

function getPresence({ state, presence }: PresenceParts): CallerHandler {
  return (c, caller) =>
    answerOutcome(c, findRoom(state, caller, param(c, 'id')), ({ room }) =>
      answerJson(c, printOnline(presence?.online(room.id) ?? [])),
    );
}
