import type { MessageReader } from '../messages/reader.ts';
import type { MessageWriter } from '../messages/writer.ts';
import type { Paths } from './index.ts';
import { answerStored } from './messages.ts';
import { admit, type CallerHandler, type GuardParts } from './request/guard.ts';

export interface PinRouteParts {
  readonly guard: GuardParts;
  readonly messages: Pick<MessageWriter, 'pin'>;
  readonly reader: MessageReader;
}

/** What a room keeps in sight. */
export function pinPaths(parts: PinRouteParts): Paths {
  const pin =
    (pinned: boolean): CallerHandler =>
    async (c, caller) =>
      answerStored(parts, c, caller, await parts.messages.pin(caller, c.req.param('id') ?? '', pinned));
  return {
    '/api/message/:id/pin': {
      PUT: admit(parts.guard, { scope: 'manage', limit: 'edit' }, pin(true)),
      DELETE: admit(parts.guard, { scope: 'manage', limit: 'edit' }, pin(false)),
    },
  };
}
