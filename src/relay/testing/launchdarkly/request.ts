import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { gunzipSync } from 'node:zlib';

export interface UpstreamRequest {
  readonly method: string;
  /** Without the query. */
  readonly path: string;
  readonly query: URLSearchParams;
  readonly headers: IncomingHttpHeaders;
  /** Inflated if sent as gzip. */
  readonly body: string;
  /** The body as received. */
  readonly rawBody: Buffer;
  /** The parsed body; throws if it is not JSON. */
  readonly json: unknown;
  /** Epoch milliseconds. */
  readonly at: number;
}

/** Reads a request with its body; rejects if the client disconnects before its end. */
export async function readRequest(incoming: IncomingMessage): Promise<UpstreamRequest> {
  const chunks: Buffer[] = [];
  for await (const chunk of incoming) chunks.push(chunk as Buffer);
  const rawBody = Buffer.concat(chunks);
  const { method = '', headers } = incoming;
  const { pathname, searchParams } = new URL(incoming.url ?? '/', 'http://fake');
  const isGzip = headers['content-encoding'] === 'gzip' && rawBody.length > 0;
  const body = (isGzip ? gunzipSync(rawBody) : rawBody).toString('utf8');
  return {
    method,
    path: pathname,
    query: searchParams,
    headers,
    body,
    rawBody,
    get json() {
      return JSON.parse(body) as unknown;
    },
    at: Date.now(),
  };
}
