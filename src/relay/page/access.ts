import { createHash, timingSafeEqual } from 'node:crypto';
import { findForwarding, hostnameOf, isForeign, isLoopbackHost } from '../../kernel/http/site-address.ts';

/** What the access to the page depends on, of a request. */
export interface PageRequest {
  readonly method: string;
  /** The IP address of the client; undefined: unknown. */
  readonly peer: string | undefined;
  /** Such as `1.1`. */
  readonly httpVersion: string;
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
}

/**
 * `closed`: the page is not open to this client; `no token`: a valid one opens it; `foreign`: a page of another site sent the
 * request. The reason names the remedy.
 */
export interface PageRefusal {
  readonly kind: 'closed' | 'no token' | 'foreign';
  readonly reason: string;
}

/** Decides who may use the page and its API: clients on this machine, and elsewhere those with the token. */
export class PageAccess {
  readonly #token: Buffer | undefined;

  /** Undefined: clients on this machine only. */
  constructor(token: string | undefined) {
    this.#token = token === undefined ? undefined : digest(token);
  }

  /** The refusal of the page itself, which has no secrets: it opens where a token is to be entered, too. */
  refusePage(request: PageRequest): PageRefusal | undefined {
    return this.#token ? undefined : this.#refuseUnlessDirect(request);
  }

  /** The refusal of a request to the API. */
  refuse(request: PageRequest): PageRefusal | undefined {
    const { authorization } = request.headers;
    if (typeof authorization === 'string' && this.#isToken(authorization)) return undefined;
    const refusal = this.#refuseUnlessDirect(request);
    if (!refusal) return refuseForeign(request);
    if (!this.#token) return refusal;
    return { kind: 'no token', reason: 'send the page token as the header Authorization: Bearer …' };
  }

  #isToken(authorization: string): boolean {
    const [, given] = /^bearer +(\S+)$/i.exec(authorization) ?? [];
    return given !== undefined && this.#token !== undefined && timingSafeEqual(digest(given), this.#token);
  }

  #refuseUnlessDirect(request: PageRequest): PageRefusal | undefined {
    const obstacle = findObstacle(request);
    if (obstacle === undefined) return undefined;
    const remedy = 'open it on this machine by localhost, or start the relay with --page-token (PAGE_TOKEN)';
    return { kind: 'closed', reason: `the page of this relay is not open here, as ${obstacle}: ${remedy}` };
  }
}

/** Why a request does not count as one of a client on this machine; a proxy on this machine forwards others' requests. */
function findObstacle({ peer, httpVersion, headers }: PageRequest): string | undefined {
  if (peer === undefined || !isLoopbackHost(peer.replace(/^::ffff:(?=\d)/i, '')))
    return 'the client is another machine';
  const host = headers.host;
  const name = typeof host === 'string' ? hostnameOf(host) : undefined;
  if (name === undefined || !isLoopbackHost(name)) return 'the Host of the request is not localhost';
  const header = findForwarding(Object.keys(headers));
  if (header !== undefined) return `the header ${header} shows a proxy`;
  // Browsers use a newer version; nginx forwards requests with it, and by default without a header that shows a proxy.
  if (httpVersion === '1.0') return 'HTTP/1.0 shows a proxy';
  return undefined;
}

function refuseForeign({ method, headers }: PageRequest): PageRefusal | undefined {
  if (method === 'GET' || method === 'HEAD') return undefined;
  const text = (name: string) => {
    const value = headers[name];
    return typeof value === 'string' ? value : undefined;
  };
  const origin = text('origin');
  if (!isForeign({ origin, host: text('host'), site: text('sec-fetch-site') })) return undefined;
  return {
    kind: 'foreign',
    reason: `pages of ${JSON.stringify(origin ?? 'another site')} may not change anything here`,
  };
}

const digest = (text: string): Buffer => createHash('sha256').update(text).digest();
