import type { RoomsClient } from '../../terminal/client.ts';

/** The server that is put to the test; it may be another process at another address from one moment to the next. */
export interface Target {
  /** Of the server as it runs now; waits while there is none. */
  client(): Promise<RoomsClient>;
  /** How often it was killed. */
  readonly kills: number;
  /** Begins to kill it, if that is what it is for: what has to be there before is there. */
  torment(): void;
  /** Stops killing it. */
  calm(): Promise<void>;
  /** What is wrong with what it leaves. */
  close(): Promise<readonly string[]>;
}

/** A server that somebody else runs. */
export function fixedTarget(client: RoomsClient): Target {
  return {
    kills: 0,
    client: async () => client,
    torment: () => {},
    calm: async () => {},
    close: async () => [],
  };
}
