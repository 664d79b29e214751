import type { Readable } from 'node:stream';
import type { ByteRange } from '../../domain/file/range.ts';
import type { DigestedUpload } from './upload.ts';

/** The bytes of files, stored once, under their hash. */
export interface FileContents {
  /** Removes what ended processes have left incomplete. */
  clean(): Promise<void>;
  /**
   * Takes the bytes of an upload; resolves when they are durable. Fails with an UploadError if it breaks off or is too large, and
   * then leaves nothing. `id`: unique.
   */
  receive(id: string, chunks: AsyncIterable<Uint8Array>, maxBytes: number): Promise<ReceivedBytes>;
  /** All bytes, or a part of them; `undefined`: missing. */
  read(sha256: string, range?: ByteRange): Promise<Readable | undefined>;
  /** Removes bytes that no file needs. */
  remove(sha256: string): Promise<void>;
  /**
   * Removes what processes that were killed have left: unfinished uploads, and bytes without a file, if older than `before`
   * (milliseconds since the Unix epoch).
   */
  sweep(before: number, usedOf: UsedContents): Promise<void>;
}

/** Those of the hashes that a file has. */
export type UsedContents = (hashes: readonly string[]) => Promise<readonly string[]>;

/** Bytes that can be read once they are placed. */
export interface ReceivedBytes extends DigestedUpload {
  /** Returns whether they were missing before. */
  place(): Promise<boolean>;
  /** Removes them unless they are placed. */
  discard(): Promise<void>;
}

/** With several nodes: another one may be about to write the row of a file with bytes younger than this. */
export const YOUNG_MS = 3_600_000;
/** The longest upload. */
export const MAX_UPLOAD_MS = 24 * 3_600_000;
