// A backup on the wire: one archive (tar, POSIX.1-1988), which a plain `tar -x` extracts as well. It holds
// `rooms.sqlite`, on request the key that decrypts its secrets, then each file by its hash, and last `backup.json`, without
// which it is incomplete.

/** The last entry of a backup. */
export interface BackupManifest {
  readonly format: 'opsdeck-rooms-backup';
  readonly formatVersion: 1;
  /** Of the log that was copied; a restore begins another. */
  readonly epoch: string;
  /** The position of the log up to which the backup is complete. */
  readonly pos: number;
  /** RFC 3339. */
  readonly createdAt: string;
  /** Of rooms.sqlite, in hex. */
  readonly sha256: string;
  readonly files: number;
}

export const DATABASE_NAME = 'rooms.sqlite';
export const MANIFEST_NAME = 'backup.json';
/** The key, as a line of text; also in a data directory. */
export const KEY_NAME = 'secret.key';
/** `files/ab/<sha256>` */
export const FILE_NAME = /^files\/([0-9a-f]{2})\/(\1[0-9a-f]{62})$/;

const BLOCK = 512;
const MAX_OCTAL = 8 ** 11 - 1;

/** The block before an entry's bytes. */
export function tarHeader(name: string, size: number, modifiedAt: number): Uint8Array {
  const header = Buffer.alloc(BLOCK);
  if (name.length > 99) throw new Error(`the name ${name} is too long for an archive`);
  header.write(name, 0, 'ascii');
  header.write('0000600\0', 100, 'ascii');
  header.write('0000000\0', 108, 'ascii');
  header.write('0000000\0', 116, 'ascii');
  writeSize(header, size);
  header.write(`${octal(Math.floor(modifiedAt / 1000), 11)}\0`, 136, 'ascii');
  header.write('        ', 148, 'ascii');
  header.write('0', 156, 'ascii');
  header.write('ustar\x0000', 257, 'ascii');
  header.write(`${octal(sumOf(header), 6)}\0 `, 148, 'ascii');
  return header;
}

/** Fills the last block of an entry. */
export const tarPadding = (size: number): Uint8Array => new Uint8Array((BLOCK - (size % BLOCK)) % BLOCK);

/** Ends an archive. */
export const tarEnd = (): Uint8Array => new Uint8Array(2 * BLOCK);

/** In binary beyond 8 GiB, as in GNU tar and others. */
function writeSize(header: Buffer, size: number): void {
  if (size <= MAX_OCTAL) {
    header.write(`${octal(size, 11)}\0`, 124, 'ascii');
    return;
  }
  header[124] = 0x80;
  header.writeBigUInt64BE(BigInt(size), 128);
}

const octal = (value: number, digits: number): string => value.toString(8).padStart(digits, '0');

/** The sum of all bytes, with blanks for the checksum itself. */
function sumOf(header: Buffer): number {
  let sum = 0;
  for (const [index, byte] of header.entries()) sum += index >= 148 && index < 156 ? 0x20 : byte;
  return sum;
}

export interface TarEntry {
  readonly name: string;
  readonly size: number;
}

/** Reads a header; `undefined`: the end of the archive. Throws if it is not a header. */
export function readTarHeader(block: Buffer): TarEntry | undefined {
  if (block.every((byte) => byte === 0)) return undefined;
  const text = (from: number, to: number) => block.toString('ascii', from, to).replace(/\0.*$/s, '').trim();
  if (Number.parseInt(text(148, 156), 8) !== sumOf(block)) throw new Error('it is not an archive, or is damaged');
  const isBinary = block[124] === 0x80;
  const size = isBinary ? Number(block.readBigUInt64BE(128)) : Number.parseInt(text(124, 136), 8);
  if (!Number.isSafeInteger(size)) throw new Error('an entry has no size');
  return { name: text(0, 100), size };
}
