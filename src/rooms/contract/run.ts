import * as v from 'valibot';
import { MESSAGE_ID } from '../domain/message/message.ts';
import type { Run } from '../domain/run/run.ts';
import { type Printed, printInstant, printInstantOrNull } from './instant.ts';
import { proseSchema } from './text.ts';

const messageId = v.nullish(v.pipe(v.string(), v.regex(MESSAGE_ID, 'must be the id of a message')));

/** The body of `POST /api/room/:id/copilot/run`; without prompt and message the last message of the room is answered. */
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
export type RunBody = v.InferInput<typeof runRequestSchema>;

/** A run on the wire. */
export type WireRun = Printed<Run, 'queuedAt' | 'startedAt' | 'finishedAt'>;

export function wireRun(run: Run): WireRun {
  const { queuedAt, startedAt, finishedAt, ...plain } = run;
  return {
    ...plain,
    queuedAt: printInstant(queuedAt),
    startedAt: printInstantOrNull(startedAt),
    finishedAt: printInstantOrNull(finishedAt),
  };
}

/** A piece of an answer. */
export interface WireDelta {
  readonly roomId: string;
  /** `null`: of a private run. */
  readonly messageId: string | null;
  readonly runId: string;
  /** The length of the text before it, in UTF-16 units. */
  readonly offset: number;
  readonly text: string;
}

export const printDelta = (delta: WireDelta): string => JSON.stringify(delta);

/** Sent to one user alone: why a question has no answer. */
export interface WireNote {
  readonly roomId: string;
  readonly messageId: string;
  readonly code: string;
  readonly text: string;
}

export const printNote = (note: WireNote): string => JSON.stringify(note);
