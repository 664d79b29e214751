import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs';
import { crc32 } from 'node:zlib';
import type { AgentEvent } from '../event.ts';
import type { LogReader } from '../logs/log.ts';
import { type Found, nameOf } from './discovery.ts';
import { Lines } from './lines.ts';
import type { BatchEvent, FileState } from './usage-database.ts';

const { O_RDONLY, O_NOFOLLOW = 0, O_NONBLOCK = 0 } = constants;
/** Bytes before the position that its checksum covers. */
const TAIL_BYTES = 256;
const OPEN_BRACE = 123;
const CLOSE_BRACE = 125;
/** The end of a rewritten file; documents of agents are smaller. */
const MAX_DOCUMENT_BYTES = 128 << 20;

/** A log that is being read. Errors of the file system are thrown. */
export interface OpenLog {
  /** Reads some more; the events that it holds. False: the end. */
  readSome(take: (event: BatchEvent) => void): boolean;
  /** How far it is read, to go on from there. */
  state(): FileState;
  /** The bytes that were read. */
  readonly bytes: number;
  close(): void;
}

/** Opens a log; what `known` has done is not read again if it is the same file. Throws if it cannot be read. */
export function openLog(found: Found, known: FileState | undefined): OpenLog {
  const descriptor = openSync(found.path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
  try {
    const stats = fstatSync(descriptor);
    if (!stats.isFile()) throw new Error('it is not a file');
    const file: Placed = {
      found,
      descriptor,
      inode: stats.ino,
      size: stats.size,
      modifiedAt: stats.mtimeMs,
    };
    if (found.root.logs.form === 'whole') return new OpenDocument(file);
    const isSame = known !== undefined && isContinued(file, known);
    return new OpenLines(file, isSame ? known : undefined);
  } catch (error) {
    closeSync(descriptor);
    throw error;
  }
}

interface Placed {
  readonly found: Found;
  readonly descriptor: number;
  readonly inode: number;
  readonly size: number;
  readonly modifiedAt: number;
}

function isContinued({ descriptor, inode, size }: Placed, known: FileState): boolean {
  return inode === known.inode && size >= known.position && tailOf(descriptor, known.position) === known.tail;
}

/** A checksum of the last bytes before a position, which tells nothing about them. */
function tailOf(descriptor: number, position: number): number {
  const bytes = Buffer.alloc(Math.min(TAIL_BYTES, position));
  readSync(descriptor, bytes, 0, bytes.length, position - bytes.length);
  return crc32(bytes);
}

class OpenLines implements OpenLog {
  readonly #file: Placed;
  readonly #lines: Lines;
  readonly #reader: LogReader;
  readonly #known: Pick<FileState, 'position' | 'badLines' | 'longLines'>;
  #badLines = 0;
  /** The size of the file at its end; undefined before. */
  #size: number | undefined;

  constructor(file: Placed, known: FileState | undefined) {
    this.#file = file;
    this.#known = known ?? { position: 0, badLines: 0, longLines: 0 };
    this.#lines = new Lines(file.descriptor, known ?? { position: 0, isInLongLine: false });
    this.#reader = file.found.root.logs.open(nameOf(file.found), known?.reader);
  }

  get bytes(): number {
    return this.#lines.position - this.#known.position;
  }

  readSome(take: (event: BatchEvent) => void): boolean {
    if (this.#lines.read((line) => this.#take(line, take))) return true;
    const { rest, position } = this.#lines;
    this.#size = position + rest.length;
    if (isWholeObject(rest)) {
      this.#take(rest, take);
      this.#lines.takeRest();
    }
    return false;
  }

  state(): FileState {
    const { found, descriptor, inode, modifiedAt } = this.#file;
    const { position, isInLongLine, longLines } = this.#lines;
    return {
      path: found.path,
      agent: found.root.logs.id,
      inode,
      // In the middle it differs from that of the file, which is then read on after a restart.
      size: this.#size ?? position,
      modifiedAt,
      position,
      tail: tailOf(descriptor, position),
      isInLongLine,
      reader: this.#reader.state(),
      badLines: this.#known.badLines + this.#badLines,
      longLines: this.#known.longLines + longLines,
    };
  }

  close(): void {
    this.#lines.close();
    closeSync(this.#file.descriptor);
  }

  #take(line: Buffer, take: (event: BatchEvent) => void): void {
    const events = eventsOf(this.#reader, line);
    if (!events) this.#badLines++;
    else for (const event of events) take({ agent: this.#file.found.root.logs.id, event, isNewer: false });
  }
}

/** A last line without its end is taken if it is whole: the writer may never add the end. */
function isWholeObject(rest: Buffer): boolean {
  if (rest[0] !== OPEN_BRACE || rest.at(-1) !== CLOSE_BRACE) return false;
  try {
    JSON.parse(rest.toString());
    return true;
  } catch {
    return false;
  }
}

/** A file that is one document. */
class OpenDocument implements OpenLog {
  readonly #file: Placed;
  readonly #reader: LogReader;
  bytes = 0;
  #isBad = false;

  constructor(file: Placed) {
    this.#file = file;
    this.#reader = file.found.root.logs.open(nameOf(file.found));
  }

  readSome(take: (event: BatchEvent) => void): boolean {
    const { descriptor, size, found } = this.#file;
    if (size > MAX_DOCUMENT_BYTES) {
      this.#isBad = true;
      return false;
    }
    const document = Buffer.allocUnsafe(size);
    while (this.bytes < size) {
      const read = readSync(descriptor, document, this.bytes, size - this.bytes, this.bytes);
      if (read === 0) break;
      this.bytes += read;
    }
    const events = eventsOf(this.#reader, document.subarray(0, this.bytes));
    this.#isBad = !events;
    for (const event of events ?? []) take({ agent: found.root.logs.id, event, isNewer: true });
    return false;
  }

  state(): FileState {
    const { found, inode, size, modifiedAt } = this.#file;
    const read = { position: size, tail: 0, isInLongLine: false, reader: '', longLines: 0 };
    return {
      path: found.path,
      agent: found.root.logs.id,
      inode,
      size,
      modifiedAt,
      ...read,
      badLines: Number(this.#isBad),
    };
  }

  close(): void {
    closeSync(this.#file.descriptor);
  }
}

/** Undefined: not understood. */
function eventsOf(reader: LogReader, bytes: Buffer): readonly AgentEvent[] | undefined {
  try {
    const events = reader.read(bytes);
    return events?.every(isSound) ? events : undefined;
  } catch {
    // The line is of a shape that nobody has seen yet.
    return undefined;
  }
}

/** A foreign log may hold any number. */
function isSound({ at, input, output, cacheWrite, cacheWriteHour, cacheRead, rank }: AgentEvent): boolean {
  const counts = [input, output, cacheWrite, cacheWriteHour, cacheRead];
  return Number.isSafeInteger(at) && Number.isFinite(rank) && counts.every((n) => Number.isSafeInteger(n) && n >= 0);
}
