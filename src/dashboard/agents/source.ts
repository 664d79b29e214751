import type { AgentStatus } from '../contract/agents.ts';
import type { AgentId } from './event.ts';

/** Epoch milliseconds, both ends included; undefined: open. */
export interface AgentRange {
  readonly startAt?: number | undefined;
  readonly endAt?: number | undefined;
}

/** This month in the form of upstream's usage summary: instants in ISO 8601, the end excluded, and cents. */
export interface AgentSummary {
  readonly billingCycleStart: string;
  readonly billingCycleEnd: string;
  readonly individualUsage: { readonly overall: { readonly used: number; readonly limit: null } };
}

/** What assistants have left on this machine, as routes and report need it. */
export interface AgentSource {
  /** Grows with every change of the events. */
  readonly version: number;
  /** In the live API's form, newest first, each as its JSON text; in parts. */
  events(agent: AgentId, range: AgentRange, signal?: AbortSignal): AsyncIterable<readonly string[]>;
  count(agent: AgentId, range: AgentRange): Promise<number>;
  /** The earliest instant of the events that were added or replaced after a version; undefined: none. */
  changedFrom(agent: AgentId, version: number): Promise<number | undefined>;
  summary(agent: AgentId): Promise<AgentSummary>;
  status(): AgentStatus;
  onChange(listener: (version: number) => void): () => void;
  /** Resolves when all logs have been read once; rejects if this is closed before. */
  firstReading(): Promise<void>;
  close(): Promise<void>;
}
