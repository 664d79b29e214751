import { type ClientHttp2Session, connect as connectHttp2 } from 'node:http2';
import { connect } from 'node:net';
import { connect as connectTls } from 'node:tls';

/** Must occur once in each counted event and nowhere else, so that clients count events without parsing. */
export const MARK = '~';
const MARK_BYTE = MARK.charCodeAt(0);
/** Concurrent connection attempts of `connect`. */
const CONCURRENCY = 200;
const READ_BYTES = 64 * 1024;
/** Streams of one HTTP/2 connection, as most servers allow. */
const STREAMS_A_CONNECTION = 100;
const HOST = '127.0.0.1';

/** Times of performance.now() in milliseconds. */
export interface EventTimes {
  readonly firstAt: number;
  readonly lastAt: number;
}

interface Stream {
  destroy(): void;
}

/** Opens one stream with a request, given as HTTP/1.1 writes it. */
type OpenStream = (
  target: { readonly port: number; readonly request: string },
  received: (chunk: Buffer) => void,
  failed: (error: Error) => void,
) => Stream;

const openPlain: OpenStream = ({ port, request }, received, failed) => {
  const buffer = Buffer.allocUnsafe(READ_BYTES);
  const callback = (length: number) => {
    received(buffer.subarray(0, length));
    return true;
  };
  const socket = connect({ port, host: HOST, onread: { buffer, callback } }, () => socket.write(request));
  return socket.on('error', failed);
};

const openTls: OpenStream = ({ port, request }, received, failed) => {
  const socket = connectTls({ port, host: HOST, rejectUnauthorized: false }, () => socket.write(request));
  return socket.on('data', received).on('error', failed);
};

/** A hundred streams share a connection. */
function http2Opener(): OpenStream {
  let session: ClientHttp2Session;
  let opened = 0;
  return ({ port, request }, received, failed) => {
    if (opened++ % STREAMS_A_CONNECTION === 0)
      session = connectHttp2(`https://${HOST}:${port}`, { rejectUnauthorized: false }).on('error', failed);
    const [first = '', ...lines] = request.trimEnd().split('\r\n');
    const headers = lines.map((line) => line.split(': ', 2)).filter(([name]) => name !== 'Host');
    const stream = session.request({ ':path': first.split(' ')[1], ...Object.fromEntries(headers) });
    stream.on('data', received).on('error', failed);
    const own = session;
    return { destroy: () => own.destroy() };
  };
}

export type StreamProtocol = 'http' | 'https' | 'http2';
const OPENERS: Readonly<Record<StreamProtocol, () => OpenStream>> = {
  http: () => openPlain,
  https: () => openTls,
  http2: http2Opener,
};

/** Many streams of one request each, which count marked events. */
export class StreamClients {
  readonly #streams: Stream[] = [];
  readonly #port: number;
  readonly #request: string;
  readonly #openStream: OpenStream;
  #received = 0;
  #expected = Number.POSITIVE_INFINITY;
  #firstAt = 0;
  #resolve: (times: EventTimes) => void = () => {};
  #reject: (error: Error) => void = () => {};

  constructor(port: number, request: string, protocol: StreamProtocol = 'http') {
    this.#port = port;
    this.#request = request;
    this.#openStream = OPENERS[protocol]();
  }

  /** Opens streams; resolves when each has received one event. */
  async connect(count: number): Promise<void> {
    for (let left = count; left > 0; left -= CONCURRENCY) await this.connectAtOnce(Math.min(left, CONCURRENCY));
  }

  /** The same, with all connection attempts at once. */
  connectAtOnce(count: number): Promise<EventTimes> {
    const received = this.receive(count);
    for (let index = 0; index < count; index++) this.#open();
    return received;
  }

  /** Resolves when this many further events have been received; by default one per client. */
  receive(events = this.#streams.length): Promise<EventTimes> {
    this.#received = 0;
    this.#firstAt = 0;
    this.#expected = events;
    return new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
  }

  close(): void {
    for (const stream of this.#streams) stream.destroy();
  }

  #open(): void {
    const target = { port: this.#port, request: this.#request };
    const received = (chunk: Buffer) => this.#count(chunk);
    this.#streams.push(this.#openStream(target, received, (error) => this.#reject(error)));
  }

  #count(chunk: Buffer): void {
    for (let at = chunk.indexOf(MARK_BYTE); at !== -1; at = chunk.indexOf(MARK_BYTE, at + 1)) {
      if (this.#firstAt === 0) this.#firstAt = performance.now();
      this.#received++;
    }
    if (this.#received >= this.#expected) this.#resolve({ firstAt: this.#firstAt, lastAt: performance.now() });
  }
}
