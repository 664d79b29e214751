import type { Json } from '../domain/json.ts';

/** Keeps the last configuration for a start while LaunchDarkly cannot be reached. */
export interface ConfigurationMemory {
  /** Undefined without a kept configuration. Rejects if it cannot be read. */
  read(): Promise<unknown>;
  /** Keeps the result of the last call; failures are logged and tried again. */
  keep(json: () => Json): void;
  /** Resolves when everything is kept, or has failed. Idempotent. */
  close(): Promise<void>;
}
