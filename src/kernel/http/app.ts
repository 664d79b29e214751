import type { IncomingMessage, ServerResponse } from 'node:http';
import type { HttpBindings } from '@hono/node-server';
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response';
import type { Context, Handler, Hono } from 'hono';

/** The environment of every Hono app here. `app.request(…)` in a test has no sockets, so both may be absent. */
export type HttpEnv = { Bindings: Partial<HttpBindings> & RequestNotes };

/** Notes about a request on its way. */
interface RequestNotes {
  pending?: PendingHeaders;
  answerBytes?: number;
  /** The authenticated caller and its authenticator, so that it can be checked again. */
  admission?: object;
}

/** Headers of a request's answer, and the answer that has them. */
export interface PendingHeaders {
  readonly fields: Record<string, string>;
  answer?: Response;
}

export type HttpContext = Context<HttpEnv>;
export type HttpHandler = Handler<HttpEnv>;

export type Method = 'GET' | 'HEAD' | 'POST' | 'PUT' | 'DELETE' | 'OPTIONS' | 'REPORT';
/** The handlers of one path, by method. */
export type PathHandlers = Readonly<Partial<Record<Method, HttpHandler>>>;

/**
 * Mounts every path of a table, and answers other methods through `refuse`, which is passed the allowed ones. There is one
 * handler per path: Hono calls several through a chain that costs more than most of them. Hono also answers HEAD with the
 * handler of GET; here HEAD is allowed only where the table has it.
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

/** Notes the length of an answer's body for the metrics: only its maker knows it without reading it again. */
export function noteAnswerSize(c: HttpContext, bytes: number): void {
  if (c.env) c.env.answerBytes = bytes;
}

/** A header of the request, by its name in small letters. It is read from Node's request, since a Headers object is slow. */
export function headerOf(c: HttpContext, name: string): string | undefined {
  const incoming = c.env?.incoming;
  if (!incoming) return c.req.header(name);
  const value = incoming.headers[name];
  return Array.isArray(value) ? value.join(', ') : value;
}

/**
 * Answers with these headers alone, as plain fields: of more than one Hono makes a Headers object, which the server would
 * take apart again.
 */
export function answerWith(
  c: HttpContext,
  body: string | Uint8Array<ArrayBuffer> | null,
  status: number,
  headers: Readonly<Record<string, string>>,
): Response {
  return c.env?.outgoing ? new Response(body, { status, headers }) : c.body(body as string, status as 200, headers);
}

/** Continues at once if there is nothing to wait for: a promise costs several microtasks. */
export function goOn<T, R>(value: T | Promise<T>, next: (value: T) => R | Promise<R>): R | Promise<R> {
  return value instanceof Promise ? value.then(next) : next(value);
}

/** A body, or why there is none. `aborted`: the client is gone, and needs no answer. */
export type BodyRead =
  | { readonly ok: true; readonly bytes: Buffer }
  | { readonly ok: false; readonly reason: 'too large' | 'aborted' };

const TOO_LARGE: BodyRead = { ok: false, reason: 'too large' };
const ABORTED: BodyRead = { ok: false, reason: 'aborted' };

/**
 * Reads a request body of at most `limit` bytes, whether its length is announced or not; without waiting if it is complete.
 * hono/body-limit does the same at more than twice the cost of the whole request.
 */
export function readBody(c: HttpContext, limit: number): BodyRead | Promise<BodyRead> {
  const incoming = c.env?.incoming as IncomingMessage | undefined;
  if (!incoming) return readRequest(c, limit);
  // Hono would first make Headers of all of them.
  const announced = Number(incoming.headers['content-length'] ?? 0);
  if (announced > limit) return TOO_LARGE;
  // A stream that is destroyed emits nothing more.
  if (incoming.destroyed) return ABORTED;
  return readWhole(incoming, announced) ?? readIncoming(incoming, limit);
}

/** A small body that came with its head, and is in the stream as a whole. */
function readWhole(incoming: IncomingMessage, announced: number): BodyRead | undefined {
  if (announced === 0 || incoming.readableLength !== announced || incoming.readableFlowing !== null) return undefined;
  const bytes = incoming.read() as Buffer;
  // The end of the stream must still be read.
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
      // The rest is read and dropped: a client that is cut off while it writes does not see the answer.
      incoming.off('data', onData).off('end', onEnd).resume();
      resolve(TOO_LARGE);
    };
    const onEnd = () =>
      resolve({ ok: true, bytes: chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks, size) });
    const onGone = () => resolve(ABORTED);
    incoming.on('data', onData).once('end', onEnd).once('error', onGone).once('close', onGone);
  });
}

/** A shorter answer is sent in one piece. */
const WHOLE_ANSWER_BYTES = 64 * 1024;
/** The size of a chunk of a long answer, in bytes: what a slow reader keeps in memory. */
const CHUNK_BYTES = 256 * 1024;
/** Bytes of this size are sent without a copy; smaller ones are gathered. */
const LARGE_BYTES = 8 * 1024;
/** A client that reads nothing for this time is gone. */
const STALLED_READER_MS = 60_000;

/** JSON as text or as UTF-8. */
type JsonElement = string | Buffer;

/**
 * Answers 200 with a JSON array of elements that are JSON already; one may also be several joined by commas. A long array
 * is made and written only as fast as the client reads, so that a slow reader costs one chunk and not the whole. `elements`
 * and their bytes must therefore not change any more.
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
  // The length is known if all are bytes; then no chunk needs a frame.
  const isBytes = elements.every((element) => typeof element !== 'string');
  outgoing.writeHead(200, isBytes ? { ...headers, 'content-length': String(size) } : headers);
  writeAsRead(outgoing, arrayChunks(elements));
  return RESPONSE_ALREADY_SENT;
}

const OPENING_BRACKET = 0x5b;
const COMMA = 0x2c;

/** Encodes text by text: four times as fast as joining the texts and encoding the sum. */
function* arrayChunks(elements: readonly JsonElement[]): Generator<Buffer, void> {
  let bytes = Buffer.allocUnsafe(CHUNK_BYTES);
  let start = 0;
  let used = 0;
  for (const [index, element] of elements.entries()) {
    const isText = typeof element === 'string';
    const isLarge = !isText && element.length >= LARGE_BYTES;
    // A UTF-16 unit takes at most three bytes, the brackets and the newline three more.
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
  /** Node gathers the writes of one turn. After cork(), Node 24 may wait for a drain that never comes. */
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
