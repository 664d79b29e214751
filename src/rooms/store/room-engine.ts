import type { StoredMessage } from '../domain/message/message.ts';
import type { IdBits } from './id-filter.ts';
import type { MessagePage, Removal, RoomStore, SearchHit, SearchPage, StoredState } from './room-store.ts';

/** A message as it is handed from one thread to another: whoever looks into it takes it apart. */
export type StoredText = Pick<StoredMessage, 'json' | 'contentHash'>;

export interface TextPage extends Omit<MessagePage, 'messages'> {
  readonly messages: readonly StoredText[];
}

export interface TextHits extends Omit<SearchPage, 'hits'> {
  readonly hits: readonly (Omit<SearchHit, 'stored'> & { readonly stored: StoredText })[];
}

/** What is removed for good at a time. */
export type RemovalPart =
  | {
      readonly what: 'messages';
      readonly roomId: string;
      readonly ids: readonly string[];
      /** Their ids are remembered until then; those whose time has come before `now` are not any more. */
      readonly until: number;
      readonly now: number;
    }
  /** Some of a room's messages or events. */
  | { readonly what: 'part of room'; readonly roomId: string }
  /** What is left of a room, and the room. */
  | { readonly what: 'room'; readonly roomId: string }
  | { readonly what: 'files'; readonly ids: readonly string[] };

/** What a removal has come to. */
export interface Removed extends Removal {
  /** Of a part of a room: there was something. */
  readonly some: boolean;
  /** Of files: content hashes that nobody refers to any more. */
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
  | 'audit'
  | 'expired'
>;

/**
 * Keeps the tables, and answers from them. Arguments and answers are plain data: it may live in another thread. Calls are
 * begun in the order in which they come, and one that writes comes when the one before has ended. Nobody reads what may
 * still be lost: reads wait for the end of a write. Writes reject with a StorageFullError when there is no room, with
 * nothing written.
 */
export interface RoomEngine extends Reads {
  /** Commits what store-entry.ts has printed; resolves when it is as durable as was asked for at the opening. */
  commit(payload: Uint8Array): Promise<void>;
  /** As durable as a commit. */
  remove(part: RemovalPart): Promise<Removed>;
  /** Resolves when there is room for something. */
  checkRoom(): Promise<void>;
  load(): Promise<StoredState>;
  messages(ids: Parameters<RoomStore['messages']>[0]): Promise<readonly StoredText[]>;
  page(query: Parameters<RoomStore['page']>[0]): Promise<TextPage>;
  search(query: Parameters<RoomStore['search']>[0]): Promise<TextHits>;
  /** A filter of the ids of all messages, those that are remembered among them, with room for as many again. */
  idBits(): Promise<IdBits>;
  backup(file: string): Promise<void>;
  indexed(): Promise<void>;
  close(): Promise<void>;
}
