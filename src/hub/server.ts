// The page that links to every server of `opsdeck up`.

import { page as hubPage } from 'virtual:web/hub';
import { Hono } from 'hono';
import type { Clock } from '../kernel/clock.ts';
import { type HttpContext, type HttpEnv, headerOf, mountPaths } from '../kernel/http/app.ts';
import { servePage } from '../kernel/http/assets.ts';
import type { ListenAddress } from '../kernel/http/listen-address.ts';
import { listen } from '../kernel/http/server.ts';
import type { SiteRules } from '../kernel/http/site-address.ts';
import type { Log } from '../kernel/log.ts';
import type { UpDeck } from './up-deck.ts';

/** Of answers that may be about one user: not stored, and unusable for the pages of other sites. */
const PRIVATE = {
  'cache-control': 'no-store',
  'cross-origin-resource-policy': 'same-origin',
  'x-content-type-options': 'nosniff',
};

/** The HTTP interface of the hub. */
export function createHubApp(deck: Pick<UpDeck, 'servers' | 'entries'>): Hono<HttpEnv> {
  const app = new Hono<HttpEnv>();
  const page = servePage(hubPage);
  const notFound = (c: HttpContext) => c.text('404 page not found\n', 404);
  const index = (c: HttpContext) => page(c, 'index.html') ?? notFound(c);
  const ok = (c: HttpContext) => c.text('OK');
  const refuse = (c: HttpContext, allowed: readonly string[]) =>
    c.text('method not allowed\n', 405, { allow: allowed.join(',') });
  mountPaths(
    app,
    {
      '/': { GET: index, HEAD: index },
      '/deck.json': { GET: (c) => c.json({ hub: './', servers: deck.servers() }, 200, PRIVATE) },
      '/servers.json': { GET: async (c) => c.json(await deck.entries(headerOf(c, 'cookie')), 200, PRIVATE) },
      '/-/healthy': { GET: ok, HEAD: ok },
    },
    refuse,
  );
  app.notFound((c) => page(c, c.req.path.slice(1)) ?? notFound(c));
  return app;
}

export async function startHub(
  deck: Pick<UpDeck, 'servers' | 'entries'>,
  { address, site }: { readonly address: ListenAddress; readonly site?: SiteRules },
  clock: Clock,
  log: Log,
): Promise<{ readonly url: string; close(): Promise<void> }> {
  const listener = await listen({ fetch: createHubApp(deck).fetch, addresses: [address], site, clock });
  log.info('Hub is listening', { address: listener.addresses[0] });
  return { url: listener.url, close: () => listener.close(1_000) };
}
