export type RunState = 'queued' | 'running' | 'complete' | 'failed' | 'cancelled' | 'timed_out' | 'interrupted';

export interface RunUsage {
  readonly inputTokens: number;
  readonly outputTokens: number;
}

export interface RunError {
  readonly code: string;
  /** For people; without keys and headers. */
  readonly message: string;
}

/** One answer of a copilot, from the question to the end. */
export interface Run {
  readonly id: string;
  readonly roomId: string;
  readonly state: RunState;
  /** The message that asked for it; `null` when a person asked otherwise. */
  readonly triggerId: string | null;
  readonly startedBy: string;
  /** Beside or instead of the trigger. */
  readonly prompt: string | null;
  readonly threadId: string | null;
  /** What was said up to there it is not shown. */
  readonly sinceSeq?: number;
  /** The message that it writes; `null` before it is placed, and of a private run. */
  readonly messageId: string | null;
  /** The only one who sees it. */
  readonly audience: string | null;
  readonly retryOf: string | null;
  readonly provider: string;
  readonly model: string | null;
  /** Of a private run, and of one that is under way: the text so far. */
  readonly text: string | null;
  /** What the model saw. */
  readonly saw: readonly { readonly messageId: string; readonly version: number }[];
  readonly finishReason: string | null;
  readonly usage: RunUsage | null;
  readonly error: RunError | null;
  readonly queuedAt: number;
  readonly startedAt: number | null;
  readonly finishedAt: number | null;
}
