import type { Tickets } from '../authentication/tickets.ts';
import type { FileContents } from '../files/contents/contents.ts';
import type { RoomState } from '../room/state.ts';
import type { Jobs } from './jobs.ts';
import type { Signals } from './signals.ts';

/** What a server shares with the other nodes on its database, beside the store. */
export interface RoomNodes {
  /** While PostgreSQL is away: since when, in epoch milliseconds, and why. */
  readonly away: { readonly since: number; readonly reason: string } | undefined;
  /** Why PostgreSQL may lose what was acknowledged, and the remedy. */
  readonly weakness: string | undefined;
  /** How often the log was not dense; any but 0 is a fault. */
  readonly violations: number;
  /** Of stored secrets, the same on all nodes. */
  readonly secretKey: string;
  readonly jobs: Jobs;
  readonly signals: Signals;
  readonly contents: FileContents;
  openTickets(state: RoomState): Tickets;
  /** Begins to follow the other nodes, when the store has been loaded. */
  start(): void;
  /** Calls `listener` when PostgreSQL goes away or is back. */
  subscribe(listener: () => void): void;
}
