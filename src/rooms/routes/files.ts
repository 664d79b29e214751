import type { HttpContext } from '../../kernel/http/app.ts';
import { boundaryOf, readFormFile } from '../contract/file-multipart.ts';
import { wireFile } from '../contract/message.ts';
import { matchesIfNoneMatch } from '../domain/etag.ts';
import type { FileRef } from '../domain/file/file.ts';
import { readRange } from '../domain/file/range.ts';
import { isShown } from '../domain/file/type.ts';
import { accepted, type Outcome, refuse } from '../domain/refusal.ts';
import type { FileStore, Upload } from '../files/file-store.ts';
import { type AnswerHeaders, answer, answerRefusal } from './answer/answers.ts';
import { watchedStream } from './answer/watched-stream.ts';
import type { Paths } from './index.ts';
import { takeChunks } from './request/body.ts';
import { admit, type CallerHandler, type GuardParts, refusedSince } from './request/guard.ts';
import { param } from './request/query.ts';

export interface FileRouteParts {
  readonly guard: GuardParts;
  readonly files: FileStore;
  readonly maxBytes: number;
}

/** What a form adds to its file's bytes. */
const FORM_BYTES = 128 * 1024;
/** The reader's rights are checked again after this many bytes. */
const LOOK_EVERY_BYTES = 2 ** 20;

/** `/api/file`: uploads, and attachments of messages. */
export function filePaths(parts: FileRouteParts): Paths {
  const { guard } = parts;
  return {
    '/api/file': {
      POST: admit(guard, { scope: 'write', limit: 'upload' }, postFile(parts)),
    },
    '/api/file/:id': { GET: admit(guard, { scope: 'read' }, getFile(parts)) },
  };
}

function postFile({ files, maxBytes }: FileRouteParts): CallerHandler {
  return async (c, caller) => {
    if (Number(c.req.header('content-length') ?? 0) > maxBytes + FORM_BYTES)
      return answerRefusal(c, refuse('too_large', `the file is larger than ${maxBytes} bytes`));
    return takeChunks(c, async (chunks) => {
      const upload = await readUpload(c, chunks);
      if (!upload.ok) return answerRefusal(c, upload);
      const received = await files.receive(caller, upload.value);
      if (!received.ok) return answerRefusal(c, received);
      return answer(c, wireFile(received.value), 201, { location: `/api/file/${received.value.id}` });
    });
  };
}

async function readUpload(c: HttpContext, chunks: AsyncIterable<Uint8Array>): Promise<Outcome<Upload>> {
  const type = c.req.header('content-type') ?? '';
  if (!/^multipart\/form-data *(;|$)/i.test(type))
    return accepted({ name: decodeName(c.req.header('x-file-name') ?? ''), chunks });
  const boundary = boundaryOf(type);
  if (boundary === undefined) return refuse('invalid_body', 'Content-Type: names no boundary of the form');
  try {
    return await readFormFile(chunks, boundary);
  } catch {
    return refuse('invalid_body', 'the upload broke off');
  }
}

/** Percent-encoded UTF-8, since headers are limited to Latin-1. */
function decodeName(name: string): string {
  try {
    return decodeURIComponent(name);
  } catch {
    return name;
  }
}

function getFile({ files }: FileRouteParts): CallerHandler {
  return async (c, caller) => {
    const found = await files.find(caller, param(c, 'id'));
    if (!found.ok) return answerRefusal(c, found);
    const file = found.value;
    const etag = `"${file.sha256}"`;
    const headers = headersOf(file, etag);
    if (matchesIfNoneMatch(c.req.header('if-none-match'), etag)) return c.body(null, 304, headers);
    const ifRange = c.req.header('if-range');
    const range = ifRange === undefined || ifRange === etag ? readRange(c.req.header('range'), file.size) : 'whole';
    if (range === 'unsatisfiable')
      return answerRefusal(c, refuse('range_not_satisfiable', `the file has ${file.size} bytes`), {
        'content-range': `bytes */${file.size}`,
      });
    const part = range === 'whole' ? undefined : range;
    const length = part ? part.end - part.start + 1 : file.size;
    const all = {
      ...headers,
      'content-length': String(length),
      ...(part ? { 'content-range': `bytes ${part.start}-${part.end}/${file.size}` } : {}),
    };
    const status = part ? 206 : 200;
    if (c.req.method === 'HEAD') return c.body(null, status, all);
    const bytes = await files.read(file, part);
    if (!bytes) return answerRefusal(c, refuse('file_not_found', `the bytes of the file ${file.id} are gone`));
    const mayGoOn = async () => !(await refusedSince(c)) && (await files.find(caller, file.id)).ok;
    return c.body(watchedStream(c, bytes, mayGoOn, LOOK_EVERY_BYTES), status, all);
  };
}

/** Headers that keep browsers from executing a file's content. */
function headersOf(file: FileRef, etag: string): AnswerHeaders {
  const { contentType, name } = file;
  const shown = isShown(contentType);
  return {
    'content-type': contentType.startsWith('text/') ? `${contentType}; charset=utf-8` : contentType,
    'content-disposition': `${shown ? 'inline' : 'attachment'}; ${printName(name)}`,
    'x-content-type-options': 'nosniff',
    'content-security-policy': "sandbox; default-src 'none'",
    'cross-origin-resource-policy': 'same-origin',
    'cache-control': 'private, no-cache',
    'accept-ranges': 'bytes',
    etag,
  };
}

/** RFC 6266, with the UTF-8 name beside an ASCII one for old clients. */
function printName(name: string): string {
  const plain = name.replace(/[^ !#-[\]-~]/gu, '_');
  const exact = encodeURIComponent(name).replace(
    /['()*]/g,
    (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`,
  );
  return `filename="${plain}"; filename*=UTF-8''${exact}`;
}
