import type { ServerResponse } from 'node:http';

/**
 * What happens to a stream request instead of being served.
 * `hang`: no response. `reset`: cuts the connection without a response. `silence`: a head, and nothing after it.
 */
export type StreamFault =
  | 'hang'
  | 'reset'
  | 'silence'
  | { readonly status: number; readonly headers?: Readonly<Record<string, string>>; readonly body?: string }
  | WrittenFault;

interface WrittenFault {
  /** Written in turn, with backpressure. */
  readonly chunks: Iterable<string | Buffer>;
  /** After the chunks; `hold` leaves the stream open. */
  readonly ending: 'hold' | 'end' | 'cut';
  readonly contentType?: string;
}

/** An event on the wire; `data` other than a string is sent as JSON. */
export function sseEvent(event: string, data: unknown): string {
  return `event: ${event}\ndata: ${typeof data === 'string' ? data : JSON.stringify(data)}\n\n`;
}

export function answerStatus(status: number, body = ''): StreamFault {
  return { status, body };
}

export function redirectTo(location: string, status = 307): StreamFault {
  return { status, headers: { location } };
}

/** Cuts the connection in the middle of a put. */
export function halfAnEvent(): StreamFault {
  return { chunks: ['event: put\ndata: {"path":"/","data":{"flags":{"half":{"key":"ha'], ending: 'cut' };
}

/** A put with invalid JSON. */
export function malformedJson(): StreamFault {
  return { chunks: [sseEvent('put', '{"path":"/","data":{"flags":{]')], ending: 'hold' };
}

/** A put of about this many bytes, on one line, with the flag `last` at its end. */
export function bigPut(bytes: number): StreamFault {
  return { chunks: bigPutChunks(bytes), ending: 'hold' };
}

function* bigPutChunks(bytes: number): Generator<string> {
  yield 'event: put\ndata: {"path":"/","data":{"segments":{},"flags":{';
  const padding = 'x'.repeat(64 * 1024);
  for (let index = 0, left = bytes; left > 0; index++, left -= padding.length) {
    yield `"big-${index}":${JSON.stringify(plainFlag(`big-${index}`, padding))},`;
  }
  yield `"last":${JSON.stringify(plainFlag('last', true))}}}}\n\n`;
}

/** A line of this many bytes. */
export function endlessLine(bytes: number): StreamFault {
  return { chunks: endlessChunks(bytes), ending: 'hold' };
}

function* endlessChunks(bytes: number): Generator<Buffer> {
  yield Buffer.from('data: ');
  const chunk = Buffer.alloc(64 * 1024, 'x');
  for (let left = bytes; left > 0; left -= chunk.length) yield chunk;
}

/** A flag that is on with a single value, visible to all SDKs. */
export function plainFlag(key: string, value: unknown, version = 1): Readonly<Record<string, unknown>> {
  return {
    key,
    version,
    on: true,
    salt: `salt-${key}`,
    variations: [value],
    offVariation: 0,
    fallthrough: { variation: 0 },
    prerequisites: [],
    targets: [],
    rules: [],
    clientSideAvailability: { usingMobileKey: true, usingEnvironmentId: true },
    trackEvents: false,
    debugEventsUntilDate: null,
  };
}

export function applyFault(fault: StreamFault, response: ServerResponse): void {
  if (fault === 'hang') return;
  if (fault === 'reset') response.destroy();
  else if (fault === 'silence') startStream(response);
  else if ('status' in fault) response.writeHead(fault.status, fault.headers).end(fault.body ?? '');
  else writeFault(fault, response);
}

function writeFault({ chunks: pieces, ending, contentType }: WrittenFault, response: ServerResponse): void {
  startStream(response, contentType);
  const chunks = pieces[Symbol.iterator]();
  const write = () => {
    for (let chunk = chunks.next(); !response.destroyed; chunk = chunks.next()) {
      if (chunk.done) return void finish(response, ending);
      if (!response.write(chunk.value)) return void response.once('drain', write);
    }
  };
  write();
}

export function startStream(response: ServerResponse, contentType = 'text/event-stream; charset=utf-8'): void {
  response.writeHead(200, { 'content-type': contentType, 'cache-control': 'no-cache' });
  response.flushHeaders();
}

function finish(response: ServerResponse, how: 'hold' | 'end' | 'cut'): void {
  if (how === 'end') response.end();
  // The callback of an empty write runs after all earlier writes are flushed.
  else if (how === 'cut') response.write('', () => response.destroy());
}
