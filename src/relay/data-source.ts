import type { FlagStore } from './flag-store.ts';
import type { ConnectionStatus } from './status/connection-status.ts';

/** Where a data source puts what it learns. */
export interface DataSink {
  readonly store: FlagStore;
  readonly connection: ConnectionStatus;
}

/** Keeps the data of one environment up to date: from upstream, a file, an archive or a recording. */
export interface DataSource {
  /** Begins; what follows is told through the sink. Never throws: a failure is a state of the connection. */
  start(): void;
  /** Ends, and tells nothing any more. Idempotent. */
  close(): Promise<void>;
}
