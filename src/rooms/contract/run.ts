import * as v from 'valibot';
import { MESSAGE_ID } from '../domain/message/message.ts';
import type { Run } from '../domain/run/run.ts';
import { printInstant, printInstantOrNull } from './instant.ts';
import { proseSchema } from './text.ts';

const messageId = v.nullish(v.pipe(v.string(), v.regex(MESSAGE_ID, 'must be the id of a message')));

/** The body of `POST /api/room/:id/copilot/run`. Without prompt and message it is about the room's last message. */
export const runRequestSchema = v.strictObject({
  prompt: v.nullish(
    v.pipe(
      proseSchema(16_000),
      v.check((text) => text.trim() !== '', 'must not be empty'),
    ),
  ),
  threadId: messageId,
  messageId,
  private: v.optional(v.boolean(), false),
});
export type RunRequest = v.InferOutput<typeof runRequestSchema>;

/** A run on the wire. */
export function wireRun(run: Run): object {
  const { queuedAt, startedAt, finishedAt, ...plain } = run;
  return {
    ...plain,
    queuedAt: printInstant(queuedAt),
    startedAt: printInstantOrNull(startedAt),
    finishedAt: printInstantOrNull(finishedAt),
  };
}

/** A piece of an answer: `offset` is the length of the text before it, in UTF-16 units. Of a private run `messageId` is null. */
export function printDelta(delta: {
  readonly roomId: string;
  readonly messageId: string | null;
  readonly runId: string;
  readonly offset: number;
  readonly text: string;
}): string {
  return JSON.stringify(delta);
}

/** What is told to one person alone: why his question has no answer. */
export function printNote(note: {
  readonly roomId: string;
  readonly messageId: string;
  readonly code: string;
  readonly text: string;
}): string {
  return JSON.stringify(note);
}
