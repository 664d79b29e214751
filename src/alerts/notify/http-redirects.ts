import { HttpSetupError } from './http-error.ts';
import { copyHeaders } from './http-headers.ts';
import type { HttpTransport, TransportRequest } from './http-transport.ts';
import type { HttpAnswer } from './notifier.ts';

const MOST_REDIRECTS = 10;

/**
 * Sends a request and follows redirects as Go's client does. Headers of these names, and those that always authorize, stay
 * with the first host.
 */
export async function sendFollowing(
  transport: HttpTransport,
  first: TransportRequest,
  secretHeaders: readonly string[] = [],
): Promise<HttpAnswer> {
  const headers = copyHeaders(first.headers);
  let request: TransportRequest = { ...first, headers };
  for (let redirects = 0; ; redirects++) {
    const answer = await transport.send(request);
    const location = answer.headers.get('location');
    if (!isRedirect(answer.status) || !location) return answer;
    if (redirects === MOST_REDIRECTS) throw new HttpSetupError(`stopped after ${MOST_REDIRECTS} redirects`);
    const url = withoutUser(nextTarget(location, request.url));
    request = { ...request, url };
    if (answer.status < 307) {
      request = { ...request, method: 'GET', body: undefined };
      delete headers['content-type'];
    }
    // Once left, the first host's secrets stay behind, even if the way leads back.
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
  if (!URL.canParse(location, from.href)) throw new HttpSetupError('the server redirects to what is no URL');
  return readTarget(new URL(location, from).href);
}

export function readTarget(url: string): URL {
  if (!URL.canParse(url)) throw new HttpSetupError('the URL cannot be read');
  const target = new URL(url);
  if (target.protocol === 'http:' || target.protocol === 'https:') return target;
  throw new HttpSetupError(`unsupported scheme "${target.protocol.slice(0, -1)}" for URL`);
}

export function withoutUser(url: URL): URL {
  if (!url.username && !url.password) return url;
  const copy = new URL(url);
  copy.username = '';
  copy.password = '';
  return copy;
}
