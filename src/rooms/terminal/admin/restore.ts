import { createHash } from 'node:crypto';
import { closeSync, constants, existsSync, fsyncSync, mkdirSync, openSync, readdirSync, rmSync } from 'node:fs';
import { chmod, copyFile, type FileHandle, open, rename } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import * as v from 'valibot';
import { holdProcess } from '../../../kernel/clock.ts';
import { CommandError, ExitCode, systemCodeOf } from '../../../kernel/errors.ts';
import { type DataDirectory, ownDataDirectory } from '../../../kernel/storage/data-directory.ts';
import { openDatabase } from '../../../kernel/storage/database.ts';
import { makePrivateFolder } from '../../../kernel/storage/private-file.ts';
import { readRegularFileSync } from '../../../kernel/storage/regular-file.ts';
import { printable } from '../../../kernel/terminal/printable.ts';
import type { Terminal } from '../../../kernel/terminal/terminal.ts';
import { readSecretKey, writeSecretKey } from '../../authentication/secret-cipher.ts';
import { DATABASE_NAME, FILE_NAME, KEY_NAME, MANIFEST_NAME } from '../../contract/backup.ts';
import { type ClosedSecret, printClosed, remedyOf } from '../../domain/closed-secret.ts';
import { hasJournal, JOURNAL_NAME } from '../../store/earlier-journal.ts';
import { MIGRATIONS, setMeta } from '../../store/sqlite/schema.ts';
import { printJson } from '../output.ts';
import { type Manifest, manifestSchema } from './backup.ts';
import { closedSecretsIn } from './closed-secrets.ts';

export interface RestoreOptions {
  readonly dataDir: string;
  readonly json?: boolean;
}

/**
 * `rooms restore`: into a data directory without rooms. The server started on it has a log of its own, so clients with
 * a cursor of the old one must read anew.
 */
export async function restore(path: string, options: RestoreOptions, terminal: Terminal): Promise<void> {
  const source = resolve(path);
  const target = resolve(options.dataDir);
  const manifest = readManifest(source);
  const release = holdProcess();
  let directory: DataDirectory | undefined;
  try {
    // Refuses with 3 while a server runs on it.
    directory = await ownDataDirectory(target, terminal.clock);
    const isJournal = hasJournal(target);
    if (existsSync(join(target, DATABASE_NAME)) || isJournal) {
      const names = [DATABASE_NAME, ...(isJournal ? [`${JOURNAL_NAME}.*`] : [])].join(', ');
      throw new CommandError(
        `${target} holds rooms already; move ${names} and files away first, or name another --data-dir`,
        ExitCode.conflict,
      );
    }
    await checkDatabase(source, manifest);
    copyKey(source, target);
    await copyFiles(source, target);
    const reenter = await copyDatabase(source, target, terminal);
    if (options.json) return printJson(terminal, { directory: target, ...manifest, reenter });
    terminal.out(`${target}: as of ${manifest.createdAt}, position ${manifest.pos}, ${manifest.files} files\n`);
    printReenter(reenter, terminal);
  } finally {
    directory?.release();
    release();
  }
}

function readManifest(source: string): Manifest {
  try {
    return v.parse(manifestSchema, JSON.parse(readRegularFileSync(join(source, MANIFEST_NAME))));
  } catch (error) {
    const why =
      systemCodeOf(error) === 'ENOENT' ? `it has no ${MANIFEST_NAME}` : `its ${MANIFEST_NAME} is not as written`;
    throw new CommandError(`${source} is not a complete backup of rooms: ${why}`, ExitCode.usage);
  }
}

async function checkDatabase(source: string, { sha256 }: Manifest): Promise<void> {
  const path = join(source, DATABASE_NAME);
  if ((await hashOf(path)) !== sha256)
    throw new CommandError(`${path} is damaged: its checksum is not that of ${MANIFEST_NAME}`);
}

/** First the files, last the database under its name: an interrupted restore leaves no rooms without files. */
async function copyFiles(source: string, target: string): Promise<void> {
  const root = join(source, 'files');
  if (!existsSync(root)) return;
  makePrivateFolder(join(target, 'files'));
  for (const shelf of readdirSync(root)) {
    for (const file of readdirSync(join(root, shelf))) {
      const name = `files/${shelf}/${file}`;
      if (!FILE_NAME.test(name)) continue;
      mkdirSync(join(target, 'files', shelf), { recursive: true, mode: 0o700 });
      await copyBytes(join(source, name), join(target, name), file);
      syncPath(join(target, name));
    }
    if (existsSync(join(target, 'files', shelf))) syncPath(join(target, 'files', shelf));
  }
}

/**
 * A file's content must match its name; another file might be one of this machine, which the server would then serve.
 */
async function copyBytes(from: string, to: string, sha256: string): Promise<void> {
  const copy = await open(to, 'w', 0o600);
  try {
    if ((await hashOf(from, copy)) === sha256) return;
  } finally {
    await copy.close();
  }
  rmSync(to);
  throw new CommandError(`${from} is damaged: it has not the checksum that is its name; make another backup`);
}

/**
 * The hash of a regular file, in hex; its bytes are also written to `copy`. A backup holds no links, pipes or devices.
 */
async function hashOf(path: string, copy?: FileHandle): Promise<string> {
  const handle = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK).catch((error) => {
    if (systemCodeOf(error) === 'ELOOP' || systemCodeOf(error) === 'ENXIO') throw noFile(path);
    throw error;
  });
  try {
    if (!(await handle.stat()).isFile()) throw noFile(path);
    const hash = createHash('sha256');
    for await (const piece of handle.createReadStream({ autoClose: false })) {
      hash.update(piece as Buffer);
      await copy?.appendFile(piece as Buffer);
    }
    return hash.digest('hex');
  } finally {
    await handle.close();
  }
}

const noFile = (path: string): CommandError =>
  new CommandError(`${path} is not a regular file, as all files of a backup are; use a complete backup`);

/** Before the database, whose secrets it decrypts. */
function copyKey(source: string, target: string): void {
  const key = readSecretKey(source);
  const present = key === undefined ? undefined : readSecretKey(target);
  if (key === undefined || key === present) return;
  const path = join(target, KEY_NAME);
  if (present !== undefined)
    throw new CommandError(`${path} is another key than that of the backup; move it away first`, ExitCode.conflict);
  writeSecretKey(target, key);
}

/** Returns the secrets that cannot be decrypted in the target. */
async function copyDatabase(source: string, target: string, terminal: Terminal): Promise<readonly ClosedSecret[]> {
  const { clock, env } = terminal;
  const draft = join(target, 'restored');
  makePrivateFolder(draft);
  await copyPrivately(join(source, DATABASE_NAME), join(draft, DATABASE_NAME));
  // Without an epoch the next start makes one.
  const owned = await ownDataDirectory(draft, clock);
  const database = await openDatabase({ directory: owned, name: DATABASE_NAME, migrations: MIGRATIONS });
  let closed: readonly ClosedSecret[];
  try {
    await database.write([setMeta('epoch', '')]);
    closed = await closedSecretsIn(database, target, env);
  } finally {
    await database.close();
    owned.release();
  }
  await rename(join(draft, DATABASE_NAME), join(target, DATABASE_NAME));
  syncPath(target);
  rmSync(draft, { recursive: true, force: true });
  return closed;
}

function printReenter(closed: readonly ClosedSecret[], terminal: Terminal): void {
  if (closed.length === 0) return;
  terminal.err(
    `restore: ${closed.length} secrets cannot be decrypted, since the backup has no key for them. Start the server with the OPSDECK_SECRET_KEY or ${KEY_NAME} of the backup's server, or enter them again:\n`,
  );
  for (const secret of closed) terminal.err(`  ${printable(`${printClosed(secret)}: ${remedyOf(secret)}`)}\n`);
}

/** A copy gets the mode of its source, which other users may be able to read. */
async function copyPrivately(source: string, target: string): Promise<void> {
  await copyFile(source, target);
  await chmod(target, 0o600);
}

function syncPath(path: string): void {
  const descriptor = openSync(path, 'r');
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}
