import { randomUUID } from 'node:crypto';
import type { Readable } from 'node:stream';
import type { HttpClient, HttpStream } from '../../kernel/http-client/http-client.ts';
import { accepted, type Outcome } from '../../kernel/outcome.ts';
import type { ConnectionErrorKind } from '../status/connection-status.ts';
import { RELAY_VERSION } from '../version.ts';

/** Why a connection to upstream ended. */
export interface UpstreamFailure {
  readonly kind: ConnectionErrorKind;
  readonly reason: string;
  readonly statusCode?: number | undefined;
  /** A retry does not help without another key or configuration. */
  readonly isRefusal?: boolean;
}

export type UpstreamHttp = Pick<HttpClient, 'open'>;

export interface UpstreamAddress {
  readonly url: URL;
  /** For the header Authorization. */
  readonly key: string;
}

type OpenedStream = Outcome<Readable, UpstreamFailure>;

/** That of the Relay Proxy, which LaunchDarkly and firewalls expect. */
export const USER_AGENT = `LDRelay/${RELAY_VERSION}`;

/** Identifies this process. */
const INSTANCE_ID = randomUUID();
const MAX_REDIRECTS = 5;
const REDIRECTS: readonly number[] = [301, 302, 303, 307, 308];
/** 4xx statuses that are worth a retry. */
const RETRYABLE: readonly number[] = [400, 408, 429];

/** The URL of a stream below `streamUri`, which may have a path. */
export function streamUrl(streamUri: string, path: string, query: Readonly<Record<string, string>>): URL {
  const pairs = Object.entries(query).map(([name, value]) => `${name}=${encodeURIComponent(value)}`);
  return new URL(`${streamUri.replace(/\/+$/, '')}${path}${pairs.length === 0 ? '' : `?${pairs.join('&')}`}`);
}

/** Opens a stream, following redirects. Rejects without a response. */
export async function openUpstreamStream(
  http: UpstreamHttp,
  address: UpstreamAddress,
  signal: AbortSignal,
): Promise<OpenedStream> {
  let { url } = address;
  const headers = {
    authorization: address.key,
    'user-agent': USER_AGENT,
    'x-launchdarkly-instance-id': INSTANCE_ID,
    accept: 'text/event-stream',
    'cache-control': 'no-cache',
  };
  for (let hops = 0; ; hops++) {
    const response = await http.open({ url, headers, signal });
    if (response.status === 200) return checkStream(response);
    response.body.destroy();
    if (!REDIRECTS.includes(response.status)) return { ok: false, ...statusFailure(response.status) };
    const next = nextUrl(url, response.headers.get('location'));
    if (typeof next === 'string' || hops === MAX_REDIRECTS) {
      const reason = typeof next === 'string' ? next : 'too many redirects';
      return { ok: false, kind: 'ERROR_RESPONSE', statusCode: response.status, reason };
    }
    url = next;
  }
}

function checkStream({ headers, body }: HttpStream): OpenedStream {
  const type = headers.get('content-type');
  const encoding = headers.get('content-encoding') ?? 'identity';
  if (encoding !== 'identity') {
    body.destroy();
    const reason = `the response is encoded as ${encoding}, which was not requested`;
    return { ok: false, kind: 'INVALID_DATA', reason };
  }
  if (type === null || /^text\/event-stream\b/i.test(type)) return accepted(body);
  body.destroy();
  return { ok: false, kind: 'INVALID_DATA', reason: `the response is ${type}, not an event stream` };
}

function statusFailure(statusCode: number): UpstreamFailure {
  const isRefusal = statusCode >= 400 && statusCode < 500 && !RETRYABLE.includes(statusCode);
  const reason = `the response has the status ${statusCode}`;
  return { kind: 'ERROR_RESPONSE', statusCode, isRefusal, reason };
}

/** The target of a redirect, or why it is not followed: the key must not leave its origin, except from http to https. */
function nextUrl(from: URL, location: string | null): URL | string {
  if (location === null || !URL.canParse(location, from.href)) return 'a redirect has no valid location';
  const to = new URL(location, from.href);
  const isSecured = from.protocol === 'http:' && to.protocol === 'https:' && to.hostname === from.hostname;
  if (to.origin !== from.origin && !isSecured)
    return `a redirect leads to another server, ${to.protocol}//${to.host}, which must not get the key`;
  return to;
}
