import { Agent, type IncomingHttpHeaders, request } from 'node:http';
import type { Duplex } from 'node:stream';
import { HANG_MS } from './eventually.ts';
import type { Cleanup } from './processes.ts';

export interface PlainRequest {
  readonly method: string;
  /** Sent as it is, broken or not. */
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Buffer;
}

export interface PlainResponse {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** A server closes a connection that has been idle for five seconds, perhaps just when the next request is on its way. */
const LONGEST_IDLE_MS = 2_000;

/** A client that keeps its connections, follows nothing, corrects nothing and times out after {@link HANG_MS}. */
export class HttpClient {
  readonly #agent: Agent;
  readonly #base: URL;
  readonly #idleSince = new WeakMap<Duplex, number>();

  constructor(t: Cleanup, url: string, { connections = 8 } = {}) {
    this.#agent = new Agent({ keepAlive: true, maxSockets: connections });
    this.#agent.on('free', (socket: Duplex) => this.#idleSince.set(socket, performance.now()));
    t.after(() => this.#agent.destroy());
    this.#base = new URL(url);
  }

  send({ method, path, headers = {}, body }: PlainRequest): Promise<PlainResponse> {
    this.#endIdle();
    return new Promise((done, fail) => {
      const { hostname, port } = this.#base;
      const length = body === undefined ? {} : { 'Content-Length': String(Buffer.byteLength(body)) };
      const outgoing = request(
        { agent: this.#agent, hostname, port, method, path, headers: { ...length, ...headers }, timeout: HANG_MS },
        (response) => {
          const chunks: Buffer[] = [];
          response.on('data', (chunk: Buffer) => chunks.push(chunk));
          response.on('error', fail);
          response.on('end', () =>
            done({
              status: response.statusCode ?? 0,
              headers: response.headers,
              body: Buffer.concat(chunks).toString('utf8'),
            }),
          );
        },
      );
      outgoing.on('timeout', () => outgoing.destroy(new Error(`${method} ${path}: no answer within ${HANG_MS} ms`)));
      outgoing.on('error', fail);
      outgoing.end(body);
    });
  }

  /** A timer would be too late where this process has been busy. */
  #endIdle(): void {
    for (const socket of Object.values(this.#agent.freeSockets).flatMap((sockets) => sockets ?? []))
      if (performance.now() - (this.#idleSince.get(socket) ?? 0) > LONGEST_IDLE_MS) socket.destroy();
  }

  get(path: string): Promise<PlainResponse> {
    return this.send({ method: 'GET', path });
  }

  /** Sends a value as JSON, with the content type that the API asks for. */
  post(path: string, value: unknown): Promise<PlainResponse> {
    const body = JSON.stringify(value);
    return this.send({ method: 'POST', path, headers: { 'Content-Type': 'application/json' }, body });
  }
}
