import type { IncomingHttpHeaders } from 'node:http';
import { Readable } from 'node:stream';

/** A request that a worker does not answer itself. */
export interface ForwardedRequest {
  readonly method: string;
  /** Path and query. */
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
  readonly remoteAddress: string | undefined;
  readonly isEncrypted: boolean;
  readonly body: Uint8Array | undefined;
}

export interface ForwardedAnswer {
  readonly status: number;
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body: Uint8Array<ArrayBuffer>;
}

/** Answers as if the request had come over a connection; no streams. */
export async function answerForwarded(
  fetch: (request: Request, env: object) => Response | Promise<Response>,
  forwarded: ForwardedRequest,
): Promise<ForwardedAnswer> {
  const { method, url, headers: fields, remoteAddress, isEncrypted, body } = forwarded;
  const headers = new Headers(Object.entries(fields).flatMap(([name, value]) => headerFields(name, value)));
  const incoming = new Readable({ read() {} });
  if (body && body.length > 0) incoming.push(body);
  incoming.push(null);
  Object.assign(incoming, { method, url, headers: fields, socket: { remoteAddress, encrypted: isEncrypted } });
  const request = { method, url: `http://${fields.host ?? 'localhost'}${url}`, headers };
  const response = await fetch(request as Request, { incoming });
  return {
    status: response.status,
    headers: [...response.headers].map(([name, value]) => [name, value] as const),
    body: new Uint8Array(await response.arrayBuffer()),
  };
}

function headerFields(name: string, value: string | string[] | undefined): [string, string][] {
  // HTTP/2 has method and path among them.
  if (value === undefined || name.startsWith(':')) return [];
  return [value].flat().map((one) => [name, one]);
}
