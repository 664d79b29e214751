import type { AuditEntry, Fence, ReactionKey, Write } from '../domain/change.ts';
import type { Committed, EventDraft } from '../domain/event.ts';
import type { FileRef } from '../domain/file/file.ts';
import type { Edit, StoredMessage } from '../domain/message/message.ts';
import type { RecordChange } from '../domain/record.ts';
import type { RoomHead } from '../domain/room/room.ts';
import type { Run } from '../domain/run/run.ts';

/** The storage of rooms: of this server alone, or of all nodes that share a database. */
export interface RoomStore {
  /** Resolves with the reason when it has failed for good: no more reads or writes. */
  readonly failed: Promise<unknown>;
  /** Grows with what followers have been given: the state on which decisions are made now. */
  readonly version: number;
  /** All records, and the state of the log. */
  load(): Promise<StoredState>;
  /** Calls the follower at each commit, of every node, in the log's order. To be called in the turn in which `load` resolves. */
  follow(follower: (commit: Commit) => void): void;
  /** Resolves when the followers have been given what was committed on any node before this call. */
  catchUp(): Promise<void>;
  /** As catchUp, but rejects with a StorageAwayError; absent where there are no other nodes. */
  refresh?(): Promise<void>;
  /** Resolves when an append would wait little for those of other nodes; absent where there are no other nodes. */
  turn?(): Promise<void>;
  /**
   * Commits the writes as one transaction, in order: gives each event the next position and each new message the next
   * sequence number of its room, and resolves when all of it is on disk and the followers have been given it. `version`: the
   * state on which the writes were decided; the last one by default. Rejects with nothing written: with a BehindError when
   * another node has changed that state, with a FencedError when one of the leases was lost, with a StorageFullError when there is
   * no space, after which it may be retried, or with a StatementError. After a StorageAwayError it may have been written; any other error is final.
   */
  append(
    writes: readonly PreparedWrite[],
    version?: number,
    fences?: readonly Fence[],
  ): Promise<readonly (readonly Committed[])[]>;
  /** Resolves when there is space to write; rejects as append does. */
  checkRoom(): Promise<void>;
  /** Positions in `(after, upTo]`, ascending, at most `limit`. With `roomIds`, those of these rooms, and those without a room. */
  readEvents(query: EventQuery): Promise<readonly StoredEvent[]>;
  /** The existing ones, in no particular order. */
  messages(ids: readonly string[]): Promise<readonly StoredMessage[]>;
  forgotten(ids: readonly string[]): Promise<readonly string[]>;
  reacted(keys: readonly ReactionKey[]): Promise<readonly ReactionKey[]>;
  /** Ascending by sequence number. */
  page(query: PageQuery): Promise<MessagePage>;
  edits(messageId: string): Promise<readonly Edit[]>;
  /** Messages of others after a sequence number, and those that mention the user; each counted to `limit`. */
  unread(query: UnreadQuery): Promise<{ readonly unread: number; readonly mentions: number }>;
  search(query: SearchQuery): Promise<SearchPage>;
  run(id: string): Promise<Run | undefined>;
  /** Unfinished runs of an earlier process, or of lost nodes. */
  unfinishedRuns(): Promise<readonly Run[]>;
  files(ids: readonly string[]): Promise<readonly FileRef[]>;
  /**
   * The rooms with a message that refers to the file, and the last such message: who may read one of them may read the
   * file.
   */
  roomsOfFile(id: string): Promise<readonly { readonly roomId: string; readonly lastSeq: number }[]>;
  /** Uploaded before `before`, and without a message. */
  orphanedFiles(before: number): Promise<readonly FileRef[]>;
  /** Removes their rows; returns content hashes without references. */
  forgetFiles(ids: readonly string[]): Promise<readonly string[]>;
  /** Those of the content hashes that a file has. */
  usedContents(hashes: readonly string[]): Promise<readonly string[]>;
  audit(query: {
    readonly before?: number;
    readonly limit: number;
  }): Promise<readonly (AuditEntry & { readonly id: number })[]>;
  /** Ids of messages that retention would remove now, oldest first. */
  expired(query: RetentionQuery): Promise<readonly { readonly id: string; readonly seq: number }[]>;
  /** Removes messages and their events for good; remembers their ids until `rememberUntil`. */
  removeMessages(roomId: string, ids: readonly string[], rememberUntil: number): Promise<Removal>;
  /** With all its messages, events and runs. Its records are removed by the caller. */
  removeRoom(roomId: string): Promise<Removal>;
  /** Forgets what is of no use any more; to be called now and then, by one node. */
  prune(): Promise<void>;
  /** Writes a copy that can be opened, into a new file. */
  backup(file: string): Promise<void>;
  /** Resolves when all committed messages can be found by `search`. */
  indexed(): Promise<void>;
  close(): Promise<void>;
}

/** What changed with one commit, or with several that were read together. */
export interface Commit {
  /** Written through this store. */
  readonly isOwn: boolean;
  readonly events: readonly Committed[];
  readonly records: readonly RecordChange[];
  /** Messages or events were removed from the log, or a deleted text was. */
  readonly removal?: { readonly heads: ReadonlyMap<string, RoomHead>; readonly firstPos: number };
  /** Nothing known before holds: the log is another one, or too much was missed. */
  readonly restart?: StoredState;
}

/** Another node has committed something on which the writes may depend: they are to be decided again. */
export class BehindError extends Error {
  override readonly name = 'BehindError';
}

/** PostgreSQL refused a statement: it did nothing, and others may succeed. The store has logged the reason. */
export class StatementError extends Error {
  override readonly name = 'StatementError';
}

/** Leases under which something was to be written belong to others. */
export class FencedError extends Error {
  override readonly name = 'FencedError';
  /** Ids of the lost leases. */
  readonly lost: readonly string[];

  constructor(lost: readonly string[]) {
    super('a lease was lost');
    this.lost = lost;
  }
}

/** The remaining range after messages were purged. */
export interface Removal {
  /** Of their room. `lastSeq` never decreases; without messages, `firstSeq` is that of the next one. */
  readonly head: RoomHead;
  /** The first position of the log, which moves when its beginning is removed. */
  readonly firstPos: number;
}

/** A write with its events printed as far as possible without positions. */
export interface PreparedWrite extends Omit<Write, 'events'> {
  readonly events: readonly PreparedEvent[];
}

export interface PreparedEvent {
  readonly draft: EventDraft;
  /** As in contract/event.ts; `null` for `message.created`, whose sequence number the store assigns. */
  readonly body: string | null;
}

/** No space left on the disk, or no file descriptors. */
export class StorageFullError extends Error {
  override readonly name = 'StorageFullError';
}

export interface LogState {
  /** Identifies the log; changes after a restore. 4 to 12 characters of `[a-z0-9]`. */
  readonly epoch: string;
  /** The last position; 0 before the first. */
  readonly pos: number;
  /** The first position; 1 unless some were removed. */
  readonly firstPos: number;
}

export interface StoredState extends LogState {
  readonly records: readonly RecordChange[];
  readonly heads: ReadonlyMap<string, RoomHead>;
}

export interface EventQuery {
  readonly after: number;
  readonly upTo: number;
  readonly limit: number;
  readonly roomIds?: readonly string[];
}

/** A stored event: what a stream needs, without parsing its data. */
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
  /** At most one of the three; without one, the last page. `around` is a sequence number. */
  readonly before?: number;
  readonly after?: number;
  readonly around?: number;
  readonly limit: number;
  /** Only later messages are visible. */
  readonly afterSeq?: number;
  /** Only the root and the replies of this thread. */
  readonly threadId?: string;
  readonly type?: string;
  readonly authorId?: string;
  /** Only messages that mention this user or everybody, or belong to a thread in which the user has written. */
  readonly concerns?: string;
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
  /** The last sequence number that counts; all by default. */
  readonly upToSeq?: number;
  readonly limit: number;
}

/** A parsed search (domain/search-query.ts). The index folds terms as it folds texts. */
export interface SearchQuery {
  /** The rooms to search; `afterSeq` hides earlier messages. */
  readonly rooms: readonly { readonly roomId: string; readonly afterSeq: number }[];
  readonly terms: readonly SearchTerm[];
  readonly authorId?: string;
  readonly type?: string;
  readonly has?: 'file' | 'link';
  /** Created in `[createdFrom, createdTo)`. */
  readonly createdFrom?: number;
  readonly createdTo?: number;
  readonly limit: number;
  /** The end of the previous page: the position of its last message's creation. */
  readonly next?: number;
}

export interface SearchTerm {
  /** One word, or the words of a phrase. */
  readonly words: readonly string[];
  /** The last word is a prefix. */
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
  /** The matches in the snippet, as `[start, end)` in UTF-16 units. */
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

/** The record changes of all writes, in order. */
export function recordsOf(writes: readonly PreparedWrite[]): readonly RecordChange[] {
  return writes.flatMap(({ records = [] }) => records);
}
