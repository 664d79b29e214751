/** The coding assistants whose logs are read. */
export const AGENTS = ['claude', 'codex', 'gemini'] as const;
export type AgentId = (typeof AGENTS)[number];

/**
 * One answer of a model, as an agent's log records it: numbers, model, time, project and ids, never text of a
 * conversation. `input + cacheWrite + cacheRead` is the whole prompt.
 */
export interface AgentEvent {
  /** Equal for the same answer in several files (resumed sessions, side chains); unique within the agent. */
  readonly key: string;
  /** Epoch milliseconds. */
  readonly at: number;
  readonly model: string;
  readonly project: string;
  readonly input: number;
  readonly output: number;
  readonly cacheWrite: number;
  /** The part of `cacheWrite` that stays for an hour, and costs more. */
  readonly cacheWriteHour: number;
  readonly cacheRead: number;
  /** Of two events with one key the one with the higher rank counts; the first among equals. */
  readonly rank: number;
}
