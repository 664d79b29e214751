import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import type { ProjectFile } from './project-files.ts';

/** The client's request for a file. */
export interface FileRequest {
  readonly method: string;
  readonly range: string | undefined;
  readonly ifRange: string | undefined;
  readonly ifNoneMatch: string | undefined;
  readonly acceptEncoding: string | undefined;
}

export interface FileAnswer {
  readonly status: 200 | 206 | 304 | 416;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array<ArrayBuffer> | ReadableStream<Uint8Array> | null;
}

const CHUNK_BYTES = 256 * 1024;
const MIN_COMPRESSED = 1024;
/** On a local network a larger file is faster uncompressed. */
const MAX_COMPRESSED = 8 * 2 ** 20;

const compress = {
  br: (bytes: Uint8Array) => promisify(brotliCompress)(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } }),
  gzip: (bytes: Uint8Array) => promisify(gzip)(bytes, { level: 5 }),
};
type Coding = keyof typeof compress;

/** Answers with a file or a part of it, and closes the file when that is done. Source: RFC 9110, sections 13 and 14. */
export async function answerFile(file: ProjectFile, request: FileRequest): Promise<FileAnswer> {
  let answer: FileAnswer | undefined;
  try {
    answer = await prepare(file, request);
  } finally {
    // A stream closes it at its own end.
    if (!(answer?.body instanceof ReadableStream)) await file.handle.close();
  }
  return request.method === 'HEAD' ? { ...answer, body: null } : answer;
}

async function prepare(file: ProjectFile, request: FileRequest): Promise<FileAnswer> {
  const { size, tag } = file;
  const headers = {
    'content-type': file.contentType,
    'accept-ranges': 'bytes',
    'cache-control': 'no-cache',
    vary: 'Accept-Encoding',
  };
  const etag = `"${tag}"`;
  const known = tagsOf(request.ifNoneMatch);
  const coding = file.isText && size >= MIN_COMPRESSED && size <= MAX_COMPRESSED ? codingOf(request) : undefined;
  const codedTag = coding === undefined ? etag : `"${tag}-${coding}"`;
  if (known.includes('*') || known.includes(codedTag))
    return { status: 304, headers: { ...headers, etag: codedTag }, body: null };
  const range = request.ifRange === undefined || request.ifRange === etag ? readRange(request.range, size) : undefined;
  if (range === 'unsatisfiable')
    return { status: 416, headers: { ...headers, etag, 'content-range': `bytes */${size}` }, body: null };
  if (range) {
    const [first, last] = range;
    const length = String(last - first + 1);
    const partial = { ...headers, etag, 'content-range': `bytes ${first}-${last}/${size}`, 'content-length': length };
    return { status: 206, headers: partial, body: streamPart(file, first, last + 1, request.method) };
  }
  if (coding) {
    const bytes = new Uint8Array(await compress[coding](await readWhole(file)));
    const coded = { 'content-encoding': coding, 'content-length': String(bytes.length) };
    return { status: 200, headers: { ...headers, etag: codedTag, ...coded }, body: bytes };
  }
  const whole = { ...headers, etag, 'content-length': String(size) };
  return { status: 200, headers: whole, body: streamPart(file, 0, size, request.method) };
}

/** Supports one range, both ends included; for several, or an invalid one, the whole file is sent. */
function readRange(
  header: string | undefined,
  size: number,
): readonly [first: number, last: number] | 'unsatisfiable' | undefined {
  const [, from = '', to = ''] = /^bytes=(\d{0,15})-(\d{0,15})$/.exec(header?.replaceAll(' ', '') ?? '') ?? [];
  if (from === '' && to === '') return undefined;
  if (from === '') return Number(to) === 0 || size === 0 ? 'unsatisfiable' : [Math.max(0, size - Number(to)), size - 1];
  if (to !== '' && Number(to) < Number(from)) return undefined;
  if (Number(from) >= size) return 'unsatisfiable';
  return [Number(from), to === '' ? size - 1 : Math.min(Number(to), size - 1)];
}

function tagsOf(header: string | undefined): readonly string[] {
  return (header ?? '').split(',').map((tag) => tag.trim().replace(/^W\//, ''));
}

/** A coding with q=0 is refused. Source: RFC 9110, section 12.5.3. */
function codingOf({ acceptEncoding = '', range }: FileRequest): Coding | undefined {
  if (range !== undefined) return undefined;
  const accepted = acceptEncoding
    .toLowerCase()
    .split(',')
    .map((item) => item.split(';').map((part) => part.trim()));
  const takes = (coding: string) =>
    accepted.some(([name, ...parameters]) => name === coding && !parameters.some((one) => /^q=0(\.0*)?$/.test(one)));
  return (['br', 'gzip'] as const).find(takes);
}

async function readWhole({ handle, size }: ProjectFile): Promise<Uint8Array> {
  const bytes = Buffer.allocUnsafe(size);
  const { bytesRead } = await handle.read(bytes, 0, size, 0);
  return bytes.subarray(0, bytesRead);
}

/** Reads only as fast as the client does. */
function streamPart({ handle }: ProjectFile, from: number, end: number, method: string): FileAnswer['body'] {
  if (method === 'HEAD' || from >= end) return new Uint8Array(0);
  let position = from;
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const bytes = new Uint8Array(Math.min(CHUNK_BYTES, end - position));
        const { bytesRead } = await handle.read(bytes, 0, bytes.length, position);
        position += bytesRead;
        if (bytesRead > 0) controller.enqueue(bytes.subarray(0, bytesRead));
        if (bytesRead > 0 && position < end) return;
        await handle.close();
        // Shorter than announced: the client must see an error.
        if (position < end) controller.error(new Error('the file became shorter while it was read'));
        else controller.close();
      },
      cancel: () => handle.close(),
    },
    { highWaterMark: 0 },
  );
}
