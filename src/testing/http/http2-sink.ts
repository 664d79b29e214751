import {
  createSecureServer,
  type Http2SecureServer,
  type Http2ServerRequest,
  type Http2ServerResponse,
  type ServerHttp2Session,
} from 'node:http2';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import type { TLSSocket } from 'node:tls';
import { SERVER } from '../../kernel/testdata/tls-certificates.ts';
import type { Cleanup } from '../processes.ts';

export interface SecureRequest {
  /** `2.0` or `1.1` */
  readonly version: string;
  readonly path: string;
  readonly headers: Http2ServerRequest['headers'];
  readonly body: string;
}

export interface SecureSink {
  readonly url: string;
  readonly port: number;
  readonly requests: readonly SecureRequest[];
  /** Of TLS; those that are closed, too. */
  readonly connections: readonly TLSSocket[];
  /** Of HTTP/2. */
  readonly sessions: readonly ServerHttp2Session[];
  readonly server: Http2SecureServer;
}

export type SecureAnswer = (response: Http2ServerResponse, request: SecureRequest, index: number) => void;

interface SecureSinkOptions {
  /** HTTP/2 before HTTP/1.1 unless given. */
  readonly protocols?: 'h2' | 'http/1.1' | 'both';
  readonly answer?: SecureAnswer;
  readonly maxConcurrentStreams?: number;
}

/** A server that speaks TLS and these protocols, and keeps the requests. Answers 200 by default. */
export async function startSecureSink(t: Cleanup, options: SecureSinkOptions = {}): Promise<SecureSink> {
  const { protocols = 'both', answer = (response) => response.end(), maxConcurrentStreams } = options;
  const requests: SecureRequest[] = [];
  const connections: TLSSocket[] = [];
  const sessions: ServerHttp2Session[] = [];
  const settings = maxConcurrentStreams === undefined ? {} : { maxConcurrentStreams };
  const server = createSecureServer({ ...SERVER, settings, allowHTTP1: protocols !== 'h2' });
  if (protocols === 'http/1.1') Object.assign(server, { ALPNProtocols: Buffer.from('\bhttp/1.1') });
  server.on('request', async (incoming, response) => {
    response.on('error', () => {});
    const body = await text(incoming).catch(() => undefined);
    if (body === undefined) return;
    const request = { version: incoming.httpVersion, path: incoming.url, headers: incoming.headers, body };
    answer(response, request, requests.push(request) - 1);
  });
  server.on('secureConnection', (socket: TLSSocket) => connections.push(socket.on('error', () => {})));
  server.on('session', (session) => void sessions.push(session.on('error', () => {})));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.after(async () => {
    for (const socket of connections) socket.destroy();
    await new Promise((resolve) => server.close(resolve));
  });
  const { port } = server.address() as AddressInfo;
  return { url: `https://127.0.0.1:${port}`, port, requests, connections, sessions, server };
}
