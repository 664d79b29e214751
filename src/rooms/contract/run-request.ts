import * as v from 'valibot';
import { MESSAGE_ID } from '../domain/message/message.ts';
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
