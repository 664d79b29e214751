import type { StoredMessage } from '../domain/message/message.ts';
import type { IdBits } from './id-filter.ts';
import type { MessagePage, Removal, RoomStore, SearchHit, SearchPage, StoredState } from './store.ts';

/** A message as passed between threads; its JSON is parsed on first use. */
export type StoredText = Pick<StoredMessage, 'json' | 'contentHash'>;

export interface TextPage extends Omit<MessagePage, 'messages'> {
  readonly messages: readonly StoredText[];
}

export interface TextHits extends Omit<SearchPage, 'hits'> {
  readonly hits: readonly (Omit<SearchHit, 'stored'> & { readonly stored: StoredText })[];
}

/** A part of a removal. */
export type RemovalPart =
  | {
      readonly what: 'messages';
      readonly roomId: string;
      readonly ids: readonly string[];
      /** Their ids are remembered until then; ids whose time is before `now` are forgotten. */
      readonly until: number;
      readonly now: number;
    }
  /** Some messages or events of a room. */
  | { readonly what: 'part of room'; readonly roomId: string }
  /** The rest of a room, and the room. */
  | { readonly what: 'room'; readonly roomId: string }
  | { readonly what: 'files'; readonly ids: readonly string[] };

/** The result of a removal. */
export interface Removed extends Removal {
  /** Of a part of a room: whether there was anything. */
  readonly some: boolean;
  /** Of files: content hashes without references. */
  readonly hashes: readonly string[];
}

type Reads = Pick<
  RoomStore,
  | 'readEvents'
  | 'forgotten'
  | 'reacted'
  | 'edits'
  | 'unread'
  | 'run'
  | 'unfinishedRuns'
  | 'files'
  | 'roomsOfFile'
  | 'orphanedFiles'
  | 'usedContents'
  | 'audit'
  | 'expired'
>;

/**
 * Owns the tables. Arguments and results are plain data, so it may run in another thread. Calls begin in the order in
 * which they are made, and a write begins when the one before has ended. Reads wait for the end of a write, so that
 * they return only committed data. Writes reject with a StorageFullError when there is no space, with nothing written.
 */
export interface RoomEngine extends Reads {
  /** Commits a printed entry (store-entry.ts); resolves when it is as durable as requested at opening. */
  commit(payload: Uint8Array): Promise<void>;
  /** As durable as a commit. */
  remove(part: RemovalPart): Promise<Removed>;
  /** Resolves when there is space to write. */
  checkRoom(): Promise<void>;
  load(): Promise<StoredState>;
  messages(ids: Parameters<RoomStore['messages']>[0]): Promise<readonly StoredText[]>;
  page(query: Parameters<RoomStore['page']>[0]): Promise<TextPage>;
  search(query: Parameters<RoomStore['search']>[0]): Promise<TextHits>;
  /** A filter of the ids of all existing and remembered messages, with room for as many again. */
  idBits(): Promise<IdBits>;
  backup(file: string): Promise<void>;
  indexed(): Promise<void>;
  close(): Promise<void>;
}
