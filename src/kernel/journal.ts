import {
  closeSync,
  constants,
  fdatasync,
  fstatSync,
  fsync,
  ftruncateSync,
  openSync,
  renameSync,
  rmSync,
  writeSync,
  writevSync,
} from 'node:fs';
import { join } from 'node:path';
import type { Durability } from './database.ts';
import { type JournalFile, type JournalPlace, journalFileName, readJournal } from './journal-opening.ts';
import {
  FILE_HEAD_BYTES,
  type JournalRecord,
  printFileHead,
  printRecordHead,
  RECORD_HEAD_BYTES,
} from './journal-record.ts';
import { createPrivateFile, openPrivateFile } from './private-file.ts';

export interface JournalOptions extends JournalPlace {
  /** The last serial that is safe elsewhere. */
  readonly after: number;
  readonly durability: Durability;
  /** How large a file becomes before the next is begun. */
  readonly fileBytes?: number;
}

export interface Appended {
  readonly serial: number;
  /** Resolves when the record is as durable as the journal; rejects when the disk has failed. */
  readonly durable: Promise<void>;
}

const FILE_BYTES = 16 * 2 ** 20;
/** What a file is made longer by at a time, at the most; a small one by as much as it holds. */
const GROWTH = Buffer.alloc(256 * 2 ** 10);
/** As long as a short record. */
const SHORT = Buffer.alloc(4 * 2 ** 10);

interface OpenFile {
  readonly number: number;
  readonly path: string;
  readonly descriptor: number;
  last: number;
  /** Where its last record ends. */
  size: number;
  /** Where the file itself ends: not before its last record. */
  room: number;
}

interface Unsynced {
  readonly serial: number;
  readonly resolve: () => void;
  readonly reject: (error: Error) => void;
}

/** Opens, or begins, a journal; `records` are those beyond `after`. See readJournal for what is refused. */
export function openJournal(options: JournalOptions): { journal: Journal; records: readonly JournalRecord[] } {
  const { files, records, last } = readJournal(options, options.after);
  return { journal: new Journal(options, files, last), records };
}

/**
 * An append-only log of records in numbered files, for what has to be safe before it is put where it belongs. A record is
 * handed to the operating system in the turn in which it comes, and synced beside the event loop; what comes during a sync
 * shares the next. A file whose records are all safe elsewhere is written over, which costs less than growing a new one.
 */
export class Journal {
  readonly #options: JournalOptions;
  /** Ascending; the last is written on. */
  readonly #files: OpenFile[];
  /** Written to, or made, since they were last synced. */
  readonly #dirty = new Set<number>();
  readonly #directory: number;
  #unsynced: Unsynced[] = [];
  #syncing: Promise<void> | undefined;
  #last: number;
  #durable: number;
  /** Safe from a loss of power. */
  #synced = 0;
  #failure: Error | undefined;
  #closing: Promise<void> | undefined;
  #hasSpare = false;

  /** Of what readJournal has found. */
  constructor(options: JournalOptions, files: readonly JournalFile[], last: number) {
    this.#options = options;
    this.#directory = openSync(options.path, 'r');
    this.#files = files.map((file) => ({
      ...file,
      room: file.size,
      descriptor: openPrivateFile(file.path, constants.O_RDWR),
    }));
    this.#last = last;
    this.#durable = last;
    rmSync(this.#sparePath, { force: true });
  }

  /** The last serial that is as durable as was asked for. */
  get durable(): number {
    return this.#durable;
  }

  /** The last record of the first file, where another has been begun: when it is safe elsewhere the file may go. */
  get oldestFull(): number | undefined {
    return this.#files.length > 1 ? this.#files[0]?.last : undefined;
  }

  /**
   * When this returns the record outlives the process. Throws, with nothing written, the error of the operating system:
   * after ENOSPC or EDQUOT it may be tried again, and where no more files may be opened (EMFILE, ENFILE).
   */
  append(payload: Uint8Array): Appended {
    if (this.#failure) throw this.#failure;
    const file = this.#fileForNext();
    const serial = this.#last + 1;
    this.#write(file, [printRecordHead({ serial, payload }, this.#synced), payload]);
    file.size += RECORD_HEAD_BYTES + payload.length;
    file.last = serial;
    this.#last = serial;
    if (this.#options.durability === 'system') {
      this.#durable = serial;
      return { serial, durable: Promise.resolve() };
    }
    this.#dirty.add(file.descriptor);
    const durable = new Promise<void>((resolve, reject) => this.#unsynced.push({ serial, resolve, reject }));
    this.#syncing ??= this.#sync();
    return { serial, durable };
  }

  /** Whether a short record could be appended now; throws as append does where it could not. */
  checkRoom(): void {
    if (this.#failure) throw this.#failure;
    const file = this.#fileForNext();
    if (file.size + SHORT.length > file.room) this.#write(file, [SHORT]);
  }

  /** Records up to that serial are safe elsewhere: files that hold no others go. */
  forget(upTo: number): void {
    while (this.#files.length > 1 && (this.#files[0]?.last ?? upTo) <= upTo) {
      const file = this.#files.shift() as OpenFile;
      this.#drop(file);
      if (this.#hasSpare) rmSync(file.path);
      else {
        renameSync(file.path, this.#sparePath);
        this.#hasSpare = true;
      }
    }
  }

  /** `isSafe`: all records are safe elsewhere, and nothing is left of the journal. Idempotent. */
  close(isSafe: boolean): Promise<void> {
    this.#closing ??= this.#close(isSafe);
    return this.#closing;
  }

  async #close(isSafe: boolean): Promise<void> {
    this.#failure ??= new Error('the journal is closed');
    await this.#syncing;
    for (const file of this.#files) {
      this.#drop(file);
      if (isSafe) rmSync(file.path, { force: true });
    }
    this.#files.length = 0;
    rmSync(this.#sparePath, { force: true });
    closeSync(this.#directory);
  }

  get #sparePath(): string {
    return join(this.#options.path, `${this.#options.name}.spare`);
  }

  #drop({ descriptor }: OpenFile): void {
    this.#dirty.delete(descriptor);
    closeSync(descriptor);
  }

  #fileForNext(): OpenFile {
    const current = this.#files.at(-1);
    return current && current.size < (this.#options.fileBytes ?? FILE_BYTES) ? current : this.#begin(current);
  }

  /** The head is written before the file has its name: by a name alone an old file would be taken for the next. */
  #begin(current: OpenFile | undefined): OpenFile {
    const { path, name, id } = this.#options;
    const number = (current?.number ?? 0) + 1;
    const descriptor = this.#hasSpare
      ? openPrivateFile(this.#sparePath, constants.O_RDWR)
      : createPrivateFile(this.#sparePath);
    const room = fstatSync(descriptor).size;
    const file = {
      number,
      path: join(path, journalFileName(name, number)),
      descriptor,
      last: this.#last,
      size: 0,
      room,
    };
    try {
      this.#write(file, [printFileHead({ number, first: this.#last + 1, id })]);
      renameSync(this.#sparePath, file.path);
    } catch (error) {
      closeSync(descriptor);
      throw error;
    }
    this.#hasSpare = false;
    file.size = FILE_HEAD_BYTES;
    this.#files.push(file);
    this.#dirty.add(this.#directory);
    return file;
  }

  /** All of it, or nothing: what a full disk has taken of it is cut off again. */
  #write(file: OpenFile, parts: readonly Uint8Array[]): void {
    const { descriptor, size } = file;
    const length = parts.reduce((sum, part) => sum + part.length, 0);
    if (this.#options.durability === 'disk') this.#grow(file, size + length);
    let rest = parts;
    try {
      for (let written = 0; written < length; ) {
        const taken = writevSync(descriptor, rest, size + written);
        written += taken;
        if (written < length) rest = [Buffer.concat(rest).subarray(taken)];
      }
      file.room = Math.max(file.room, size + length);
    } catch (error) {
      ftruncateSync(descriptor, size);
      file.room = size;
      throw error;
    }
  }

  /** A sync takes half as long where the file has not become longer, so it becomes so seldom, and by more than is needed. */
  #grow(file: OpenFile, end: number): void {
    if (end <= file.room) return;
    const growth = Math.min(end, GROWTH.length);
    try {
      file.room = end + writeSync(file.descriptor, GROWTH, 0, growth, end);
    } catch {
      // Without room for it, what is written may still have some.
    }
  }

  /** What is written during one sync shares the next. */
  async #sync(): Promise<void> {
    while (this.#unsynced.length > 0) {
      const waiting = this.#unsynced;
      const dirty = [...this.#dirty];
      this.#unsynced = [];
      this.#dirty.clear();
      try {
        await Promise.all(dirty.map((descriptor) => this.#syncOne(descriptor)));
        this.#durable = waiting.at(-1)?.serial ?? this.#durable;
        this.#synced = this.#durable;
        for (const { resolve } of waiting) resolve();
      } catch (error) {
        // What the disk has of it cannot be told any more.
        this.#failure = error instanceof Error ? error : new Error(String(error));
        for (const { reject } of [...waiting, ...this.#unsynced.splice(0)]) reject(this.#failure);
      }
    }
    this.#syncing = undefined;
  }

  #syncOne(descriptor: number): Promise<void> {
    const sync = descriptor === this.#directory ? fsync : fdatasync;
    return new Promise((resolve, reject) => sync(descriptor, (error) => (error ? reject(error) : resolve())));
  }
}
