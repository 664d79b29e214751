import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { open } from 'node:fs/promises';
import { createGunzip } from 'node:zlib';
import { messageOf, systemCodeOf } from '../../kernel/errors.ts';
import { accepted, type Outcome, refused } from '../../kernel/outcome.ts';
import { readTar, TarError, type TarLimits } from './tar.ts';

/** The two files of an environment in the archive. */
export interface EnvironmentFiles {
  /** The common part of the file names. */
  readonly id: string;
  readonly metadata: Buffer;
  readonly data: Buffer;
}

export const ARCHIVE_LIMITS: TarLimits = { maxFileBytes: 200 * 2 ** 20, maxTotalBytes: 2 ** 30 };

const CHECKSUM_FILE = 'checksum.md5';
const DATA_SUFFIX = '-data.json';
const METADATA_SUFFIX = '.json';

/**
 * Unpacks an offline archive, compressed or not, in memory. Refused if it is broken, exceeds the limits, or does not match
 * its checksum.
 */
export async function readArchiveFiles(
  path: string,
  limits: TarLimits = ARCHIVE_LIMITS,
): Promise<Outcome<readonly EnvironmentFiles[]>> {
  const files = new Map<string, Buffer>();
  try {
    for await (const { name, content } of readTar(await unpack(path), wants, limits))
      files.set(plainName(name), content);
  } catch (error) {
    if (error instanceof TarError) return refused(error.message);
    const code = systemCodeOf(error);
    return refused(
      code?.startsWith('Z_') ? `it cannot be uncompressed: ${messageOf(error)}` : (code ?? messageOf(error)),
    );
  }
  return pairFiles(files);
}

/** Detects gzip by the first bytes, whatever the file name. */
async function unpack(path: string): Promise<AsyncIterable<Uint8Array>> {
  const file = await open(path);
  const { buffer } = await file.read(Buffer.alloc(2), 0, 2, 0).finally(() => file.close());
  const packed = createReadStream(path, { highWaterMark: 256 * 1024 });
  if (buffer[0] !== 0x1f || buffer[1] !== 0x8b) return packed;
  const unpacked = createGunzip({ chunkSize: 256 * 1024 });
  packed.on('error', (error) => unpacked.destroy(error));
  unpacked.on('close', () => packed.destroy());
  return packed.pipe(unpacked);
}

/** Skips files in folders, which the format does not have; throws for paths that lead out of the archive. */
function wants(name: string): boolean {
  const parts = name.split(/[/\\]/);
  if (parts.includes('..') || parts[0] === '' || name.includes('\0')) {
    throw new TarError(`${JSON.stringify(name)} lies outside of the archive`);
  }
  const plain = plainName(name);
  return !plain.includes('/') && (plain === CHECKSUM_FILE || plain.endsWith(METADATA_SUFFIX));
}

/** Without the `./` that tar adds to files of the current folder. */
function plainName(name: string): string {
  return name.replace(/^(\.\/)+/, '');
}

function pairFiles(files: ReadonlyMap<string, Buffer>): Outcome<readonly EnvironmentFiles[]> {
  const names = [...files.keys()].filter((name) => name.endsWith(METADATA_SUFFIX) && !name.endsWith(DATA_SUFFIX));
  const environments: EnvironmentFiles[] = [];
  for (const name of names) {
    const id = name.slice(0, -METADATA_SUFFIX.length);
    const data = files.get(`${id}${DATA_SUFFIX}`);
    if (!data) return refused(`${id}${DATA_SUFFIX} is missing`);
    environments.push({ id, metadata: files.get(name) ?? Buffer.alloc(0), data });
  }
  const checksum = files.get(CHECKSUM_FILE);
  if (!checksum) return refused(`${CHECKSUM_FILE} is missing`);
  const found = checksumOf(environments);
  if (!checksum.equals(found))
    return refused(`${CHECKSUM_FILE} says ${hex(checksum)}, but the files have ${hex(found)}`);
  return accepted(environments);
}

/** MD5 over the contents of all files, ordered by name. */
function checksumOf(environments: readonly EnvironmentFiles[]): Buffer {
  const contents = environments.flatMap(({ id, metadata, data }) => [
    { name: Buffer.from(`${id}${METADATA_SUFFIX}`), content: metadata },
    { name: Buffer.from(`${id}${DATA_SUFFIX}`), content: data },
  ]);
  const hash = createHash('md5');
  for (const { content } of contents.sort((a, b) => Buffer.compare(a.name, b.name))) hash.update(content);
  return hash.digest();
}

function hex(bytes: Buffer): string {
  return bytes.subarray(0, 32).toString('hex');
}
