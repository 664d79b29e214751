import { resolve } from 'node:path';
import type { Clock } from '../../kernel/clock.ts';
import type { Log } from '../../kernel/log.ts';
import { ownDataDirectory } from '../../kernel/storage/data-directory.ts';
import { ownProgram } from '../../kernel/threads/thread.ts';
import type { RoomsOptions } from '../config/rooms-options.ts';
import type { RoomNodes } from '../nodes/nodes.ts';
import { openRoomStore } from '../store/open.ts';
import type { RoomStore } from '../store/store.ts';

/** Where rooms lie: in a data directory, or in the database of several nodes. */
export interface OpenStorage {
  readonly kind: 'sqlite' | 'postgres';
  readonly store: RoomStore;
  readonly nodes?: RoomNodes;
  /** The one of the rooms. */
  readonly clock: Clock;
  /** The data directory; of nodes, which have none, that of temporary files. */
  readonly dataDir: string;
  /** Also of the store. */
  close(): Promise<void>;
}

/** A CommandError says why it cannot be opened. */
export async function openStorage(options: RoomsOptions, clock: Clock, log: Log): Promise<OpenStorage> {
  const { storageUrl, dataDir, durability } = options;
  if (storageUrl !== undefined) {
    const { openNode } = await import('../nodes/open.ts');
    return openNode({ ...options, storageUrl }, clock, log);
  }
  const directory = await ownDataDirectory(resolve(dataDir), clock, (message) => log.warn(message));
  try {
    const store = await openRoomStore({ directory, clock, durability, log, threadProgram: ownProgram?.() });
    const close = async () => {
      await store.close();
      directory.release();
    };
    return { kind: 'sqlite', store, clock, dataDir, close };
  } catch (error) {
    directory.release();
    throw error;
  }
}
