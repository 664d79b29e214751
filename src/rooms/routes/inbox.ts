import type { Inbox } from '../messages/inbox.ts';
import { answerJson } from './answer/answers.ts';
import type { Paths } from './index.ts';
import { admit, type GuardParts } from './request/guard.ts';

export interface InboxRouteParts {
  readonly guard: GuardParts;
  readonly inbox: Inbox;
}

/** `/api/inbox`: the caller's unread mentions and threads in all rooms. */
export const inboxPaths = ({ guard, inbox }: InboxRouteParts): Paths => ({
  '/api/inbox': {
    GET: admit(guard, { scope: 'read', limit: 'search' }, async (c, caller) =>
      answerJson(c, await inbox.print(caller)),
    ),
  },
});
