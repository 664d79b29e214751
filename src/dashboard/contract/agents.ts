import type { AgentId } from '../agents/event.ts';

/** What was read of the logs of coding assistants: GET /api/agents. */
export interface AgentStatus {
  /** Grows with every change of the events. */
  readonly version: number;
  /** Set during the first reading. */
  readonly reading?: AgentReading | undefined;
  /** Why nothing new is stored at present, for instance a full disk. */
  readonly problem?: string | undefined;
  readonly agents: readonly AgentReport[];
  /** Models without a price: their requests have tokens, but no cost. */
  readonly unknownModels: readonly string[];
  readonly prices: {
    /** The date of the price table, `YYYY-MM-DD`; null: a file without one. */
    readonly asOf: string | null;
  };
}

export interface AgentReading {
  readonly bytes: number;
  readonly totalBytes: number;
  /** Files that were read. */
  readonly files: number;
}

export interface AgentReport {
  readonly agent: AgentId;
  readonly files: number;
  readonly bytes: number;
  readonly events: number;
  /** Lines and files that were left out, by reason. */
  readonly skipped: Readonly<Record<string, number>>;
  /** The folders that were searched, with the number of logs in each. */
  readonly folders: readonly { readonly path: string; readonly files: number }[];
}

/** The data of a server-sent event of GET /api/agents/changes. */
export interface AgentChange {
  readonly version: number;
  readonly reading?: AgentReading | undefined;
}
