import type { Readable } from 'node:stream';
import { accessTo } from '../domain/access.ts';
import type { Caller } from '../domain/caller.ts';
import type { FileRef } from '../domain/file/file.ts';
import { imageSizeOf } from '../domain/file/image.ts';
import { fileNameOf } from '../domain/file/name.ts';
import type { ByteRange } from '../domain/file/range.ts';
import { sniffType } from '../domain/file/type.ts';
import { accepted, type Outcome, refuse } from '../domain/refusal.ts';
import type { RoomState } from '../room/state.ts';
import { type RoomWriter, storageRefusal } from '../room/writer.ts';
import type { RoomStore } from '../store/store.ts';
import type { FileContents, ReceivedBytes } from './contents/contents.ts';
import { UploadError } from './contents/upload.ts';

/** An upload. Its chunks throw when it breaks off. */
export interface Upload {
  readonly name: string;
  readonly chunks: AsyncIterable<Uint8Array>;
}

export interface FileStoreParts {
  readonly contents: FileContents;
  readonly state: RoomState;
  readonly store: RoomStore;
  readonly writer: RoomWriter;
  readonly newId: () => string;
  readonly maxBytes: number;
}

export interface HeldFiles {
  /** Existing files that the caller may read. */
  readonly files: ReadonlyMap<string, FileRef>;
  release(): void;
}

/** Files by content. Bytes are written before their row, and removed after it. */
export class FileStore {
  readonly #parts: FileStoreParts;
  readonly #held = new Map<string, number>();
  /** Files that a message may take while orphans are collected. */
  #spared: Set<string> | undefined;
  readonly #leaving = new Set<string>();
  #turn: Promise<unknown>;

  constructor(parts: FileStoreParts) {
    this.#parts = parts;
    this.#turn = parts.contents.clean();
    this.#turn.catch(() => {});
  }

  /** Stores an upload; resolves when it is durable. An upload that breaks off or is too large leaves nothing. */
  receive({ user }: Caller, { name, chunks }: Upload): Promise<Outcome<FileRef>> {
    const { newId, maxBytes } = this.#parts;
    return this.#take({ id: newId(), name, uploadedBy: user.id }, chunks, maxBytes);
  }

  /** Stores a file of an export under its own id, whatever its size, unless it is here. */
  async restore(
    { id, name, uploadedBy, sha256 }: FileRef,
    chunks: AsyncIterable<Uint8Array>,
  ): Promise<Outcome<'stored' | 'there already'>> {
    const [present] = await this.#parts.store.files([id]);
    if (present && present.sha256 !== sha256)
      return refuse('id_conflict', `the file ${id} is here with other bytes; nothing of this export goes on`);
    if (present) return accepted('there already');
    const taken = await this.#take({ id, name, uploadedBy }, chunks, Infinity);
    return taken.ok ? accepted('stored') : taken;
  }

  async #take(
    { id, name, uploadedBy }: Pick<FileRef, 'id' | 'name' | 'uploadedBy'>,
    chunks: AsyncIterable<Uint8Array>,
    maxBytes: number,
  ): Promise<Outcome<FileRef>> {
    const { contents, writer, newId } = this.#parts;
    // A full disk may have room again, which only a write shows.
    if (writer.trouble && writer.trouble.code !== 'storage_full') return writer.trouble;
    let received: ReceivedBytes | undefined;
    try {
      await this.#inTurn(async () => {});
      received = await contents.receive(newId(), chunks, maxBytes);
      const { size, sha256, head } = received;
      const contentType = sniffType(head);
      const image = imageSizeOf(contentType, head);
      const draft = { id, name: fileNameOf(name), size, sha256, contentType, ...image, uploadedBy };
      return await this.#keep(received, draft);
    } catch (error) {
      const refusal = error instanceof UploadError ? error.refusal : storageRefusal(error);
      if (refusal) return refusal;
      throw error;
    } finally {
      await received?.discard();
    }
  }

  /** A file that the caller may read: its own, or one of a readable message. */
  async find(caller: Caller, id: string): Promise<Outcome<FileRef>> {
    const [file] = await this.#parts.store.files([id]);
    if (file && (await this.#mayRead(caller, file))) return accepted(file);
    return refuse('file_not_found', `there is no file ${id}`);
  }

  /** Finds files, and protects them from removal until they are released. */
  async hold(caller: Caller, ids: readonly string[]): Promise<HeldFiles> {
    for (const id of ids) {
      this.#held.set(id, (this.#held.get(id) ?? 0) + 1);
      this.#spared?.add(id);
    }
    const release = () => this.#release(ids);
    try {
      const files = new Map<string, FileRef>();
      for (const file of await this.#parts.store.files(ids)) {
        if (!this.#leaving.has(file.id) && (await this.#mayRead(caller, file))) files.set(file.id, file);
      }
      return { files, release };
    } catch (error) {
      release();
      throw error;
    }
  }

  /** The bytes of a file, or a part of them; `undefined`: missing. */
  read({ sha256 }: FileRef, range?: ByteRange): Promise<Readable | undefined> {
    return this.#parts.contents.read(sha256, range);
  }

  /** Removes files uploaded before an instant that no message refers to; returns their number. */
  removeOrphans(before: number): Promise<number> {
    return this.#inTurn(async () => {
      const { store, contents } = this.#parts;
      this.#spared = new Set(this.#held.keys());
      const orphans = await store.orphanedFiles(before);
      const ids = orphans.map(({ id }) => id).filter((id) => !this.#spared?.has(id));
      this.#spared = undefined;
      if (ids.length === 0) return 0;
      for (const id of ids) this.#leaving.add(id);
      try {
        for (const sha256 of await store.forgetFiles(ids)) await contents.remove(sha256);
      } finally {
        this.#leaving.clear();
      }
      return ids.length;
    });
  }

  /** Removes what killed servers have left without a row, if older than an instant. */
  sweep(before: number): Promise<void> {
    const { store, contents } = this.#parts;
    return contents.sweep(before, (hashes) => store.usedContents(hashes));
  }

  /** Resolves when pending work is done. */
  async close(): Promise<void> {
    await this.#turn.catch(() => {});
  }

  #release(ids: readonly string[]): void {
    for (const id of ids) {
      const count = this.#held.get(id) ?? 0;
      if (count > 1) this.#held.set(id, count - 1);
      else this.#held.delete(id);
    }
  }

  async #mayRead(caller: Caller, { id, uploadedBy }: FileRef): Promise<boolean> {
    const isOwn = uploadedBy === caller.user.id;
    if (caller.roomIds === null && (isOwn || caller.isAdmin)) return true;
    const { state, store } = this.#parts;
    const uses = await store.roomsOfFile(id);
    // A token bound to rooms sees an own upload only through a message of its rooms.
    if (isOwn && uses.length === 0) return true;
    for (const { roomId, lastSeq } of uses) {
      const room = state.get('room', roomId);
      const access = room && room.deletedAt === null ? accessTo(state, caller, room) : undefined;
      if (access && lastSeq > access.afterSeq) return true;
    }
    return false;
  }

  /** Moves the bytes to their place, then writes the row. */
  #keep(received: ReceivedBytes, draft: Omit<FileRef, 'createdAt'>): Promise<Outcome<FileRef>> {
    const { contents, writer } = this.#parts;
    return this.#inTurn(async () => {
      const isNew = await received.place();
      const kept = await writer.submit<FileRef>({
        decide: (view) => {
          const file = { ...draft, createdAt: view.now };
          return { ok: true, write: { files: [file] }, answer: () => file };
        },
      });
      if (!kept.ok && isNew) await contents.remove(draft.sha256);
      return kept;
    });
  }

  /** Additions and removals run one after the other, so that new bytes are not removed. */
  #inTurn<T>(task: () => Promise<T>): Promise<T> {
    const done = this.#turn.then(task, task);
    this.#turn = done.catch(() => {});
    return done;
  }
}
