import { closeSync, constants, fstatSync, openSync, readSync, type Stats } from 'node:fs';
import { systemCodeOf } from '../errors.ts';

/** In bytes; enough for a configuration, and for a bundle of certificates. */
export const MAX_FILE_BYTES = 16 * 2 ** 20;

/**
 * Opening a pipe without a writer would block one of Node's four threads for files, names and syncs for ever.
 */
const AT_ONCE = constants.O_RDONLY | constants.O_NONBLOCK;

const CHUNK_BYTES = 65_536;

/** Why a file is not read; the message has its path, as Go's errors do. */
export class NotReadable extends Error {
  /** Continues a sentence about the file: `is a directory`. */
  readonly reason: string;

  constructor(path: string, reason: string) {
    super(`read ${path}: ${reason}`);
    this.reason = reason;
  }
}

/** The text of a file. Rejects without waiting if it is a pipe, a socket or a directory, or larger than `mostBytes`. */
export async function readRegularFile(path: string, mostBytes = MAX_FILE_BYTES): Promise<string> {
  // Loading it takes milliseconds, and most servers read no such file.
  const { open } = await import('node:fs/promises');
  const file = await open(path, AT_ONCE).catch((error: unknown) => {
    throw explained(path, error);
  });
  try {
    refuseEndless(path, await file.stat());
    const text = new BoundedText(path, mostBytes);
    while (text.add((await file.read(text.room, 0, CHUNK_BYTES, null)).bytesRead));
    return text.toString();
  } finally {
    await file.close();
  }
}

/** The same, synchronously. */
export function readRegularFileSync(path: string, mostBytes = MAX_FILE_BYTES): string {
  let file: number | undefined;
  try {
    file = openSync(path, AT_ONCE);
    refuseEndless(path, fstatSync(file));
    const text = new BoundedText(path, mostBytes);
    while (text.add(readSync(file, text.room, 0, CHUNK_BYTES, null)));
    return text.toString();
  } catch (error) {
    throw explained(path, error);
  } finally {
    if (file !== undefined) closeSync(file);
  }
}

function refuseEndless(path: string, stats: Stats): void {
  if (stats.isDirectory()) throw new NotReadable(path, 'is a directory');
  if (stats.isFIFO() || stats.isSocket()) throw new NotReadable(path, 'is a pipe or a socket, not a file');
}

/** A socket cannot even be opened. */
function explained(path: string, error: unknown): unknown {
  return systemCodeOf(error) === 'ENXIO' ? new NotReadable(path, 'is a pipe or a socket, not a file') : error;
}

/** The bytes read so far: the size of a file does not hold for a device, or for a file that grows. */
class BoundedText {
  readonly #path: string;
  readonly #mostBytes: number;
  readonly #chunks: Buffer[] = [];
  #size = 0;
  /** The space for the next bytes. */
  room = Buffer.allocUnsafe(CHUNK_BYTES);

  constructor(path: string, mostBytes: number) {
    this.#path = path;
    this.#mostBytes = mostBytes;
  }

  /** Takes the bytes that were read into the space; false at the end. */
  add(bytes: number): boolean {
    this.#size += bytes;
    if (this.#size > this.#mostBytes) throw new NotReadable(this.#path, `is larger than ${this.#mostBytes} bytes`);
    this.#chunks.push(this.room.subarray(0, bytes));
    this.room = Buffer.allocUnsafe(CHUNK_BYTES);
    return bytes > 0;
  }

  toString(): string {
    return Buffer.concat(this.#chunks, this.#size).toString();
  }
}
