import type { DataDirectory } from '../../kernel/storage/data-directory.ts';
import type { ThreadProgram } from '../../kernel/threads/thread.ts';
import type { RoomEngine } from './engine.ts';
import { EngineRoomStore } from './engine-store.ts';
import { startRoomEngine } from './engine-thread.ts';
import { openSqliteRoomEngine, type RoomEngineOptions } from './sqlite/open.ts';
import type { RoomStore } from './store.ts';

export interface RoomStoreOptions extends RoomEngineOptions {
  readonly directory: DataDirectory;
  /** The engine runs in a thread of its own. Without it, in this thread. */
  readonly threadProgram?: ThreadProgram | undefined;
}

/** An engine, and the state of its thread. */
export interface OpenEngine {
  readonly engine: RoomEngine;
  /** Resolves with the reason when it ended on its own. */
  readonly died: Promise<unknown>;
  /** After its close. */
  end(): Promise<void>;
}

/** Opens or creates `rooms.sqlite`; fails with a CommandError. */
export async function openRoomStore(options: RoomStoreOptions): Promise<RoomStore> {
  return openRoomStoreOn(await openEngine(options), options);
}

/** The same, on an open engine. */
export async function openRoomStoreOn(
  opened: OpenEngine,
  { clock, log }: Pick<RoomStoreOptions, 'clock' | 'log'>,
): Promise<RoomStore> {
  const { engine } = opened;
  try {
    return new EngineRoomStore({ ...opened, clock, log }, await engine.load());
  } catch (error) {
    await engine.close().catch(() => {});
    await opened.end();
    throw error;
  }
}

async function openEngine({ threadProgram, ...options }: RoomStoreOptions): Promise<OpenEngine> {
  if (threadProgram === undefined)
    return { engine: await openSqliteRoomEngine(options), died: new Promise(() => {}), end: async () => {} };
  const { directory, durability, log } = options;
  const { methods, died, end } = startRoomEngine(threadProgram, { path: directory.path, durability }, log);
  return { engine: methods, died, end };
}
