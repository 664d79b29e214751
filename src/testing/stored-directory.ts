import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { brotliDecompressSync } from 'node:zlib';
import { type Cleanup, temporaryFolder } from './processes.ts';

/** A data directory of an earlier version, with the responses of that version. */
export interface StoredDirectory {
  /** When the server stopped, in epoch milliseconds. */
  readonly time: number;
  /** Responses to GET requests before that, by path: JSON or text. */
  readonly answers: Readonly<Record<string, unknown>>;
  readonly files: readonly {
    readonly name: string;
    readonly mode: number;
    /** Undefined for a folder. */
    readonly base64?: string;
  }[];
}

/** Unpacks a directory stored as compressed JSON below `src/` into a folder, removed after the test. */
export function unpackDirectory<T extends StoredDirectory>(
  t: Cleanup,
  file: string,
): { readonly path: string; readonly stored: T } {
  const stored = JSON.parse(brotliDecompressSync(readFileSync(resolve('src', file))).toString()) as T;
  const path = temporaryFolder(t);
  for (const { name, mode, base64 } of stored.files) {
    const place = join(path, name);
    if (base64 === undefined) mkdirSync(place);
    else writeFileSync(place, base64, 'base64');
    chmodSync(place, mode);
  }
  return { path, stored };
}
