/** A regular file of an archive. */
export interface TarFile {
  /** The path in the archive, with `/` between folders. */
  readonly name: string;
  readonly content: Buffer;
}

export interface TarLimits {
  /** For one file. */
  readonly maxFileBytes: number;
  /** For the whole archive, unpacked. */
  readonly maxTotalBytes: number;
}

/** The archive is broken, truncated or too large. */
export class TarError extends Error {
  override readonly name = 'TarError';
}

const BLOCK_BYTES = 512;
/** Of an entry with a long name or pax records. */
const MAX_EXTENSION_BYTES = 64 * 1024;

/**
 * Reads the regular files whose names `wants` accepts from an uncompressed tar archive: POSIX ustar and pax, and GNU's long
 * names. Other files are skipped without being held. Source: POSIX.1-2017, pax, "ustar Interchange Format".
 */
export async function* readTar(
  chunks: AsyncIterable<Uint8Array>,
  wants: (name: string) => boolean,
  limits: TarLimits,
): AsyncGenerator<TarFile, void> {
  const bytes = new ByteReader(chunks, limits.maxTotalBytes);
  try {
    let extension: Extension = {};
    for (;;) {
      const block = await bytes.take(BLOCK_BYTES, 'at a header');
      // Two empty blocks end an archive; some writers leave them out.
      if (block === undefined || block.every((byte) => byte === 0)) return;
      const header = readHeader(block);
      if (header.type === 'x' || header.type === 'L') {
        extension = { ...extension, ...(await readExtension(bytes, header)) };
      } else if (header.type === 'g' || header.type === 'K') {
        // Global pax records and long link names contain no name or size of a file.
        await bytes.skip(padded(header.size));
      } else {
        const { name = header.name, size = header.size } = extension;
        extension = {};
        if (header.type !== 'file' || !wants(name)) await bytes.skip(padded(size));
        else yield { name, content: await readContent(bytes, name, size, limits) };
      }
    }
  } finally {
    await bytes.close();
  }
}

interface Header {
  readonly name: string;
  readonly size: number;
  readonly type: 'file' | 'x' | 'g' | 'L' | 'K' | 'other';
}

/** Properties of a file given by an entry before it. */
interface Extension {
  readonly name?: string;
  readonly size?: number;
}

function readHeader(block: Buffer): Header {
  const sum = readNumber(block, 148, 8);
  let expected = 8 * 0x20;
  for (const [index, byte] of block.entries()) if (index < 148 || index >= 156) expected += byte;
  if (sum !== expected) throw new TarError('it is not a tar archive, or a header is broken');
  const type = String.fromCharCode(block[156] ?? 0);
  const prefix = block.toString('latin1', 257, 263) === 'ustar\0' ? readText(block, 345, 155) : '';
  const name = readText(block, 0, 100);
  return {
    name: prefix === '' ? name : `${prefix}/${name}`,
    size: readNumber(block, 124, 12),
    type: '\0' === type || '0' === type || '7' === type ? 'file' : isExtension(type) ? type : 'other',
  };
}

function isExtension(type: string): type is 'x' | 'g' | 'L' | 'K' {
  return 'xgLK'.includes(type);
}

function readText(block: Buffer, start: number, length: number): string {
  const end = block.indexOf(0, start);
  return block.toString('utf8', start, end === -1 || end > start + length ? start + length : end);
}

/** Octal digits or, with the highest bit set, a GNU binary number. */
function readNumber(block: Buffer, start: number, length: number): number {
  const first = block[start] ?? 0;
  if (first & 0x80) {
    // More than six bytes exceed every limit.
    for (let index = start + 1; index < start + length - 6; index++) {
      if (block[index] !== 0) throw new TarError('a number in a header is too big');
    }
    return block.readUIntBE(start + length - 6, 6);
  }
  const digits = readText(block, start, length).trim();
  if (!/^[0-7]*$/.test(digits)) throw new TarError('it is not a tar archive, or a header is broken');
  return Number.parseInt(digits || '0', 8);
}

async function readExtension(bytes: ByteReader, { type, size }: Header): Promise<Extension> {
  if (size > MAX_EXTENSION_BYTES) throw new TarError(`a name takes more than ${MAX_EXTENSION_BYTES} bytes`);
  const content = (await bytes.take(padded(size), 'in a name'))?.subarray(0, size) ?? Buffer.alloc(0);
  return type === 'L' ? { name: readText(content, 0, content.length) } : readPaxRecords(content);
}

/** Records of `length key=value\n`, the length counting itself. */
function readPaxRecords(content: Buffer): Extension {
  let extension: Extension = {};
  for (let start = 0; start < content.length; ) {
    const length = Number.parseInt(content.toString('latin1', start, start + 20), 10);
    const end = start + length;
    const space = content.indexOf(0x20, start);
    if (!(length > 0) || end > content.length || space === -1 || space >= end)
      throw new TarError('a pax header is broken');
    const record = content.toString('utf8', space + 1, end - 1);
    const equals = record.indexOf('=');
    const value = record.slice(equals + 1);
    if (record.startsWith('path=')) extension = { ...extension, name: value };
    else if (record.startsWith('size=')) extension = { ...extension, size: Number(value) };
    start = end;
  }
  const { size = 0 } = extension;
  if (!Number.isSafeInteger(size) || size < 0) throw new TarError('a pax header is broken');
  return extension;
}

async function readContent(bytes: ByteReader, name: string, size: number, limits: TarLimits): Promise<Buffer> {
  if (size > limits.maxFileBytes) throw new TarError(`${name} is bigger than ${limits.maxFileBytes} bytes`);
  const content = await bytes.take(size, `in ${name}`);
  if (content === undefined && size > 0) throw new TarError(`it ends in ${name}`);
  await bytes.skip(padded(size) - size);
  return content ?? Buffer.alloc(0);
}

/** Rounded up to whole blocks. */
function padded(size: number): number {
  return Math.ceil(size / BLOCK_BYTES) * BLOCK_BYTES;
}

/** Reads a given number of bytes from chunks of any size. */
class ByteReader {
  readonly #chunks: AsyncIterator<Uint8Array>;
  readonly #maxTotalBytes: number;
  #rest: Buffer = Buffer.alloc(0);
  #total = 0;

  constructor(chunks: AsyncIterable<Uint8Array>, maxTotalBytes: number) {
    this.#chunks = chunks[Symbol.asyncIterator]();
    this.#maxTotalBytes = maxTotalBytes;
  }

  /** Undefined at the end of the archive; throws with `where` if it ends within the bytes. */
  async take(count: number, where: string): Promise<Buffer | undefined> {
    const pieces: Buffer[] = [];
    let missing = count;
    while (missing > 0) {
      const piece = await this.#some(missing);
      if (!piece) {
        if (missing === count) return undefined;
        throw new TarError(`it ends ${where}`);
      }
      pieces.push(piece);
      missing -= piece.length;
    }
    return pieces.length === 1 ? pieces[0] : Buffer.concat(pieces, count);
  }

  async close(): Promise<void> {
    await this.#chunks.return?.();
  }

  async skip(count: number): Promise<void> {
    for (let missing = count; missing > 0; ) {
      const piece = await this.#some(missing);
      if (!piece) throw new TarError('it ends in the middle of a file');
      missing -= piece.length;
    }
  }

  /** From one to `max` bytes; undefined at the end. */
  async #some(max: number): Promise<Buffer | undefined> {
    while (this.#rest.length === 0) {
      const { done, value } = await this.#chunks.next();
      if (done) return undefined;
      this.#total += value.length;
      if (this.#total > this.#maxTotalBytes)
        throw new TarError(`unpacked it is bigger than ${this.#maxTotalBytes} bytes`);
      this.#rest = Buffer.from(value.buffer, value.byteOffset, value.byteLength);
    }
    const piece = this.#rest.subarray(0, max);
    this.#rest = this.#rest.subarray(piece.length);
    return piece;
  }
}
