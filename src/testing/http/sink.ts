import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface SinkRequest {
  readonly method: string;
  /** Path and query. */
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
  /** Of the client: the same for all requests on one connection. */
  readonly port: number | undefined;
  /** The parsed body; throws if it is not JSON. */
  readonly json: unknown;
}

/** `hang` never answers, `reset` cuts the connection. */
export type SinkAnswer =
  | {
      readonly status?: number;
      readonly headers?: Record<string, string>;
      readonly body?: string;
      /** Cuts the connection after the body. */
      readonly isCut?: boolean;
    }
  | 'hang'
  | 'reset';

export interface HttpSink {
  /** `http://127.0.0.1:port` */
  readonly url: string;
  readonly requests: SinkRequest[];
  /** Number of requests whose connection was closed before the response. */
  readonly abandoned: number;
  /** Resolves with all requests when there are at least this many. */
  received(count: number): Promise<readonly SinkRequest[]>;
}

/** A recording server on a free port; by default answers with 200 without a body. */
export async function startHttpSink(
  t: { after(end: () => Promise<void>): void },
  answer: (request: SinkRequest, index: number) => SinkAnswer | Promise<SinkAnswer> = () => ({}),
): Promise<HttpSink> {
  const requests: SinkRequest[] = [];
  let abandoned = 0;
  const waiting: { readonly count: number; readonly resolve: (all: readonly SinkRequest[]) => void }[] = [];
  const server = createServer(async (incoming, response) => {
    const request = await readRequest(incoming);
    requests.push(request);
    response.once('close', () => {
      if (!response.writableFinished) abandoned++;
    });
    const answered = answer(request, requests.length - 1);
    if (!(answered instanceof Promise)) respond(response, answered);
    for (const { count, resolve } of waiting) if (requests.length >= count) resolve(requests);
    if (answered instanceof Promise) respond(response, await answered);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.after(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    get abandoned() {
      return abandoned;
    },
    received: (count) =>
      requests.length >= count
        ? Promise.resolve(requests)
        : new Promise((resolve) => {
            waiting.push({ count, resolve });
          }),
  };
}

async function readRequest(incoming: IncomingMessage): Promise<SinkRequest> {
  let body = '';
  incoming.setEncoding('utf8');
  for await (const chunk of incoming) body += chunk;
  return {
    method: incoming.method ?? '',
    path: incoming.url ?? '',
    headers: incoming.headers,
    body,
    port: incoming.socket.remotePort,
    get json() {
      return JSON.parse(body) as unknown;
    },
  };
}

function respond(response: ServerResponse, answer: SinkAnswer): void {
  if (answer === 'hang') return;
  if (answer === 'reset') {
    response.destroy();
    return;
  }
  response.writeHead(answer.status ?? 200, answer.headers);
  if (answer.isCut) response.write(answer.body ?? '', () => response.destroy());
  else response.end(answer.body ?? '');
}
