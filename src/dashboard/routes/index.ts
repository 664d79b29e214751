import { Hono } from 'hono';
import type { Clock } from '../../kernel/clock.ts';
import type { Deck } from '../../kernel/deck/deck.ts';
import type { ServerState } from '../../kernel/deck/report.ts';
import { answerDeck } from '../../kernel/deck/route.ts';
import { messageOf } from '../../kernel/errors.ts';
import { type HttpContext, type HttpEnv, mountPaths, type PathHandlers } from '../../kernel/http/app.ts';
import { logRequests } from '../../kernel/http/request-log.ts';
import type { Log } from '../../kernel/log.ts';
import { refuse } from './answers.ts';
import { type BudgetRouteParts, budgetPaths } from './budget.ts';
import { type FileRouteParts, notFound, pagePaths, readFile } from './files.ts';
import { type GuardParts, guardRequests } from './guard.ts';
import { type MarkerRouteParts, markerPaths } from './markers.ts';
import { type UsageRouteParts, usagePaths } from './usage.ts';

export type Paths = Readonly<Record<string, PathHandlers>>;

export interface DashboardAppParts {
  readonly guard: GuardParts;
  readonly usage: UsageRouteParts;
  readonly markers: MarkerRouteParts;
  readonly budget: BudgetRouteParts;
  readonly files: FileRouteParts;
  readonly deck: Deck;
  readonly clock: Clock;
  readonly log: Log;
}

const OWN = { name: 'dashboard', title: 'Usage', url: './analytics' };
const state = (): ServerState => 'ready';

/** The HTTP interface of the dashboard; each file of this folder lists its own paths. */
export function createDashboardApp(parts: DashboardAppParts): Hono<HttpEnv> {
  const { log, clock, files } = parts;
  const app = new Hono<HttpEnv>();
  if (log.debugging) app.use(logRequests(log, clock));
  app.use(guardRequests(parts.guard));
  mountPaths(
    app,
    withOptions({
      ...pagePaths(files, () => parts.deck({ ...OWN, state: state() })),
      '/deck.json': { GET: answerDeck(parts.deck, OWN, state) },
      ...usagePaths(parts.usage),
      ...markerPaths(parts.markers),
      ...budgetPaths(parts.budget),
    }),
    refuseMethod,
  );
  const readProjectFile = readFile(files);
  app.notFound((c) => {
    const { method, path } = c.req;
    if (path.startsWith('/api/')) return method === 'OPTIONS' ? answerOptions(c, FILE_METHODS) : notFound(c);
    if (method === 'GET' || method === 'HEAD') return readProjectFile(c);
    return method === 'OPTIONS' ? answerOptions(c, FILE_METHODS) : refuseMethod(c, FILE_METHODS);
  });
  app.onError((error, c) => {
    log.error('a request failed unexpectedly', { method: c.req.method, path: c.req.path, err: messageOf(error) });
    return refuse(c, 500, { error: 'internal error; see the log of the server', code: 'internal_error' });
  });
  return app;
}

const FILE_METHODS = ['GET', 'HEAD', 'OPTIONS'];

function withOptions(paths: Paths): Paths {
  const answered = Object.entries(paths).map(([path, handlers]) => {
    const allowed = [...Object.keys(handlers), 'OPTIONS'];
    return [path, { ...handlers, OPTIONS: (c: HttpContext) => answerOptions(c, allowed) }] as const;
  });
  return Object.fromEntries(answered);
}

/** Without Access-Control-Allow-Origin: other sites may not ask. */
function answerOptions(c: HttpContext, allowed: readonly string[]): Response {
  return c.body(null, 204, {
    allow: allowed.join(', '),
    'access-control-allow-methods': 'GET, POST, PUT, OPTIONS',
    'access-control-allow-headers': 'Content-Type',
  });
}

function refuseMethod(c: HttpContext, allowed: readonly string[]): Response {
  const failure = { error: `${c.req.method} is not allowed here`, code: 'method_not_allowed' };
  return refuse(c, 405, failure, { allow: allowed.join(', ') });
}
