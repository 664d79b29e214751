import type { MiddlewareHandler } from 'hono';
import type { HttpEnv } from '../../kernel/http/app.ts';
import { refuse } from './answers.ts';

export interface GuardParts {
  /** Whether a Host header names this server. */
  readonly isOwnHost: (host: string | undefined) => boolean;
  /** Whether a page of another site sent the request. */
  readonly isForeign: (headers: {
    readonly origin: string | undefined;
    readonly host: string | undefined;
    readonly site: string | undefined;
  }) => boolean;
}

/** Nothing inline, nothing from elsewhere; images may come out of the page itself. */
export const CONTENT_SECURITY_POLICY = [
  "default-src 'self'",
  "img-src 'self' data: blob:",
  "worker-src 'self'",
  "object-src 'none'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

const HEADERS: Readonly<Record<string, string>> = {
  'content-security-policy': CONTENT_SECURITY_POLICY,
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
};

/**
 * Puts the headers of safety on every answer, and lets through only who asks for this server by one of its names, and is
 * no page of another site. A link from elsewhere may lead to a page, not to the API.
 */
export function guardRequests({ isOwnHost, isForeign }: GuardParts): MiddlewareHandler<HttpEnv> {
  return async (c, next) => {
    for (const [name, value] of Object.entries(HEADERS)) c.header(name, value);
    const host = c.req.header('host');
    if (!isOwnHost(host))
      return refuse(c, 403, {
        error: 'the request asks for another host',
        code: 'foreign_host',
        hint: 'Open the address that the server prints, or name this one in USAGE_WEB_ALLOWED_HOSTS.',
      });
    const { method, path } = c.req;
    const isSafe = method === 'GET' || method === 'HEAD' || method === 'OPTIONS';
    const isPage = isSafe && !path.startsWith('/api/');
    const asked = { origin: c.req.header('origin'), host, site: c.req.header('sec-fetch-site') };
    if (!isPage && isForeign(asked))
      return refuse(c, 403, { error: 'the request comes from a page of another site', code: 'foreign_origin' });
    return next();
  };
}
