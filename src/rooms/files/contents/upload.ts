import { createHash } from 'node:crypto';
import type { FileHandle } from 'node:fs/promises';
import { systemCodeOf } from '../../../kernel/errors.ts';
import { IMAGE_HEAD_BYTES } from '../../domain/file/image.ts';
import { type Refusal, refuse } from '../../domain/refusal.ts';

const FULL_DISK = new Set(['ENOSPC', 'EDQUOT']);
const FULL = refuse('storage_full', 'the disk of the server is full; nothing was kept', { retryAfterS: 5 });
const BROKEN = refuse('invalid_body', 'the upload broke off');

/** An error of the sender, found while the bytes are read. */
export class UploadError extends Error {
  override readonly name = 'UploadError';
  readonly refusal: Refusal;

  constructor(refusal: Refusal) {
    super(refusal.reason);
    this.refusal = refusal;
  }
}

/** The refusal, if an error says that the disk is full. */
export const diskFull = (error: unknown): Refusal | undefined =>
  FULL_DISK.has(systemCodeOf(error) ?? '') ? FULL : undefined;

export interface DigestedUpload {
  readonly size: number;
  readonly sha256: string;
  readonly head: Uint8Array;
}

/** Writes an upload chunk by chunk; fails with an UploadError if it breaks off or is too large. */
export async function digestUpload(
  chunks: AsyncIterable<Uint8Array>,
  maxBytes: number,
  write: (chunk: Uint8Array) => Promise<void>,
): Promise<DigestedUpload> {
  const hash = createHash('sha256');
  const head: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of withUploadErrors(chunks)) {
    if (size < IMAGE_HEAD_BYTES) head.push(chunk);
    size += chunk.length;
    if (size > maxBytes) throw new UploadError(refuse('too_large', `the file is larger than ${maxBytes} bytes`));
    hash.update(chunk);
    await write(chunk);
  }
  return { size, sha256: hash.digest('hex'), head: Buffer.concat(head).subarray(0, IMAGE_HEAD_BYTES) };
}

/** Errors of the source are the sender's; errors of writing are not. */
async function* withUploadErrors(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array, void> {
  const source = chunks[Symbol.asyncIterator]();
  try {
    for (;;) {
      const next = await source.next();
      if (next.done) return;
      yield next.value;
    }
  } catch (error) {
    throw error instanceof UploadError ? error : new UploadError(BROKEN);
  } finally {
    await source.return?.();
  }
}

/** Writes all of a chunk: one call may write a part. */
export async function writeAll(handle: FileHandle, chunk: Uint8Array): Promise<void> {
  for (let written = 0; written < chunk.length; ) {
    const { bytesWritten } = await handle.write(chunk, written);
    written += bytesWritten;
  }
}
