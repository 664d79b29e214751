import type { Readable } from 'node:stream';
import type { Dispatcher } from 'undici';
import { leaveWebAssemblyUnoptimized } from '../compiler.ts';
import { type ConnectionOptions, Connections } from './connections.ts';
import {
  type AnswerHeaders,
  type AnswerRules,
  exchangeOver,
  type HttpAnswer,
  readable,
  requireKnown,
} from './exchange.ts';
import { HttpClientError } from './failure.ts';

export interface HttpRequest {
  /** GET unless given. */
  readonly method?: string;
  /** Without a name and password. */
  readonly url: string | URL;
  /** Names in small letters. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array | Readable | undefined;
  /** The only time limit of the answer and its body. */
  readonly signal?: AbortSignal | undefined;
}

/** An answer whose body is a stream. It must be read to its end, or destroyed. */
export interface HttpStream {
  readonly status: number;
  readonly headers: AnswerHeaders;
  readonly body: Readable;
}

/** The part of a client for single requests. */
export type SendsRequests = Pick<HttpClient, 'send'>;

let undici: Promise<typeof import('undici')> | undefined;

/** Loads what the first request needs. In the one-file build each import() would copy all exports anew. */
export function loadHttpClient(): Promise<typeof import('undici')> {
  if (!undici) {
    leaveWebAssemblyUnoptimized();
    undici = import('undici');
  }
  return undici;
}

/**
 * Sends requests over kept connections, through TLS and proxies, with HTTP/1.1 or, if asked for, HTTP/2. Redirects and any status from 200 to 599 are
 * answers. Rejects with an error whose text may quote the request: describeFailure makes a safe text of it.
 */
export class HttpClient {
  readonly #connections: Connections;
  readonly #speaksHttp2: boolean;
  #isClosed = false;
  #underWay = 0;
  #whenIdle: (() => void) | undefined;

  constructor(options: ConnectionOptions = {}) {
    this.#connections = new Connections(options);
    this.#speaksHttp2 = options.http2 ?? false;
  }

  async send(request: HttpRequest & AnswerRules): Promise<HttpAnswer> {
    this.#underWay++;
    try {
      const target = readTarget(request.url);
      const dispatcher = await this.#dispatcherFor(target, request.signal);
      return await this.#exchange(dispatcher, target, request);
    } finally {
      if (--this.#underWay === 0) this.#whenIdle?.();
    }
  }

  async open(request: HttpRequest): Promise<HttpStream> {
    const target = readTarget(request.url);
    const dispatcher = await this.#dispatcherFor(target, request.signal);
    const { signal = null } = request;
    const { statusCode: status, headers, body } = await dispatcher.request({ ...toDispatch(target, request), signal });
    // A reader gets the error in its iteration; once it has stopped reading, the error does not matter.
    body.on('error', () => {});
    try {
      requireKnown(status);
    } catch (error) {
      body.destroy();
      throw error;
    }
    return { status, headers: readable(headers), body };
  }

  /** Closes all connections at once; later requests are refused. Idempotent. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#connections.destroy();
  }

  /** As `close`, after the last `send` has ended. */
  async finish(): Promise<void> {
    this.#isClosed = true;
    if (this.#underWay > 0) {
      await new Promise<void>((resolve) => {
        this.#whenIdle = resolve;
      });
    }
    await this.close();
  }

  async #exchange(dispatcher: Dispatcher, target: URL, request: HttpRequest & AnswerRules): Promise<HttpAnswer> {
    const { signal } = request;
    try {
      return await exchangeOver(dispatcher, toDispatch(target, request), signal, request);
    } catch (error) {
      if (signal?.aborted && this.#speaksHttp2 && target.protocol === 'https:') this.#connections.leave(dispatcher);
      throw error;
    }
  }

  async #dispatcherFor(target: URL, signal: AbortSignal | undefined): Promise<Dispatcher> {
    const dispatcher = await this.#connections.dispatcherFor(target, await loadHttpClient());
    if (this.#isClosed) throw new HttpClientError('the client is closed');
    signal?.throwIfAborted();
    return dispatcher;
  }
}

/** undici would refuse a name and password too, but quote them. */
function readTarget(url: string | URL): URL {
  if (typeof url === 'string' && !URL.canParse(url)) throw new HttpClientError('the URL cannot be read');
  const target = typeof url === 'string' ? new URL(url) : url;
  if (target.username || target.password) throw new HttpClientError('the URL must not hold a name or password');
  if (target.protocol === 'http:' || target.protocol === 'https:') return target;
  throw new HttpClientError(`unsupported scheme "${target.protocol.slice(0, -1)}" for URL`);
}

function toDispatch({ origin, pathname, search }: URL, { method = 'GET', headers = {}, body }: HttpRequest) {
  return {
    origin,
    path: `${pathname}${search}`,
    method: method as Dispatcher.HttpMethod,
    headers,
    body: body ?? null,
    // Set here, since the pools of a proxy do not inherit them.
    headersTimeout: 0,
    bodyTimeout: 0,
  };
}
