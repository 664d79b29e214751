import { randomUUID } from 'node:crypto';
import type { Readable } from 'node:stream';
import type { HttpClient, HttpStream } from '../../kernel/http-client/http-client.ts';
import type { ConnectionErrorKind } from '../status/connection-status.ts';

/** Why a connection to upstream is over. */
export interface UpstreamFailure {
  readonly kind: ConnectionErrorKind;
  readonly reason: string;
  readonly statusCode?: number | undefined;
  /** Nothing but another key, or another configuration upstream, would help. */
  readonly isRefusal?: boolean;
}

export type UpstreamHttp = Pick<HttpClient, 'open'>;

export interface UpstreamAddress {
  readonly streamUri: string;
  readonly sdkKey: string;
  readonly filter: string | undefined;
}

export type OpenedStream =
  | { readonly ok: true; readonly body: Readable }
  | { readonly ok: false; readonly failure: UpstreamFailure };

/** The Relay Proxy whose place this one takes, as LaunchDarkly and firewalls know it. */
export const USER_AGENT = 'LDRelay/8.10.1';

/** Of this process. */
const INSTANCE_ID = randomUUID();
const MAX_REDIRECTS = 5;
const REDIRECTS: readonly number[] = [301, 302, 303, 307, 308];
/** Statuses from 400 to 499 that a repetition may cure. */
const PASSING: readonly number[] = [400, 408, 429];

/** Asks for the `/all` stream of an environment. Rejects when there is no answer. */
export async function openUpstreamStream(
  http: UpstreamHttp,
  { streamUri, sdkKey, filter }: UpstreamAddress,
  signal: AbortSignal,
): Promise<OpenedStream> {
  const query = filter === undefined || filter === '' ? '' : `?filter=${encodeURIComponent(filter)}`;
  let url = new URL(`${streamUri.replace(/\/+$/, '')}/all${query}`);
  const headers = {
    authorization: sdkKey,
    'user-agent': USER_AGENT,
    'x-launchdarkly-instance-id': INSTANCE_ID,
    accept: 'text/event-stream',
    'cache-control': 'no-cache',
  };
  for (let hops = 0; ; hops++) {
    const response = await http.open({ url, headers, signal });
    if (response.status === 200) return checkStream(response);
    response.body.destroy();
    if (!REDIRECTS.includes(response.status)) return { ok: false, failure: statusFailure(response.status) };
    const next = nextUrl(url, response.headers.get('location'));
    if (typeof next === 'string' || hops === MAX_REDIRECTS) {
      const reason = typeof next === 'string' ? next : 'redirects go on and on';
      return { ok: false, failure: { kind: 'ERROR_RESPONSE', statusCode: response.status, reason } };
    }
    url = next;
  }
}

function checkStream({ headers, body }: HttpStream): OpenedStream {
  const type = headers.get('content-type');
  const encoding = headers.get('content-encoding') ?? 'identity';
  if (encoding !== 'identity') {
    body.destroy();
    const reason = `the answer is encoded as ${encoding}, which was not asked for`;
    return { ok: false, failure: { kind: 'INVALID_DATA', reason } };
  }
  if (type === null || /^text\/event-stream\b/i.test(type)) return { ok: true, body };
  body.destroy();
  return { ok: false, failure: { kind: 'INVALID_DATA', reason: `the answer is ${type}, not an event stream` } };
}

function statusFailure(statusCode: number): UpstreamFailure {
  const isRefusal = statusCode >= 400 && statusCode < 500 && !PASSING.includes(statusCode);
  const reason = `the answer has the status ${statusCode}`;
  return { kind: 'ERROR_RESPONSE', statusCode, isRefusal, reason };
}

/** Where a redirect leads, or why it is not followed: the key is for this origin alone, and may only change to https. */
function nextUrl(from: URL, location: string | null): URL | string {
  if (location === null || !URL.canParse(location, from.href)) return 'a redirect leads nowhere';
  const to = new URL(location, from.href);
  const isSecured = from.protocol === 'http:' && to.protocol === 'https:' && to.hostname === from.hostname;
  if (to.origin !== from.origin && !isSecured)
    return `a redirect leads to another server, ${to.protocol}//${to.host}, which gets no key from here`;
  return to;
}
