import type { EnvironmentOptions } from './config/relay-options.ts';
import type { FlagStore } from './flag-store.ts';
import type { ConnectionStatus } from './status/connection-status.ts';

/** Receives the data and the connection status of a source. */
export interface DataSink {
  readonly store: FlagStore;
  readonly connection: ConnectionStatus;
}

/** Keeps the data of one environment up to date: from upstream, a file, an archive or a recording. */
export interface DataSource {
  /** Results are reported to the sink. Never throws: a failure is a state of the connection. */
  start(): void;
  /** Continues with other options of the same environment, for example another SDK key. */
  use(environment: EnvironmentOptions): void;
  /** Looks for data at once: reads its files again, or connects again if the key was refused. */
  refresh?(): void;
  /** Whether its data are in the persistent store; undefined without one. */
  readonly isSaved?: boolean;
  /** Reports nothing afterwards. Idempotent. */
  close(): Promise<void>;
}
