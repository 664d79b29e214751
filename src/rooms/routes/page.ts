import { type HttpContext, type HttpHandler, headerOf } from '../../kernel/http/app.ts';
import { cookieOf } from '../../kernel/http/cookie.ts';
import { USER_COOKIE } from '../authentication/authentication/open.ts';
import { refuse } from '../domain/refusal.ts';
import type { RoomsPage } from '../rooms-page.ts';
import { answerRefusal } from './answer/answers.ts';
import type { Paths } from './index.ts';
import { credentialsOf, type GuardParts } from './request/guard.ts';
import { param } from './request/query.ts';

export interface PageRouteParts {
  readonly guard: Pick<GuardParts, 'authenticator'>;
  readonly page: Pick<RoomsPage, 'render' | 'compress'>;
  /** Answers with a file of the page, as kernel/assets.ts does. */
  readonly serve: (c: HttpContext, path: string) => Response | undefined;
}

/**
 * Nothing from other origins, no markup from text: the page's first content is data, which no policy has to allow.
 * Images come from the server's own files; `blob:` and `data:` are images that the page makes.
 */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data: blob:",
  "media-src 'self'",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  'trusted-types dompurify',
].join('; ');

/** The page sets it: the room seen last. */
const ROOM_COOKIE = 'opsdeck_room';

/** The page, at every address that it shows. */
export function pagePaths(parts: PageRouteParts): Paths {
  const page = getPage(parts);
  return {
    '/': { GET: page },
    '/r/:room': { GET: page },
    '/r/:room/m/:message': { GET: page },
    '/i/:code': { GET: page },
    '/favicon.svg': { GET: getFile(parts, () => 'favicon.svg') },
    '/assets/:file': { GET: getFile(parts, (c) => `assets/${param(c, 'file')}`) },
  };
}

function getFile({ serve }: PageRouteParts, path: (c: HttpContext) => string): HttpHandler {
  return (c) => serve(c, path(c)) ?? answerRefusal(c, refuse('not_found', `${c.req.path} is not here`));
}

function getPage({ guard, page }: PageRouteParts): HttpHandler {
  return async (c) => {
    const credentials = credentialsOf(c);
    const named = credentials.user ?? cookieOf(credentials.cookie, USER_COOKIE);
    const found = await guard.authenticator.authenticate({ ...credentials, user: named });
    // With an invalid name the page opens too, signed out, and asks for another.
    const caller = found.ok && found.value.scopes.has('read') ? found.value : undefined;
    const html = await page.render(caller, {
      room: c.req.param('room'),
      lastRoom: cookieOf(credentials.cookie, ROOM_COOKIE),
      message: c.req.param('message'),
      // Relative, since a proxy may serve the page below a path prefix that it strips.
      toRoot: '../'.repeat(c.req.path.split('/').length - 2) || './',
    });
    const headers: Record<string, string> = {
      'content-type': 'text/html; charset=utf-8',
      'cache-control': 'no-store',
      'content-security-policy': POLICY,
      'referrer-policy': 'same-origin',
      'cross-origin-opener-policy': 'same-origin',
      vary: 'Accept-Encoding, Cookie',
    };
    if (!/\bgzip\b/.test(headerOf(c, 'accept-encoding') ?? '')) return c.body(html, 200, headers);
    return c.body(await page.compress(html), 200, { ...headers, 'content-encoding': 'gzip' });
  };
}
