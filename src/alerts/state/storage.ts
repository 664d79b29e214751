import type { Clock } from '../../kernel/clock.ts';
import type { Conditions } from '../../kernel/conditions.ts';
import type { Claims } from '../pipeline/claims.ts';
import type { TimerStorage } from '../pipeline/group-timers.ts';
import type { NotificationStorage } from '../pipeline/notification/storage.ts';
import type { SilenceStorage } from '../silences/storage.ts';
import type { AlertStorage } from '../store/storage.ts';
import type { AlertState } from './alert-state.ts';
import type { Nodes } from './nodes.ts';

/** Where the server keeps its state: the data directory, or the database of several nodes. */
export interface AlertServerStorage {
  readonly silences: SilenceStorage;
  readonly alerts: AlertStorage;
  readonly timers: TimerStorage;
  readonly notifications: NotificationStorage;
  /** What cannot be stored at present. */
  readonly conditions: Conditions;
  /** Undefined: this node is the only one. */
  readonly claims?: Claims;
  /** Commits what was written in this turn. */
  commit(): void;
}

/** An open storage. */
export interface OpenStorage {
  readonly storage: AlertServerStorage;
  /** The time of the server: that of the machine, or of the database, so that all nodes agree. */
  readonly clock: Clock;
  /** Undefined: this node is the only one. */
  readonly nodes: Nodes | undefined;
  /** Fills the state, and keeps it up to date where other nodes change it. */
  load(state: AlertState): Promise<void>;
  /** Closes it; everything must be written. */
  close(): Promise<void>;
}
