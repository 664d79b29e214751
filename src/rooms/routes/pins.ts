import type { MessageReader } from '../messages/reader.ts';
import type { MessageWriter } from '../messages/writer.ts';
import type { Paths } from './index.ts';
import { answerStored } from './messages.ts';
import { admit, type CallerHandler, type GuardParts } from './request/guard.ts';
import { param } from './request/query.ts';

export interface PinRouteParts {
  readonly guard: GuardParts;
  readonly messages: Pick<MessageWriter, 'pin'>;
  readonly reader: MessageReader;
}

/** The pinned messages of a room. */
export function pinPaths(parts: PinRouteParts): Paths {
  return {
    '/api/message/:id/pin': {
      PUT: admit(parts.guard, { scope: 'manage', limit: 'edit' }, pin(parts, true)),
      DELETE: admit(parts.guard, { scope: 'manage', limit: 'edit' }, pin(parts, false)),
    },
  };
}

function pin(parts: PinRouteParts, pinned: boolean): CallerHandler {
  return async (c, caller) => answerStored(parts, c, caller, await parts.messages.pin(caller, param(c, 'id'), pinned));
}
