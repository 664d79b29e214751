import { existsSync } from 'node:fs';
import { mkdir, open, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { systemCodeOf } from '../../kernel/errors.ts';
import { makePrivateFolder } from '../../kernel/storage/private-file.ts';
import { accessTo } from '../domain/access.ts';
import type { Caller } from '../domain/caller.ts';
import type { FileRef } from '../domain/file/file.ts';
import { imageSizeOf } from '../domain/file/image.ts';
import { fileNameOf } from '../domain/file/name.ts';
import type { ByteRange } from '../domain/file/range.ts';
import { sniffType } from '../domain/file/type.ts';
import { accepted, type Outcome, refuse } from '../domain/refusal.ts';
import type { RoomState } from '../room/state.ts';
import type { RoomWriter } from '../room/writer.ts';
import type { RoomStore } from '../store/store.ts';
import { diskFull, UploadError, writeIncoming } from './incoming.ts';

/** An upload. Its chunks throw when it breaks off. */
export interface Upload {
  readonly name: string;
  readonly chunks: AsyncIterable<Uint8Array>;
}

export interface FileStoreParts {
  /** Used by this store alone. */
  readonly folder: string;
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

/**
 * Files by content: the bytes are stored once, under their hash. Bytes are written before their row, and removed after
 * it.
 */
export class FileStore {
  readonly #parts: FileStoreParts;
  readonly #incoming: string;
  readonly #held = new Map<string, number>();
  /** Files that a message may take while orphans are collected. */
  #spared: Set<string> | undefined;
  readonly #leaving = new Set<string>();
  #turn: Promise<unknown>;

  constructor(parts: FileStoreParts) {
    this.#parts = parts;
    this.#incoming = join(parts.folder, 'incoming');
    if (existsSync(parts.folder)) makePrivateFolder(parts.folder);
    // Left incomplete by an ended process.
    this.#turn = rm(this.#incoming, { recursive: true, force: true });
    this.#turn.catch(() => {});
  }

  /** Stores an upload; resolves when it is on disk. An upload that breaks off or is too large leaves nothing. */
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
    const { folder, writer, newId } = this.#parts;
    // A full disk may have room again, which only a write shows.
    if (writer.trouble && writer.trouble.code !== 'storage_full') return writer.trouble;
    const temporary = join(this.#incoming, newId());
    try {
      await this.#inTurn(async () => {
        makePrivateFolder(folder);
        makePrivateFolder(this.#incoming);
      });
      const written = await writeIncoming(temporary, chunks, maxBytes);
      const { head, ...facts } = written;
      const contentType = sniffType(head);
      const image = imageSizeOf(contentType, head);
      const draft = { id, name: fileNameOf(name), ...facts, contentType, ...image, uploadedBy };
      return await this.#inTurn(() => this.#keep(temporary, draft));
    } catch (error) {
      await rm(temporary, { force: true });
      if (error instanceof UploadError) return error.refusal;
      const full = diskFull(error);
      if (full) return full;
      throw error;
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
  async read({ sha256 }: FileRef, range?: ByteRange): Promise<Readable | undefined> {
    try {
      const handle = await open(this.#pathOf(sha256));
      return handle.createReadStream(range ?? {});
    } catch (error) {
      if (systemCodeOf(error) === 'ENOENT') return undefined;
      throw error;
    }
  }

  /** Removes files uploaded before an instant that no message refers to; returns their number. */
  removeOrphans(before: number): Promise<number> {
    return this.#inTurn(async () => {
      const { store } = this.#parts;
      this.#spared = new Set(this.#held.keys());
      const orphans = await store.orphanedFiles(before);
      const ids = orphans.map(({ id }) => id).filter((id) => !this.#spared?.has(id));
      this.#spared = undefined;
      if (ids.length === 0) return 0;
      for (const id of ids) this.#leaving.add(id);
      try {
        for (const sha256 of await store.forgetFiles(ids)) await rm(this.#pathOf(sha256), { force: true });
      } finally {
        this.#leaving.clear();
      }
      return ids.length;
    });
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
  async #keep(temporary: string, draft: Omit<FileRef, 'createdAt'>): Promise<Outcome<FileRef>> {
    const { folder, writer } = this.#parts;
    const path = this.#pathOf(draft.sha256);
    const shelf = join(folder, draft.sha256.slice(0, 2));
    const isNewShelf = (await mkdir(shelf, { recursive: true, mode: 0o700 })) !== undefined;
    const wasThere = await exists(path);
    await rename(temporary, path);
    await syncFolder(shelf);
    if (isNewShelf) await syncFolder(folder);
    const kept = await writer.submit<FileRef>({
      decide: (view) => {
        const file = { ...draft, createdAt: view.now };
        return { ok: true, write: { files: [file] }, answer: () => file };
      },
    });
    if (!kept.ok && !wasThere) await rm(path, { force: true });
    return kept;
  }

  /** Additions and removals run one after the other, so that new bytes are not removed. */
  #inTurn<T>(task: () => Promise<T>): Promise<T> {
    const done = this.#turn.then(task, task);
    this.#turn = done.catch(() => {});
    return done;
  }

  #pathOf(sha256: string): string {
    return join(this.#parts.folder, sha256.slice(0, 2), sha256);
  }
}

async function exists(path: string): Promise<boolean> {
  try {
    await (await open(path)).close();
    return true;
  } catch {
    return false;
  }
}

async function syncFolder(path: string): Promise<void> {
  const handle = await open(path, 'r');
  try {
    await handle.sync();
  } catch {
    // Some network file systems cannot.
  } finally {
    await handle.close();
  }
}
