import type { Clock } from '../../kernel/clock.ts';
import { messageOf, systemCodeOf } from '../../kernel/errors.ts';
import type { Journal } from '../../kernel/journal.ts';
import type { Log } from '../../kernel/log.ts';
import { readMessage } from '../contract/message.ts';
import type { ReactionKey } from '../domain/change.ts';
import type { Committed } from '../domain/event.ts';
import type { Message, StoredMessage } from '../domain/message.ts';
import { ApplyQueue } from './apply-queue.ts';
import { KnownIds } from './known-ids.ts';
import type { RemovalPart, Removed, RoomEngine, StoredText } from './room-engine.ts';
import { type Placed, placeWrites, type Standing } from './room-placement.ts';
import {
  type EventQuery,
  type MessagePage,
  type PageQuery,
  type PreparedWrite,
  type Removal,
  type RetentionQuery,
  type RoomStore,
  type SearchPage,
  type SearchQuery,
  StorageFullError,
  type StoredEvent,
  type StoredState,
  type UnreadQuery,
} from './room-store.ts';
import { printRemoval } from './store-entry.ts';

export interface JournaledStoreParts {
  readonly journal: Journal;
  readonly engine: RoomEngine;
  readonly clock: Clock;
  readonly log: Log;
  /** Resolves with the reason when the engine has ended without having been asked to. */
  readonly died: Promise<unknown>;
  /** After the engine's close. */
  readonly end: () => Promise<void>;
}

/**
 * What is written stands in the journal when it is acknowledged; the engine follows, and answers what is read. Whoever reads
 * waits until the engine has what was acknowledged before.
 */
export class JournaledRoomStore implements RoomStore {
  readonly failed: Promise<unknown>;
  readonly #parts: JournaledStoreParts;
  readonly #queue: ApplyQueue;
  readonly #standing: Standing;
  readonly #known = new KnownIds();
  #fail: (error: unknown) => void = () => {};
  #failure: unknown;
  /** As it was read at the start, until something is written. */
  #opened: StoredState | undefined;
  /** Ends when the last that writes has its place. */
  #last: Promise<unknown> = Promise.resolve();
  #settling: Promise<void> | undefined;
  #isClosed = false;

  /** All that the journal holds is in the engine; `stored` is what it says then. */
  constructor(parts: JournaledStoreParts, stored: StoredState) {
    this.#parts = parts;
    this.#opened = stored;
    this.failed = new Promise((done) => {
      this.#fail = (error) => {
        this.#failure ??= error;
        done(error);
      };
    });
    void parts.died.then(this.#fail);
    const { journal, engine, clock } = parts;
    const queue = { engine, clock, durable: () => journal.durable, failed: (error: unknown) => this.#fail(error) };
    this.#queue = new ApplyQueue(queue, journal.durable);
    const lastSeqs = new Map([...stored.heads].map(([roomId, { lastSeq }]) => [roomId, lastSeq]));
    this.#standing = { pos: stored.pos, lastSeqs };
  }

  load(): Promise<StoredState> {
    return this.#opened ? Promise.resolve(this.#opened) : this.#read((engine) => engine.load());
  }

  append(writes: readonly PreparedWrite[]): Promise<readonly (readonly Committed[])[]> {
    const placed = this.#alone(() => this.#place(writes));
    return placed.then(({ committed, durable }) => durable.then(() => committed));
  }

  checkRoom(): Promise<void> {
    return this.#alone(async () => orFull(() => this.#parts.journal.checkRoom()));
  }

  /** One after the other: each starts where the one before has its place in the journal. */
  #alone<T>(place: () => Promise<T>): Promise<T> {
    const placed = this.#last.then(async () => {
      await this.#queue.ready();
      return place();
    });
    this.#last = placed.catch(() => {});
    return placed;
  }

  async #place(writes: readonly PreparedWrite[]) {
    const placed = placeWrites(writes, this.#standing);
    await this.#refuseKnown(placed);
    if (writes.length === 0) return { committed: placed.committed, durable: Promise.resolve() };
    const durable = this.#write(placed.payload);
    placed.takeOver();
    for (const id of placed.ids) this.#known.add(id);
    if (this.#known.needsFilter) this.#fillKnown();
    return { committed: placed.committed, durable };
  }

  /** The tables take no two messages with one id: a journal that held them could never be put in. */
  async #refuseKnown({ ids }: Placed): Promise<void> {
    if (new Set(ids).size < ids.length) throw new Error('two messages of one commit have the same id');
    const asked = ids.filter((id) => !this.#known.isNew(id));
    if (asked.length === 0) return;
    await this.#queue.emptied();
    const [there] = await this.#parts.engine.messages(asked);
    if (there) throw new Error('a message with such an id is there already');
  }

  /** When this returns it outlives the process; throws a StorageFullError with nothing written. Resolves when it is durable. */
  #write(payload: Uint8Array, removed?: (removed: Removed) => void): Promise<void> {
    if (this.#failure !== undefined) throw this.#failure;
    const { journal } = this.#parts;
    const { serial, durable } = orFull(() => journal.append(payload));
    this.#opened = undefined;
    this.#queue.push(removed ? { serial, payload, removed } : { serial, payload });
    if (journal.oldestFull !== undefined && journal.oldestFull <= this.#queue.applied)
      this.#settling ??= this.#settle();
    return durable.then(
      () => this.#queue.wake(),
      (error) => {
        this.#fail(error);
        throw error;
      },
    );
  }

  /** Has the engine make safe what it has, so that the journal need not hold it any longer. */
  async #settle(): Promise<void> {
    try {
      this.#parts.journal.forget(await this.#parts.engine.settle());
    } catch (error) {
      // Without room for it the journal grows; the next append tries again.
      if (!(error instanceof StorageFullError)) this.#fail(error);
    } finally {
      this.#settling = undefined;
    }
  }

  #fillKnown(): void {
    const { engine, log } = this.#parts;
    const read = async () => {
      await this.#queue.emptied();
      return engine.idBits();
    };
    void this.#known.fill(read).catch((error) => {
      if (!this.#isClosed) log.warn('the ids of messages could not be read', { err: messageOf(error) });
    });
  }

  /** Where the disk is full, what was acknowledged last may be missing: the rest can still be read. */
  async #read<T>(ask: (engine: RoomEngine) => Promise<T>): Promise<T> {
    if (!this.#queue.isStuck) await this.#queue.caughtUp().catch(exceptFull);
    return ask(this.#parts.engine);
  }

  /** An end of the log that is missing would be a hole in what somebody is told. */
  async readEvents(query: EventQuery): Promise<readonly StoredEvent[]> {
    await this.#queue.caughtUp();
    return this.#parts.engine.readEvents(query);
  }

  async messages(ids: readonly string[]): Promise<readonly StoredMessage[]> {
    const asked = ids.filter((id) => !this.#known.isNew(id));
    return asked.length === 0 ? [] : (await this.#read((engine) => engine.messages(asked))).map(toStoredMessage);
  }

  async forgotten(ids: readonly string[]): Promise<readonly string[]> {
    const asked = ids.filter((id) => !this.#known.isNew(id));
    return asked.length === 0 ? [] : this.#read((engine) => engine.forgotten(asked));
  }

  reacted(keys: readonly ReactionKey[]): ReturnType<RoomStore['reacted']> {
    return this.#read((engine) => engine.reacted(keys));
  }

  async page(query: PageQuery): Promise<MessagePage> {
    const page = await this.#read((engine) => engine.page(query));
    return { ...page, messages: page.messages.map(toStoredMessage) };
  }

  edits(messageId: string): ReturnType<RoomStore['edits']> {
    return this.#read((engine) => engine.edits(messageId));
  }

  unread(query: UnreadQuery): ReturnType<RoomStore['unread']> {
    return this.#read((engine) => engine.unread(query));
  }

  async search(query: SearchQuery): Promise<SearchPage> {
    const { hits, next } = await this.#read((engine) => engine.search(query));
    return { hits: hits.map((hit) => ({ ...hit, stored: toStoredMessage(hit.stored) })), next };
  }

  run(id: string): ReturnType<RoomStore['run']> {
    return this.#read((engine) => engine.run(id));
  }

  unfinishedRuns(): ReturnType<RoomStore['unfinishedRuns']> {
    return this.#read((engine) => engine.unfinishedRuns());
  }

  files(ids: readonly string[]): ReturnType<RoomStore['files']> {
    return this.#read((engine) => engine.files(ids));
  }

  roomsOfFile(id: string): ReturnType<RoomStore['roomsOfFile']> {
    return this.#read((engine) => engine.roomsOfFile(id));
  }

  orphanedFiles(before: number): ReturnType<RoomStore['orphanedFiles']> {
    return this.#read((engine) => engine.orphanedFiles(before));
  }

  audit(query: Parameters<RoomStore['audit']>[0]): ReturnType<RoomStore['audit']> {
    return this.#read((engine) => engine.audit(query));
  }

  expired(query: RetentionQuery): ReturnType<RoomStore['expired']> {
    return this.#read((engine) => engine.expired(query));
  }

  async forgetFiles(ids: readonly string[]): Promise<readonly string[]> {
    return (await this.#remove({ what: 'files', ids })).hashes;
  }

  async removeMessages(roomId: string, ids: readonly string[], rememberUntil: number): Promise<Removal> {
    const { clock } = this.#parts;
    const part = { what: 'messages', roomId, ids, until: rememberUntil, now: clock.now() } as const;
    return toRemoval(await this.#remove(part));
  }

  /** In parts, so that others are not held up by a large room. */
  async removeRoom(roomId: string): Promise<Removal> {
    while ((await this.#remove({ what: 'part of room', roomId })).some);
    return toRemoval(await this.#remove({ what: 'room', roomId }));
  }

  /** It has its place among the commits, and is done again after a crash where they are. */
  async #remove(part: RemovalPart): Promise<Removed> {
    let tell = (_removed: Removed) => {};
    const removed = new Promise<Removed>((done) => {
      tell = done;
    });
    const { durable } = await this.#alone(async () => {
      const durable = this.#write(printRemoval(part), tell);
      if (part.what === 'room') this.#standing.lastSeqs.delete(part.roomId);
      return { durable };
    });
    await durable;
    await this.#queue.caughtUp();
    return removed;
  }

  backup(file: string): Promise<void> {
    return this.#read((engine) => engine.backup(file));
  }

  indexed(): Promise<void> {
    return this.#read((engine) => engine.indexed());
  }

  /** Where the engine cannot take all any more the journal stays, and is read at the next start. */
  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    const { journal, engine } = this.#parts;
    await this.#last;
    let isSafe = this.#failure === undefined && (await this.#queue.close());
    await this.#settling;
    if (isSafe) isSafe = await succeeds(engine.settle());
    if (this.#failure === undefined) await engine.close();
    await this.#parts.end();
    await journal.close(isSafe);
  }
}

/** EMFILE, ENFILE: no more files may be opened, and the journal has none to write on. */
const NO_ROOM = ['ENOSPC', 'EDQUOT', 'EMFILE', 'ENFILE'];

function orFull<T>(action: () => T): T {
  try {
    return action();
  } catch (error) {
    if (!NO_ROOM.includes(systemCodeOf(error) ?? '')) throw error;
    throw new StorageFullError(messageOf(error), { cause: error });
  }
}

function succeeds(action: Promise<unknown>): Promise<boolean> {
  return action.then(
    () => true,
    () => false,
  );
}

function exceptFull(error: unknown): void {
  if (!(error instanceof StorageFullError)) throw error;
}

const toRemoval = ({ head, firstPos }: Removed): Removal => ({ head, firstPos });

/** The text is taken apart when somebody looks into it. */
function toStoredMessage({ json, contentHash }: StoredText): StoredMessage {
  let message: Message | undefined;
  return {
    json,
    contentHash,
    get message() {
      message ??= readMessage(json);
      return message;
    },
  };
}
