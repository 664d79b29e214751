import type { RoomsClient } from '../../terminal/client.ts';

/** The tested server; it may be replaced by another process at another address. */
export interface Target {
  /** Of the running server; waits while there is none. */
  client(): Promise<RoomsClient>;
  /** How often it was killed. */
  readonly kills: number;
  /** Starts killing it, once the rooms exist. */
  startKilling(): void;
  /** Stops killing it. */
  stopKilling(): Promise<void>;
  /** Ends it and returns the problems of its data. */
  close(): Promise<readonly string[]>;
}

/** A running server that is not killed. */
export function fixedTarget(client: RoomsClient): Target {
  return {
    kills: 0,
    client: async () => client,
    startKilling: () => {},
    stopKilling: async () => {},
    close: async () => [],
  };
}
