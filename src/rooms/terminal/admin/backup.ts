import { createHash, type Hash } from 'node:crypto';
import { mkdirSync, readdirSync, rmSync } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import * as v from 'valibot';
import { CommandError, ExitCode, messageOf, systemCodeOf } from '../../../kernel/errors.ts';
import type { Terminal } from '../../../kernel/terminal/terminal.ts';
import {
  DATABASE_NAME,
  FILE_NAME,
  KEY_NAME,
  MANIFEST_NAME,
  readTarHeader,
  type TarEntry,
} from '../../contract/backup.ts';
import { withClient } from '../client.ts';
import type { ConnectionOptions } from '../connection.ts';
import { printJson, sizeText } from '../output.ts';

export const manifestSchema = v.looseObject({
  format: v.literal('opsdeck-rooms-backup'),
  formatVersion: v.literal(1),
  epoch: v.string(),
  pos: v.number(),
  createdAt: v.string(),
  sha256: v.string(),
  files: v.number(),
});
export type Manifest = v.InferOutput<typeof manifestSchema>;

export interface BackupOptions extends ConnectionOptions {
  /** Includes the key that decrypts the stored secrets. */
  readonly withKey?: boolean;
}

/** `rooms backup`: copies a running server into a new or empty directory. */
export async function backup(path: string, options: BackupOptions, terminal: Terminal): Promise<void> {
  const directory = resolve(path);
  makeEmpty(directory);
  await withClient(options, terminal, async (client) => {
    const timeoutMs = Math.max(options.timeout, 600_000);
    const response = await client.open('POST', `/api/backup${options.withKey ? '?key=true' : ''}`, { timeoutMs });
    const unpacker = new Unpacker(directory);
    try {
      for await (const piece of client.read(response, timeoutMs)) await unpacker.take(piece);
      const manifest = unpacker.end();
      if (options.withKey && !unpacker.hasKey) throw new Error('the server sent no key; is it of an earlier version?');
      const { bytes } = unpacker;
      if (options.json) printJson(terminal, { directory, bytes, ...manifest });
      else terminal.out(`${directory}: position ${manifest.pos}, ${manifest.files} files, ${sizeText(bytes)}\n`);
    } catch (error) {
      await unpacker.abandon();
      if (error instanceof CommandError) throw error;
      throw new CommandError(`the backup failed, and nothing of it is kept: ${messageOf(error)}`);
    }
  });
}

function makeEmpty(directory: string): void {
  try {
    mkdirSync(directory, { recursive: true, mode: 0o700 });
    if (readdirSync(directory).length === 0) return;
  } catch (error) {
    throw new CommandError(`cannot use ${directory}: ${systemCodeOf(error) ?? messageOf(error)}`, ExitCode.usage);
  }
  throw new CommandError(`${directory} is not empty; name a new directory for each backup`, ExitCode.usage);
}

const BLOCK = 512;
const MAX_MANIFEST = 64 * 1024;
const SINGLE_FILES = new Set([DATABASE_NAME, KEY_NAME, MANIFEST_NAME]);

/** The entry being written. */
interface OpenEntry extends TarEntry {
  readonly handle: FileHandle;
  readonly hash: Hash;
  left: number;
}

/** Unpacks an archive as it arrives, and checks each file by its hash. */
class Unpacker {
  bytes = 0;
  hasKey = false;
  readonly #directory: string;
  readonly #written: string[] = [];
  #rest: Buffer = Buffer.alloc(0);
  #entry: OpenEntry | undefined;
  /** Padding of a block. */
  #skip = 0;
  #databaseHash = '';
  #files = 0;
  #manifestText = '';
  #manifest: Manifest | undefined;

  constructor(directory: string) {
    this.#directory = directory;
  }

  async take(piece: Uint8Array): Promise<void> {
    let rest: Buffer = this.#rest.length === 0 ? Buffer.from(piece) : Buffer.concat([this.#rest, piece]);
    for (;;) {
      const skipped = Math.min(this.#skip, rest.length);
      this.#skip -= skipped;
      rest = rest.subarray(skipped);
      if (this.#entry) {
        const part = rest.subarray(0, this.#entry.left);
        rest = rest.subarray(part.length);
        await this.#write(this.#entry, part);
        if (this.#entry) break;
      } else {
        if (this.#skip > 0 || rest.length < BLOCK) break;
        const header = readTarHeader(rest.subarray(0, BLOCK));
        rest = rest.subarray(BLOCK);
        if (header) await this.#begin(header);
      }
    }
    this.#rest = rest;
  }

  /** Whether the archive is complete. */
  end(): Manifest {
    const manifest = this.#manifest;
    if (!manifest || this.#entry) throw new Error('it broke off');
    if (manifest.sha256 !== this.#databaseHash) throw new Error('the database is not as it was sent');
    if (manifest.files !== this.#files) throw new Error('not all files came');
    return manifest;
  }

  /** Removes the written files. */
  async abandon(): Promise<void> {
    await this.#entry?.handle.close().catch(() => {});
    for (const path of this.#written) rmSync(path, { force: true });
    rmSync(join(this.#directory, 'files'), { recursive: true, force: true });
  }

  async #begin(entry: TarEntry): Promise<void> {
    const { name, size } = entry;
    if (!SINGLE_FILES.has(name) && !FILE_NAME.test(name))
      throw new Error(`it holds ${JSON.stringify(name)}, which is no part of a backup`);
    if (name === MANIFEST_NAME && size > MAX_MANIFEST) throw new Error(`${MANIFEST_NAME} is too large`);
    const path = join(this.#directory, name);
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    const handle = await open(path, 'wx', 0o600);
    this.#written.push(path);
    this.#entry = { name, size, handle, hash: createHash('sha256'), left: size };
    if (size === 0) await this.#write(this.#entry, Buffer.alloc(0));
  }

  async #write(entry: OpenEntry, part: Buffer): Promise<void> {
    if (part.length > 0) await entry.handle.appendFile(part);
    entry.hash.update(part);
    entry.left -= part.length;
    this.bytes += part.length;
    if (entry.name === MANIFEST_NAME) this.#manifestText += part.toString();
    if (entry.left > 0) return;
    await entry.handle.sync();
    await entry.handle.close();
    this.#entry = undefined;
    this.#skip = (BLOCK - (entry.size % BLOCK)) % BLOCK;
    this.#finish(entry.name, entry.hash.digest('hex'));
  }

  #finish(name: string, sha256: string): void {
    if (name === DATABASE_NAME) this.#databaseHash = sha256;
    else if (name === KEY_NAME) this.hasKey = true;
    else if (name === MANIFEST_NAME) this.#manifest = v.parse(manifestSchema, JSON.parse(this.#manifestText));
    else {
      if (!name.endsWith(sha256)) throw new Error(`the file ${name} is not as it was sent`);
      this.#files++;
    }
  }
}
