import type { DataDirectory } from '../../kernel/data-directory.ts';
import { CommandError, messageOf } from '../../kernel/errors.ts';
import { type Journal, openJournal } from '../../kernel/journal.ts';
import { listJournal } from '../../kernel/journal-opening.ts';
import type { JournalRecord } from '../../kernel/journal-record.ts';
import { JournaledRoomStore } from './journaled-room-store.ts';
import type { RoomEngine } from './room-engine.ts';
import { startRoomEngine } from './room-engine-thread.ts';
import type { RoomStore } from './room-store.ts';
import { openSqliteRoomEngine, type RoomEngineOptions } from './sqlite-room-engine.ts';

export interface RoomStoreOptions extends RoomEngineOptions {
  readonly directory: DataDirectory;
  /** `off`: what is acknowledged outlives the process, not the loss of power. */
  readonly durability: 'full' | 'off';
  /** The executable: the engine gets a thread of its own. Without it, it shares this one. */
  readonly threadFile?: string | undefined;
}

export const JOURNAL_NAME = 'rooms.journal';

/** Whether a data directory holds what its database may lack. */
export const hasJournal = (path: string): boolean => listJournal({ path, name: JOURNAL_NAME }).length > 0;

/** An engine, and what is to be known of where it works. */
export interface OpenEngine {
  readonly engine: RoomEngine;
  /** Resolves with the reason when it has ended without having been asked to. */
  readonly died: Promise<unknown>;
  /** After its close. */
  end(): Promise<void>;
}

/** Opens, or makes, `rooms.sqlite` and the journal beside it; a CommandError says why it cannot. */
export async function openRoomStore(options: RoomStoreOptions): Promise<RoomStore> {
  return openRoomStoreOn(await openEngine(options), options);
}

/** The same, on an engine that is open. */
export async function openRoomStoreOn(opened: OpenEngine, options: RoomStoreOptions): Promise<RoomStore> {
  const { engine } = opened;
  const { directory, durability, clock, log } = options;
  let journal: Journal | undefined;
  try {
    const { epoch, applied } = await engine.standing();
    const place = { path: directory.path, name: JOURNAL_NAME, id: epoch, after: applied };
    const found = openJournal({ ...place, durability: durability === 'full' ? 'disk' : 'system' });
    journal = found.journal;
    await replay(engine, found.records);
    return new JournaledRoomStore({ ...opened, journal, clock, log }, await engine.load());
  } catch (error) {
    await journal?.close(false);
    await engine.close().catch(() => {});
    await opened.end();
    throw error;
  }
}

async function openEngine({ threadFile, ...options }: RoomStoreOptions): Promise<OpenEngine> {
  if (threadFile === undefined)
    return { engine: await openSqliteRoomEngine(options), died: new Promise(() => {}), end: async () => {} };
  const { methods, died, end } = startRoomEngine(threadFile, options.directory.path, options.log);
  return { engine: methods, died, end };
}

async function replay(engine: RoomEngine, records: readonly JournalRecord[]): Promise<void> {
  if (records.length === 0) return;
  try {
    await engine.apply(records);
  } catch (error) {
    const why = messageOf(error);
    throw new CommandError(`what ${JOURNAL_NAME} holds cannot be put into rooms.sqlite: ${why}`, undefined, {
      cause: error,
    });
  }
}
