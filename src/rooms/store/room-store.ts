import type { AuditEntry, ReactionKey, Write } from '../domain/change.ts';
import type { Committed, EventDraft } from '../domain/event.ts';
import type { FileRef } from '../domain/file/file.ts';
import type { Edit, StoredMessage } from '../domain/message/message.ts';
import type { RecordChange } from '../domain/record.ts';
import type { RoomHead } from '../domain/room/room.ts';
import type { Run } from '../domain/run/run.ts';

/** Where rooms live on disk. Asynchronous, so that a database on another machine can stand behind it as well. */
export interface RoomStore {
  /** Resolves with the reason when it has failed for good: nothing is written or read any more. */
  readonly failed: Promise<unknown>;
  /** All records, and where the log stands. */
  load(): Promise<StoredState>;
  /**
   * Commits the writes as one transaction, in their order: gives each event the next position and each new message the
   * next sequence number of its room, and resolves when all of it is on disk. Rejects with nothing written: a
   * StorageFullError when there is no room, after which it may be tried again; any other error is final.
   */
  append(writes: readonly PreparedWrite[]): Promise<readonly (readonly Committed[])[]>;
  /** Resolves when there is room for something; rejects as append does. */
  checkRoom(): Promise<void>;
  /** Positions in `(after, upTo]`, ascending, at most `limit`. With `roomIds`, those of these rooms, and those without a room. */
  readEvents(query: EventQuery): Promise<readonly StoredEvent[]>;
  /** Those that exist, in no order. */
  messages(ids: readonly string[]): Promise<readonly StoredMessage[]>;
  forgotten(ids: readonly string[]): Promise<readonly string[]>;
  reacted(keys: readonly ReactionKey[]): Promise<readonly ReactionKey[]>;
  /** Ascending by sequence number. */
  page(query: PageQuery): Promise<MessagePage>;
  edits(messageId: string): Promise<readonly Edit[]>;
  /** How many messages of others, and how many that mention the user, follow a sequence number; at most `limit` each. */
  unread(query: UnreadQuery): Promise<{ readonly unread: number; readonly mentions: number }>;
  search(query: SearchQuery): Promise<SearchPage>;
  run(id: string): Promise<Run | undefined>;
  /** Those of an earlier process that have not ended. */
  unfinishedRuns(): Promise<readonly Run[]>;
  files(ids: readonly string[]): Promise<readonly FileRef[]>;
  /** The rooms in which a message refers to the file, and the last such message: who may read one of them may read it. */
  roomsOfFile(id: string): Promise<readonly { readonly roomId: string; readonly lastSeq: number }[]>;
  /** Uploaded before `before`, and of no message any more. */
  orphanedFiles(before: number): Promise<readonly FileRef[]>;
  /** Removes their rows; answers the content hashes that nobody refers to any more. */
  forgetFiles(ids: readonly string[]): Promise<readonly string[]>;
  audit(query: {
    readonly before?: number;
    readonly limit: number;
  }): Promise<readonly (AuditEntry & { readonly id: number })[]>;
  /** Ids of messages that retention would remove now, oldest first. */
  expired(query: RetentionQuery): Promise<readonly { readonly id: string; readonly seq: number }[]>;
  /** Removes messages and their events for good; remembers their ids until `rememberUntil`. */
  removeMessages(roomId: string, ids: readonly string[], rememberUntil: number): Promise<Removal>;
  /** With all its messages, events and runs. Its records are the caller's. */
  removeRoom(roomId: string): Promise<Removal>;
  /** Writes a copy that can be opened, into a file that does not exist yet. */
  backup(file: string): Promise<void>;
  /** Waits until what has been committed can be found by `search`. */
  indexed(): Promise<void>;
  close(): Promise<void>;
}

/** What is left after messages have been removed for good. */
export interface Removal {
  /** Of their room. `lastSeq` never goes back; with no message left, `firstSeq` is the next one's. */
  readonly head: RoomHead;
  /** The first position that the log still holds: it moves when the log's beginning is gone. */
  readonly firstPos: number;
}

/** A write whose events are printed as far as they can be before they have a place. */
export interface PreparedWrite extends Omit<Write, 'events'> {
  readonly events: readonly PreparedEvent[];
}

export interface PreparedEvent {
  readonly draft: EventDraft;
  /** As of contract/event.ts; `null` for `message.created`, whose sequence number the store gives. */
  readonly body: string | null;
}

/** There is no room left on the disk, or no more files may be opened. */
export class StorageFullError extends Error {
  override readonly name = 'StorageFullError';
}

export interface StoredState {
  /** Which life of the log it is: another one after a restore. 4 to 12 characters of `[a-z0-9]`. */
  readonly epoch: string;
  /** The last position; 0 before the first. */
  readonly pos: number;
  /** The first position that is kept; 1 unless some were removed. */
  readonly firstPos: number;
  readonly records: readonly RecordChange[];
  readonly heads: ReadonlyMap<string, RoomHead>;
}

export interface EventQuery {
  readonly after: number;
  readonly upTo: number;
  readonly limit: number;
  readonly roomIds?: readonly string[];
}

/** An event as it is read again: what a stream needs, without taking its data apart. */
export interface StoredEvent {
  readonly pos: number;
  readonly type: string;
  readonly roomId: string | null;
  readonly audience: string | null;
  /** Of a message's events, the message's; else 0. */
  readonly seq: number;
  /** As in Committed. */
  readonly data: string;
}

export interface PageQuery {
  readonly roomId: string;
  /** Exactly one of the three, or none: the last page. `around` is a sequence number. */
  readonly before?: number;
  readonly after?: number;
  readonly around?: number;
  readonly limit: number;
  /** Only what follows it may be seen. */
  readonly afterSeq?: number;
  /** Only the root and the replies of this thread. */
  readonly threadId?: string;
  readonly type?: string;
  readonly authorId?: string;
}

export interface MessagePage {
  readonly messages: readonly StoredMessage[];
  readonly hasBefore: boolean;
  readonly hasAfter: boolean;
}

export interface UnreadQuery {
  readonly roomId: string;
  readonly userId: string;
  readonly afterSeq: number;
  /** The last sequence number that counts; all of them unless given. */
  readonly upToSeq?: number;
  readonly limit: number;
}

/** A search, taken apart (domain/search-query.ts). Terms are folded by the index, as the texts are. */
export interface SearchQuery {
  /** Where may be looked; `afterSeq` hides what lies before somebody joined. */
  readonly rooms: readonly { readonly roomId: string; readonly afterSeq: number }[];
  readonly terms: readonly SearchTerm[];
  readonly authorId?: string;
  readonly type?: string;
  readonly has?: 'file' | 'link';
  /** Created in `[createdFrom, createdTo)`. */
  readonly createdFrom?: number;
  readonly createdTo?: number;
  readonly limit: number;
  /** Where the last page ended: the position of its last message's creation. */
  readonly next?: number;
}

export interface SearchTerm {
  /** One word, or the words of a phrase. */
  readonly words: readonly string[];
  /** The last word is the beginning of one. */
  readonly prefix: boolean;
  readonly not: boolean;
}

export interface SearchPage {
  /** The newest first. */
  readonly hits: readonly SearchHit[];
  /** `null` on the last page. */
  readonly next: number | null;
}

export interface SearchHit {
  readonly stored: StoredMessage;
  /** A part of the body. */
  readonly snippet: string;
  /** What was found in the snippet, as `[start, end)` in UTF-16 units. */
  readonly offsets: readonly (readonly [number, number])[];
}

export interface RetentionQuery {
  readonly roomId: string;
  /** Created before that. */
  readonly before: number | null;
  readonly maxMessages: number | null;
  /** Never removed. */
  readonly keep: readonly string[];
  readonly limit: number;
}
