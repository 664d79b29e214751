import type { Decision, Write } from '../change.ts';
import type { Committed } from '../event.ts';
import type { Message, StoredMessage } from './message.ts';

/** The result of a decision about a message: unchanged, or in an event. */
export type MessageOutcome = StoredMessage | { readonly committed: Committed; readonly contentHash: string };

/** Nothing to write. */
export function unchanged(stored: StoredMessage): Extract<Decision<MessageOutcome>, { ok: true }> {
  return { ok: true, write: null, answer: () => stored };
}

/** Writes; the result is the message in the event at `index` of the write's events. */
export function changed(write: Write, contentHash: string, index = 0): Extract<Decision<MessageOutcome>, { ok: true }> {
  return {
    ok: true,
    write,
    answer(events) {
      const committed = events[index];
      if (!committed) throw new Error(`the commit has no event ${index} of ${write.events?.length}`);
      return { committed, contentHash };
    },
  };
}

/** The next version of a message. */
export function nextVersion(message: Message, now: number, changes: Partial<Message>): Message {
  return { ...message, ...changes, version: message.version + 1, updatedAt: now };
}
