import { Readable } from 'node:stream';
import type { ByteRange } from '../../domain/file/range.ts';
import type { Queries } from '../../store/postgres/queries.ts';
import type { FileContents, ReceivedBytes } from './contents.ts';
import { digestUpload } from './upload.ts';

/** All pieces of a file but the last have this size, in bytes. */
const PIECE_BYTES = 512 * 1024;

const WRITE = 'INSERT INTO opsdeck.room_file_piece (sha256, number, data) VALUES ($1, $2, $3)';
const DISCARD = 'DELETE FROM opsdeck.room_file_piece WHERE sha256 = $1';
const PLACE = 'SELECT opsdeck.place_room_file($1, $2) AS "isNew"';
const REMOVE = 'SELECT opsdeck.remove_room_file($1)';
/** The piece with a byte, and the size of the pieces. */
const FIRST = `
  SELECT p.number, z.size, p.data
  FROM (SELECT octet_length(data) AS size FROM opsdeck.room_file_piece WHERE sha256 = $1 AND number = 0) z
  JOIN opsdeck.room_file_piece p ON p.sha256 = $1 AND p.number = $2::bigint / greatest(z.size, 1)`;
const NEXT = 'SELECT data FROM opsdeck.room_file_piece WHERE sha256 = $1 AND number = $2';

interface FirstPiece {
  readonly number: number;
  readonly size: number;
  readonly data: Buffer;
}

/** Bytes in PostgreSQL, in pieces: of a file of any size, two of them are in memory. */
export class PostgresFileContents implements FileContents {
  readonly #queries: Queries;

  constructor(queries: Queries) {
    this.#queries = queries;
  }

  /** Broken uploads are removed with what no file needs, by age. */
  async clean(): Promise<void> {}

  async receive(id: string, chunks: AsyncIterable<Uint8Array>, maxBytes: number): Promise<ReceivedBytes> {
    // No hash has such a name.
    const name = `incoming ${id}`;
    const discard = async () => {
      await this.#queries.query(DISCARD, [name]).catch(() => {});
    };
    let count = 0;
    const pieces = new Pieces((piece) => this.#queries.query(WRITE, [name, count++, piece]));
    try {
      const digested = await digestUpload(chunks, maxBytes, (chunk) => pieces.add(chunk));
      await pieces.end();
      return { ...digested, place: () => this.#place(name, digested.sha256), discard };
    } catch (error) {
      await discard();
      throw error;
    }
  }

  async #place(name: string, sha256: string): Promise<boolean> {
    const [row] = await this.#queries.query<{ isNew: boolean }>(PLACE, [name, sha256]);
    return row?.isNew === true;
  }

  async read(sha256: string, { start, end }: ByteRange = { start: 0, end: Infinity }): Promise<Readable | undefined> {
    const [first] = await this.#queries.query<FirstPiece>(FIRST, [sha256, start]);
    if (!first) return undefined;
    const next = async (number: number) => (await this.#queries.query<FirstPiece>(NEXT, [sha256, number]))[0]?.data;
    return Readable.from(readPieces(first, next, { start, end }), { objectMode: false, highWaterMark: PIECE_BYTES });
  }

  /** What cannot be removed now is removed with what no file needs. */
  async remove(sha256: string): Promise<void> {
    await this.#queries.query(REMOVE, [sha256]).catch(() => {});
  }

  /** Done by retention, in the database. */
  async sweep(): Promise<void> {}
}

/** Chunks joined or cut to pieces; an empty file has one empty piece. */
class Pieces {
  readonly #write: (piece: Buffer) => Promise<unknown>;
  #waiting: Uint8Array[] = [];
  #size = 0;
  #hasWritten = false;

  constructor(write: (piece: Buffer) => Promise<unknown>) {
    this.#write = write;
  }

  async add(chunk: Uint8Array): Promise<void> {
    this.#waiting.push(chunk);
    this.#size += chunk.length;
    if (this.#size < PIECE_BYTES) return;
    let rest = Buffer.concat(this.#waiting);
    for (; rest.length >= PIECE_BYTES; rest = rest.subarray(PIECE_BYTES))
      await this.#put(rest.subarray(0, PIECE_BYTES));
    this.#waiting = [Buffer.from(rest)];
    this.#size = rest.length;
  }

  async end(): Promise<void> {
    if (this.#size > 0 || !this.#hasWritten) await this.#put(Buffer.concat(this.#waiting));
  }

  async #put(piece: Buffer): Promise<void> {
    this.#hasWritten = true;
    await this.#write(piece);
  }
}

async function* readPieces(
  first: FirstPiece,
  next: (number: number) => Promise<Buffer | undefined>,
  { start, end }: ByteRange,
): AsyncGenerator<Buffer, void> {
  const { size } = first;
  let data: Buffer | undefined = first.data;
  for (let { number } = first; ; number++) {
    if (!data) throw new Error('the file was removed while it was read');
    const from = number * size;
    const part = data.subarray(Math.max(0, start - from), end - from + 1);
    if (part.length > 0) yield part;
    if (data.length < size || size === 0 || from + size > end) return;
    data = await next(number + 1);
    // The file ends with a whole piece.
    if (!data && end === Infinity) return;
  }
}
