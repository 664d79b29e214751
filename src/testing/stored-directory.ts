import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { brotliDecompressSync } from 'node:zlib';
import { type Cleanup, temporaryFolder } from './processes.ts';

/** A data directory that an earlier version has left, with what that version said of it. */
export interface StoredDirectory {
  /** When the server ended, in epoch milliseconds. */
  readonly time: number;
  /** Of GET requests just before, by path: JSON, or a text. */
  readonly answers: Readonly<Record<string, unknown>>;
  readonly files: readonly {
    readonly name: string;
    readonly mode: number;
    /** Of a folder: none. */
    readonly base64?: string;
  }[];
}

/** Reads a directory that is stored as compressed JSON below `src/`, and unpacks it into a folder that goes with the test. */
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
