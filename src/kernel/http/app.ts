import type { IncomingMessage, ServerResponse } from 'node:http';
import type { HttpBindings } from '@hono/node-server';
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response';
import type { Context, Handler, Hono } from 'hono';

/** What every Hono app here runs on. `app.request(…)` in a test has no sockets, so both may be absent. */
export type HttpEnv = { Bindings: Partial<HttpBindings> & RequestNotes };

/** What is noted of a request on its way. */
interface RequestNotes {
  pending?: PendingHeaders;
  answerBytes?: number;
  /** Who was let in, and by whom, for those who ask again. */
  admission?: object;
}

/** Headers that go out with the answer of a request, and the answer that holds them. */
export interface PendingHeaders {
  readonly fields: Record<string, string>;
  answer?: Response;
}

export type HttpContext = Context<HttpEnv>;
export type HttpHandler = Handler<HttpEnv>;

export type Method = 'GET' | 'HEAD' | 'POST' | 'PUT' | 'DELETE' | 'OPTIONS' | 'REPORT';
/** All that one path answers, by method. */
export type PathHandlers = Readonly<Partial<Record<Method, HttpHandler>>>;

/**
 * Mounts every path of a table, and answers each other method on it through `refuse`, which is told the allowed ones.
 * One handler a path: Hono calls a lone one by itself, and several through a chain that costs more than most of them.
 * It hands a HEAD to what answers GET; here HEAD is allowed only where the table has it.
 */
export function mountPaths(
  app: Hono<HttpEnv>,
  paths: Readonly<Record<string, PathHandlers>>,
  refuse: (c: HttpContext, allowed: readonly Method[]) => Response,
): void {
  for (const [path, handlers] of Object.entries(paths)) {
    const allowed = Object.keys(handlers) as Method[];
    const byMethod = new Map<string, HttpHandler>(Object.entries(handlers));
    app.all(path, (c, next) => {
      const handle = byMethod.get(c.req.method);
      return handle ? handle(c, next) : refuse(c, allowed);
    });
  }
}

/** Notes for the metrics how long the body of an answer is: only who makes it knows that without reading it again. */
export function noteAnswerSize(c: HttpContext, bytes: number): void {
  if (c.env) c.env.answerBytes = bytes;
}

/** A header of the request, by its name in small letters. Straight off the socket's: Headers cost more than all the rest. */
export function headerOf(c: HttpContext, name: string): string | undefined {
  const incoming = c.env?.incoming;
  if (!incoming) return c.req.header(name);
  const value = incoming.headers[name];
  return Array.isArray(value) ? value.join(', ') : value;
}

/**
 * Answers with these headers, and none that were set before, as plain fields: Hono makes a Headers of more than one, which
 * the server then takes apart again.
 */
export function answerWith(
  c: HttpContext,
  body: string | Uint8Array<ArrayBuffer> | null,
  status: number,
  headers: Readonly<Record<string, string>>,
): Response {
  return c.env?.outgoing ? new Response(body, { status, headers }) : c.body(body as string, status as 200, headers);
}

/** Goes on at once where there is nothing to wait for: a promise costs several turns of the queue of microtasks. */
export function goOn<T, R>(value: T | Promise<T>, next: (value: T) => R | Promise<R>): R | Promise<R> {
  return value instanceof Promise ? value.then(next) : next(value);
}

/** A body as it came, or why there is none. `aborted`: the client went away, and nobody reads an answer. */
export type BodyRead =
  | { readonly ok: true; readonly bytes: Buffer }
  | { readonly ok: false; readonly reason: 'too large' | 'aborted' };

const TOO_LARGE: BodyRead = { ok: false, reason: 'too large' };
const ABORTED: BodyRead = { ok: false, reason: 'aborted' };

/**
 * Reads a request body of at most `limit` bytes, whether its length is announced or not; without waiting where it has all
 * come already. hono/body-limit does the same at more than twice the cost of the whole request.
 */
export function readBody(c: HttpContext, limit: number): BodyRead | Promise<BodyRead> {
  const incoming = c.env?.incoming as IncomingMessage | undefined;
  if (!incoming) return readRequest(c, limit);
  // Hono would make Headers of all of them first.
  const announced = Number(incoming.headers['content-length'] ?? 0);
  if (announced > limit) return TOO_LARGE;
  // Of what is gone already nothing is told any more.
  if (incoming.destroyed) return ABORTED;
  return readWhole(incoming, announced) ?? readIncoming(incoming, limit);
}

/** A small body has come with its head, and lies in the stream as a whole. */
function readWhole(incoming: IncomingMessage, announced: number): BodyRead | undefined {
  if (announced === 0 || incoming.readableLength !== announced || incoming.readableFlowing !== null) return undefined;
  const bytes = incoming.read() as Buffer;
  // Its end is yet to come, and must be taken.
  incoming.resume();
  return { ok: true, bytes };
}

async function readRequest(c: HttpContext, limit: number): Promise<BodyRead> {
  if (Number(c.req.header('content-length') ?? 0) > limit) return TOO_LARGE;
  const bytes = Buffer.from(await c.req.arrayBuffer());
  return bytes.length > limit ? TOO_LARGE : { ok: true, bytes };
}

function readIncoming(incoming: IncomingMessage, limit: number): Promise<BodyRead> {
  return new Promise((resolve) => {
    const chunks: Buffer[] = [];
    let size = 0;
    const onData = (chunk: Buffer) => {
      size += chunk.length;
      if (size <= limit) return void chunks.push(chunk);
      // The rest is read and forgotten: a client that were cut off while it writes would not see the answer.
      incoming.off('data', onData).off('end', onEnd).resume();
      resolve(TOO_LARGE);
    };
    const onEnd = () =>
      resolve({ ok: true, bytes: chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks, size) });
    const onGone = () => resolve(ABORTED);
    incoming.on('data', onData).once('end', onEnd).once('error', onGone).once('close', onGone);
  });
}

/** Below this size an answer goes out in one piece. */
const WHOLE_ANSWER_BYTES = 64 * 1024;
/** How much of a long answer is made or handed on at a time: what a slow reader can hold in memory. */
const CHUNK_BYTES = 256 * 1024;
/** Bytes of this size are handed on as they lie; smaller ones are gathered. */
const LARGE_BYTES = 8 * 1024;
/** A reader that takes nothing for so long has gone away without saying so. */
const STALLED_READER_MS = 60_000;

/** JSON as text, or in UTF-8 already. */
type JsonElement = string | Buffer;

/**
 * Answers 200 with a JSON array of elements that are JSON already; one may also be several that a comma joins. A long
 * array is made and written only as fast as the client reads, so that a slow reader costs one chunk and not the whole;
 * `elements` and their bytes must therefore not change any more.
 */
export function answerArray(
  c: HttpContext,
  elements: readonly JsonElement[],
  headers: Record<string, string>,
): Response {
  const outgoing = c.env?.outgoing as ServerResponse | undefined;
  let size = elements.length + 2;
  for (const element of elements) size += element.length;
  if (size < WHOLE_ANSWER_BYTES || !outgoing) return answerWith(c, `[${elements.join(',')}]\n`, 200, headers);
  // Where all are bytes, this is the length, and no chunk needs a frame.
  const isBytes = elements.every((element) => typeof element !== 'string');
  outgoing.writeHead(200, isBytes ? { ...headers, 'content-length': String(size) } : headers);
  writeAsRead(outgoing, arrayChunks(elements));
  return RESPONSE_ALREADY_SENT;
}

const OPENING_BRACKET = 0x5b;
const COMMA = 0x2c;

/** Straight into bytes, text by text: four times as fast as joining the texts and encoding the sum. */
function* arrayChunks(elements: readonly JsonElement[]): Generator<Buffer, void> {
  let bytes = Buffer.allocUnsafe(CHUNK_BYTES);
  let start = 0;
  let used = 0;
  for (const [index, element] of elements.entries()) {
    const isText = typeof element === 'string';
    const isLarge = !isText && element.length >= LARGE_BYTES;
    // A UTF-16 unit takes three bytes at the most, the brackets and the newline three more.
    const most = (isText ? element.length * 3 : isLarge ? 0 : element.length) + 3;
    if (used + most > bytes.length) {
      if (used > start) yield bytes.subarray(start, used);
      bytes = Buffer.allocUnsafe(Math.max(CHUNK_BYTES, most));
      start = used = 0;
    }
    bytes[used++] = index === 0 ? OPENING_BRACKET : COMMA;
    if (isText) used += bytes.write(element, used);
    else if (!isLarge) used += element.copy(bytes, used);
    else {
      yield bytes.subarray(start, used);
      yield element;
      start = used;
    }
  }
  used += bytes.write(']\n', used);
  yield bytes.subarray(start, used);
}

function writeAsRead(outgoing: ServerResponse, chunks: Iterator<Buffer, void>): void {
  let chunk = chunks.next();
  const write = () => {
    while (!chunk.done && !outgoing.destroyed) {
      if (!writeTogether()) return void outgoing.once('drain', write);
    }
    outgoing.end();
  };
  /** Node holds together what is written in one turn. After its cork(), Node 24 may wait for a drain that never comes. */
  const writeTogether = () => {
    let takesMore = true;
    for (let size = 0; !chunk.done && size < CHUNK_BYTES; chunk = chunks.next()) {
      size += chunk.value.length;
      takesMore = outgoing.write(chunk.value);
    }
    return takesMore;
  };
  outgoing.setTimeout(STALLED_READER_MS, () => outgoing.destroy());
  outgoing.on('error', () => outgoing.destroy());
  write();
}
