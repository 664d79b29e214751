import { Hono } from 'hono';
import type { Clock } from '../../kernel/clock.ts';
import { messageOf } from '../../kernel/errors.ts';
import { type HttpContext, type HttpEnv, mountPaths, type PathHandlers } from '../../kernel/http/app.ts';
import { logRequests } from '../../kernel/http/request-log.ts';
import type { Log } from '../../kernel/log.ts';
import { refuse } from './answers.ts';
import { type FileRoutes, notFound, readAnalytics, readFile, readHub, readSampleFile } from './files.ts';
import { type GuardParts, guardRequests } from './guard.ts';
import { type MarkerRoutes, putMarkers, readMarkers } from './markers.ts';
import { getEvents, listUsers, postEvents, readHealth, readSummary, type UsageRoutes } from './usage.ts';

export interface DashboardAppParts {
  readonly guard: GuardParts;
  readonly usage: UsageRoutes;
  readonly markers: MarkerRoutes;
  readonly files: FileRoutes;
  readonly clock: Clock;
  readonly log: Log;
}

/** The HTTP interface of the dashboard: every path that it answers. */
export function createDashboardApp(parts: DashboardAppParts): Hono<HttpEnv> {
  const { log, clock, files } = parts;
  const app = new Hono<HttpEnv>();
  if (log.debugging) app.use(logRequests(log, clock));
  app.use(guardRequests(parts.guard));
  mountPaths(app, withOptions(pathsOf(parts)), refuseMethod);
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

function pathsOf({ usage, markers, files }: DashboardAppParts): Readonly<Record<string, PathHandlers>> {
  const hub = readHub(files);
  const analytics = readAnalytics(files);
  const health = readHealth(usage);
  const sample = readSampleFile(files);
  const toAnalytics = (c: HttpContext) => c.redirect('../analytics', 308);
  return {
    '/': { GET: hub, HEAD: hub },
    '/analytics': { GET: analytics, HEAD: analytics },
    '/analytics/': { GET: toAnalytics, HEAD: toAnalytics },
    '/health': { GET: health, HEAD: health },
    '/api/users': { GET: listUsers(usage) },
    '/api/summary': { GET: readSummary(usage) },
    '/api/events': { GET: getEvents(usage), POST: postEvents(usage) },
    '/api/markers': { GET: readMarkers(markers), PUT: putMarkers(markers) },
    '/sample/:name': { GET: sample, HEAD: sample },
  };
}

function withOptions(paths: Readonly<Record<string, PathHandlers>>): Readonly<Record<string, PathHandlers>> {
  const answered = Object.entries(paths).map(([path, handlers]) => {
    const allowed = [...Object.keys(handlers), 'OPTIONS'];
    return [path, { ...handlers, OPTIONS: (c: HttpContext) => answerOptions(c, allowed) }] as const;
  });
  return Object.fromEntries(answered);
}

/** No other site is invited: there is no Access-Control-Allow-Origin. */
function answerOptions(c: HttpContext, allowed: readonly string[]): Response {
  return c.body(null, 204, {
    allow: allowed.join(', '),
    'access-control-allow-methods': 'GET, POST, PUT, OPTIONS',
    'access-control-allow-headers': 'Content-Type',
  });
}

function refuseMethod(c: HttpContext, allowed: readonly string[]): Response {
  const failure = { error: `${c.req.method} is not answered here`, code: 'method_not_allowed' };
  return refuse(c, 405, failure, { allow: allowed.join(', ') });
}
