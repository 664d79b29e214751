export type RunState = 'queued' | 'running' | 'complete' | 'failed' | 'cancelled' | 'timed_out' | 'interrupted';

export interface RunUsage {
  readonly inputTokens: number;
  readonly outputTokens: number;
}

export interface RunError {
  readonly code: string;
  /** For users; without keys and headers. */
  readonly message: string;
}

/** One answer of a copilot, from the question to the end. */
export interface Run {
  readonly id: string;
  readonly roomId: string;
  readonly state: RunState;
  /** The message that asked; `null` for a direct request. */
  readonly triggerId: string | null;
  readonly startedBy: string;
  /** Beside or instead of the trigger. */
  readonly prompt: string | null;
  readonly threadId: string | null;
  /** Messages up to here are not shown to the model. */
  readonly sinceSeq?: number;
  /** The answer's message; `null` before it is placed, and for a private run. */
  readonly messageId: string | null;
  /** The only user who sees it. */
  readonly audience: string | null;
  readonly retryOf: string | null;
  /** 2: it was started again after its node was lost. */
  readonly attempt?: number;
  readonly provider: string;
  readonly model: string | null;
  /** Of a private or running run: the text so far. */
  readonly text: string | null;
  /** The messages that the model saw. */
  readonly saw: readonly { readonly messageId: string; readonly version: number }[];
  readonly finishReason: string | null;
  readonly usage: RunUsage | null;
  readonly error: RunError | null;
  readonly queuedAt: number;
  readonly startedAt: number | null;
  readonly finishedAt: number | null;
}
