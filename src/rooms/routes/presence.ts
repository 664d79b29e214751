import { printOnline } from '../contract/feed.ts';
import { findRoom } from '../domain/access.ts';
import type { Presence } from '../feed/presence.ts';
import { announceTyping, type TypingParts } from '../feed/typing.ts';
import { answerJson, answerOutcome } from './answer/answers.ts';
import type { Paths } from './index.ts';
import { admit, type GuardParts } from './request/guard.ts';

export interface PresenceParts extends TypingParts {
  readonly guard: GuardParts;
  /** `undefined`: nobody is told who is there. */
  readonly presence: Presence | undefined;
}

/** Who is in a room now, and who writes. */
export function presencePaths(parts: PresenceParts): Paths {
  const { guard, state, presence } = parts;
  return {
    '/api/room/:id/typing': {
      POST: admit(guard, { scope: 'write', limit: 'typing' }, (c, caller) =>
        answerOutcome(c, announceTyping(parts, caller, c.req.param('id') ?? ''), () => c.body(null, 204)),
      ),
    },
    '/api/room/:id/presence': {
      GET: admit(guard, { scope: 'read' }, (c, caller) =>
        answerOutcome(c, findRoom(state, caller, c.req.param('id') ?? ''), ({ room }) =>
          answerJson(c, printOnline(presence?.online(room.id) ?? [])),
        ),
      ),
    },
  };
}
