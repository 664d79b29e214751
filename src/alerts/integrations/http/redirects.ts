import type { AnswerRules, HttpAnswer } from '../../../kernel/http-client/exchange.ts';
import { HttpClientError } from '../../../kernel/http-client/failure.ts';
import type { HttpRequest, SendsRequests } from '../../../kernel/http-client/http-client.ts';
import { copyHeaders, type HeaderFields, sortedHeaders } from './headers.ts';

const MAX_REDIRECTS = 10;

export interface TransportRequest extends HttpRequest, AnswerRules {
  readonly url: URL;
  readonly headers: HeaderFields;
}

/** Sends a request whose redirects are answers, with its headers in the order of their names. */
export function sendOnce(transport: SendsRequests, request: TransportRequest): Promise<HttpAnswer> {
  return transport.send({ ...request, headers: sortedHeaders(request.headers) });
}

/**
 * Sends a request and follows redirects like Go's client. Headers with these names, and the usual headers for credentials,
 * are sent only to the first host.
 */
export async function sendFollowing(
  transport: SendsRequests,
  first: TransportRequest,
  secretHeaders: readonly string[] = [],
): Promise<HttpAnswer> {
  const headers = copyHeaders(first.headers);
  let request: TransportRequest = { ...first, headers };
  for (let redirects = 0; ; redirects++) {
    const answer = await sendOnce(transport, request);
    const location = answer.headers.get('location');
    if (!isRedirect(answer.status) || !location) return answer;
    if (redirects === MAX_REDIRECTS) throw new HttpClientError(`stopped after ${MAX_REDIRECTS} redirects`);
    const url = withoutUser(nextTarget(location, request.url));
    request = { ...request, url };
    if (answer.status < 307) {
      request = { ...request, method: 'GET', body: undefined };
      delete headers['content-type'];
    }
    // After leaving the first host, its secrets are not sent again, even on a redirect back.
    if (!isAtHome(url.hostname, first.url.hostname)) {
      for (const name of ['authorization', 'cookie', 'cookie2', ...secretHeaders]) delete headers[name];
    }
  }
}

const isRedirect = (status: number) => [301, 302, 303, 307, 308].includes(status);

function isAtHome(host: string, home: string): boolean {
  return host === home || (!/[:%\]]/.test(host) && !/^[\d.]+$/.test(home) && host.endsWith(`.${home}`));
}

function nextTarget(location: string, from: URL): URL {
  if (!URL.canParse(location, from.href)) throw new HttpClientError('the server redirects to what is no URL');
  return readTarget(new URL(location, from).href);
}

export function readTarget(url: string): URL {
  if (!URL.canParse(url)) throw new HttpClientError('the URL cannot be read');
  const target = new URL(url);
  if (target.protocol === 'http:' || target.protocol === 'https:') return target;
  throw new HttpClientError(`unsupported scheme "${target.protocol.slice(0, -1)}" for URL`);
}

export function withoutUser(url: URL): URL {
  if (!url.username && !url.password) return url;
  const copy = new URL(url);
  copy.username = '';
  copy.password = '';
  return copy;
}
