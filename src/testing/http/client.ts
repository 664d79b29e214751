import { Agent, type IncomingHttpHeaders, request } from 'node:http';
import type { Duplex } from 'node:stream';
import { systemCodeOf } from '../../kernel/errors.ts';
import { HANG_MS } from '../eventually.ts';
import type { Cleanup } from '../processes.ts';

export interface PlainRequest {
  readonly method: string;
  /** Sent without validation. */
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Buffer;
}

export interface PlainResponse {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** A client without redirects or corrections; keeps connections alive and times out after {@link HANG_MS}. */
export class PlainClient {
  readonly #agent: Agent;
  readonly #base: URL;
  /** Connections with at least one response. */
  readonly #used = new WeakSet<Duplex>();

  constructor(t: Cleanup, url: string, { connections = 8 } = {}) {
    this.#agent = new Agent({ keepAlive: true, maxSockets: connections });
    this.#agent.on('free', (socket: Duplex) => this.#used.add(socket));
    t.after(() => this.#agent.destroy());
    this.#base = new URL(url);
  }

  send(plain: PlainRequest): Promise<PlainResponse> {
    const { method, path, headers = {}, body } = plain;
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
      outgoing.on('error', (error) => {
        // A server may close an idle connection just before the next request. Node's `reusedSocket` is not set if the
        // request has waited for the connection.
        const isLate = this.#used.has(outgoing.socket as Duplex) && systemCodeOf(error) === 'ECONNRESET';
        if (isLate) this.send(plain).then(done, fail);
        else fail(error);
      });
      outgoing.end(body);
    });
  }

  get(path: string): Promise<PlainResponse> {
    return this.send({ method: 'GET', path });
  }

  /** Sends a value as JSON. */
  post(path: string, value: unknown): Promise<PlainResponse> {
    const body = JSON.stringify(value);
    return this.send({ method: 'POST', path, headers: { 'Content-Type': 'application/json' }, body });
  }
}
