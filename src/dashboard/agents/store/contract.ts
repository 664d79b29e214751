import type { Part } from '../../../kernel/threads/calls.ts';
import type { AgentStatus } from '../../contract/agents.ts';
import type { AgentId } from '../event.ts';
import type { AgentSummary } from '../source.ts';

/** Epoch milliseconds, both ends included; undefined: open. */
export interface EventRange {
  readonly startAt?: number | undefined;
  readonly endAt?: number | undefined;
}

/** The last event of a page. */
export interface PageEnd {
  readonly at: number;
  readonly id: number;
}

export interface EventPage {
  /** Newest first, a line with the JSON text of each in the form of the live API; one text is copied faster than many. */
  readonly lines: string;
  /** Set if there may be more. */
  readonly next: PageEnd | undefined;
}

/** The status with its number, which grows with every change of the status. */
export interface NumberedStatus {
  readonly number: number;
  readonly status: AgentStatus;
}

/** What the thread answers. */
export interface AgentStoreMethods {
  /** Resolves at once if the status is newer than `seen`, otherwise when it changes. */
  status(seen: number): Promise<NumberedStatus>;
  page(agent: AgentId, range: EventRange, after: PageEnd | undefined): Promise<EventPage>;
  count(agent: AgentId, range: EventRange): Promise<number>;
  /** The earliest instant of events that have changed after a version. */
  changedFrom(agent: AgentId, version: number): Promise<number | undefined>;
  summary(agent: AgentId): Promise<AgentSummary>;
  /** Frees the memory of the files' states. Stored events are still answered, under the last status. */
  stopReading(): Promise<void>;
  close(): Promise<void>;
}

export type AgentStorePart = Part<AgentStoreMethods>;
