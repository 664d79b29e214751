import type { MessageBook } from '../messages/message-book.ts';
import type { MessageReader } from '../messages/message-book-reader.ts';
import type { Paths } from './index.ts';
import { answerStored } from './messages.ts';
import { admit, type CallerHandler, type GuardParts } from './request/guard.ts';

export interface PinRouteParts {
  readonly guard: GuardParts;
  readonly book: Pick<MessageBook, 'pin'>;
  readonly reader: MessageReader;
}

/** What a room keeps in sight. */
export function pinPaths(parts: PinRouteParts): Paths {
  const pin =
    (pinned: boolean): CallerHandler =>
    async (c, caller) =>
      answerStored(parts, c, caller, await parts.book.pin(caller, c.req.param('id') ?? '', pinned));
  return {
    '/api/message/:id/pin': {
      PUT: admit(parts.guard, { scope: 'manage', limit: 'edit' }, pin(true)),
      DELETE: admit(parts.guard, { scope: 'manage', limit: 'edit' }, pin(false)),
    },
  };
}
