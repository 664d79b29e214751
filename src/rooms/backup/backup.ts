import { createHash, randomBytes } from 'node:crypto';
import { existsSync, readdirSync, rmSync } from 'node:fs';
import { open, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Clock } from '../../kernel/clock.ts';
import { systemCodeOf } from '../../kernel/errors.ts';
import { makePrivateFolder } from '../../kernel/storage/private-file.ts';
import {
  type BackupManifest,
  DATABASE_NAME,
  FILE_NAME,
  KEY_NAME,
  MANIFEST_NAME,
  tarEnd,
  tarHeader,
  tarPadding,
} from '../contract/backup.ts';
import { printInstant } from '../contract/instant.ts';
import type { RoomFeed } from '../feed/room-feed.ts';
import type { RoomWriter } from '../room/writer.ts';
import type { RoomStore } from '../store/store.ts';

export interface RoomBackupsParts {
  /** Holds the copy while it is sent; used by this part alone. */
  readonly folder: string;
  /** The folder of the file store. */
  readonly filesFolder: string;
  readonly store: Pick<RoomStore, 'backup'>;
  readonly writer: Pick<RoomWriter, 'pos'>;
  readonly feed: Pick<RoomFeed, 'epoch'>;
  readonly clock: Clock;
  /** The key that decrypts stored secrets. */
  readonly secretKey: () => string;
}

const PIECE_BYTES = 256 * 1024;

/** Writes a backup beside the running server: the database at one moment, and the files of its messages. */
export class RoomBackups {
  readonly #parts: RoomBackupsParts;

  constructor(parts: RoomBackupsParts) {
    this.#parts = parts;
    // Left over from a killed process.
    for (const name of existsSync(parts.folder) ? readdirSync(parts.folder) : [])
      if (/^[0-9a-f]{16}\.sqlite/.test(name)) rmSync(join(parts.folder, name), { recursive: true, force: true });
  }

  /** The archive (contract/backup.ts), piece by piece. A file that is removed meanwhile is left out. */
  async *write({ withKey }: { readonly withKey: boolean }): AsyncGenerator<Uint8Array> {
    const { folder, store, writer, feed, clock, secretKey } = this.#parts;
    makePrivateFolder(folder);
    const copy = join(folder, `${randomBytes(8).toString('hex')}.sqlite`);
    try {
      // The copy may also hold what is committed meanwhile.
      const { pos } = writer;
      await store.backup(copy);
      const hash = createHash('sha256');
      yield* this.#entry(DATABASE_NAME, copy, (piece) => hash.update(piece));
      if (withKey) yield* this.#text(KEY_NAME, `${secretKey()}\n`);
      let files = 0;
      for await (const name of this.#fileNames()) {
        const path = join(this.#parts.filesFolder, name.slice('files/'.length));
        try {
          yield* this.#entry(name, path);
          files++;
        } catch (error) {
          if (systemCodeOf(error) !== 'ENOENT') throw error;
        }
      }
      const manifest: BackupManifest = {
        format: 'opsdeck-rooms-backup',
        formatVersion: 1,
        epoch: feed.epoch,
        pos,
        createdAt: printInstant(clock.now()),
        sha256: hash.digest('hex'),
        files,
      };
      yield* this.#text(MANIFEST_NAME, `${JSON.stringify(manifest, null, 2)}\n`);
      yield tarEnd();
    } finally {
      rmSync(copy, { force: true });
    }
  }

  *#text(name: string, text: string): Generator<Uint8Array> {
    const bytes = Buffer.from(text);
    yield tarHeader(name, bytes.length, this.#parts.clock.now());
    yield bytes;
    yield tarPadding(bytes.length);
  }

  /** Throws ENOENT before its first piece when the file is gone. */
  async *#entry(name: string, path: string, look?: (piece: Uint8Array) => void): AsyncGenerator<Uint8Array> {
    const handle = await open(path, 'r');
    try {
      const { size } = await handle.stat();
      yield tarHeader(name, size, this.#parts.clock.now());
      const pieces = handle.createReadStream({ autoClose: false, highWaterMark: PIECE_BYTES });
      for await (const piece of pieces as AsyncIterable<Uint8Array>) {
        look?.(piece);
        yield piece;
      }
      yield tarPadding(size);
    } finally {
      await handle.close();
    }
  }

  async *#fileNames(): AsyncGenerator<string> {
    const { filesFolder } = this.#parts;
    for (const shelf of await namesIn(filesFolder)) {
      if (!/^[0-9a-f]{2}$/.test(shelf)) continue;
      for (const file of await namesIn(join(filesFolder, shelf))) {
        const name = `files/${shelf}/${file}`;
        if (FILE_NAME.test(name)) yield name;
      }
    }
  }
}

async function namesIn(folder: string): Promise<readonly string[]> {
  try {
    return (await readdir(folder)).sort();
  } catch (error) {
    if (systemCodeOf(error) === 'ENOENT') return [];
    throw error;
  }
}
