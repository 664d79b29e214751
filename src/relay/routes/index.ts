import { Hono } from 'hono';
import type { Clock } from '../../kernel/clock.ts';
import { messageOf } from '../../kernel/errors.ts';
import {
  type HttpContext,
  type HttpEnv,
  type HttpHandler,
  type Method,
  mountPaths,
  type PathHandlers,
} from '../../kernel/http/app.ts';
import type { Log } from '../../kernel/log.ts';
import { whenOver } from '../../kernel/sse/answer-over.ts';
import { PAGE_NOT_FOUND } from '../contract/refusal.ts';
import type { SdkKind } from '../credentials.ts';
import {
  type AccessParts,
  type AccessRules,
  admit,
  answerPreflight,
  type EnvironmentHandler,
  type Need,
  type RequestObserver,
  templateOf,
} from './access.ts';
import { refuse, refuseSilently } from './answers.ts';
import { type EvaluationParts, evaluateAll } from './evaluations.ts';
import { type EventRoute, eventRoutes } from './events.ts';
import { type EventAccessParts, receiveEvents } from './events-access.ts';
import { declineClient, declineServer } from './fallback.ts';
import { type GoalsRoutes, readGoals } from './goals.ts';
import type { EvaluationObserver } from './ofrep.ts';
import { type PollingParts, readAllFlags, readItem, readLatest } from './polling.ts';
import { type StreamParts, streamData, streamForContext, streamPings } from './streams.ts';

export type Paths = Readonly<Record<string, PathHandlers>>;

export interface RelayAppParts
  extends AccessParts,
    EvaluationParts,
    StreamParts,
    PollingParts,
    GoalsRoutes,
    EventAccessParts {
  /** Tables of paths that see to their own access: status, health, metrics, OFREP. */
  readonly tables: readonly Paths[];
  readonly observer: RequestObserver & EvaluationObserver;
  readonly clock: Clock;
  readonly log: Log;
}

/** The HTTP interface of the relay: every path that it answers. */
export function createRelayApp(parts: RelayAppParts): Hono<HttpEnv> {
  const { log, clock } = parts;
  const app = new Hono<HttpEnv>();
  const seen = (paths: Paths) => (log.debugging ? logged(paths, log, clock) : paths);
  for (const table of [...parts.tables, FALLBACK_PATHS, credentialPaths(parts)]) {
    mountPaths(app, seen(table), (c, allowed) => refuseSilently(c, 405, { allow: allowed.join(', ') }));
  }
  app.notFound((c) => c.body(PAGE_NOT_FOUND, 404, NOT_FOUND_HEADERS));
  app.onError((error, c) => {
    // Its path may hold a context.
    log.error('a request failed unexpectedly', { method: c.req.method, err: messageOf(error) });
    return refuse(c, 500, 'internal error; see the log of the relay');
  });
  return app;
}

const NOT_FOUND_HEADERS = { 'content-type': 'text/plain; charset=utf-8', 'x-content-type-options': 'nosniff' };

const DECLINED: PathHandlers = { GET: declineServer };
const DECLINED_EVALUATION: PathHandlers = {
  GET: declineClient,
  POST: declineClient,
  REPORT: declineClient,
  OPTIONS: declineClient,
};
const FALLBACK_PATHS: Paths = {
  '/sdk/poll': DECLINED,
  '/sdk/stream': DECLINED,
  '/sdk/poll/eval': DECLINED_EVALUATION,
  '/sdk/poll/eval/:context': DECLINED_EVALUATION,
  '/sdk/stream/eval': DECLINED_EVALUATION,
  '/sdk/stream/eval/:context': DECLINED_EVALUATION,
};

interface Row {
  readonly method: Method;
  readonly path: string;
  readonly handle: EnvironmentHandler;
  readonly need: Need;
}

const row = (method: Method, path: string, handle: EnvironmentHandler, need: Need = 'data'): Row => ({
  method,
  path,
  handle,
  need,
});

/** Every path that asks for a credential. What an evaluation needs it checks itself, after the context. */
function credentialPaths(parts: RelayAppParts): Paths {
  const evaluate = evaluateAll(parts);
  const streamMobile = streamForContext('mobile', parts);
  const streamClient = streamForContext('client', parts);
  const server = [
    row('GET', '/sdk/evalx/contexts/:context', evaluate, 'client'),
    row('GET', '/sdk/evalx/users/:context', evaluate, 'client'),
    row('REPORT', '/sdk/evalx/context', evaluate, 'client'),
    row('REPORT', '/sdk/evalx/user', evaluate, 'client'),
    row('GET', '/all', streamData('all', parts)),
    row('GET', '/flags', streamData('flags', parts)),
    row('GET', '/sdk/flags', readAllFlags(parts)),
    row('GET', '/sdk/flags/:flagKey', readItem('flags', parts)),
    row('GET', '/sdk/segments/:segmentKey', readItem('segments', parts)),
    row('GET', '/sdk/latest-all', readLatest('all')),
    row('GET', '/sdk/latest-flags', readLatest('flags')),
  ];
  const mobile = [
    row('GET', '/msdk/evalx/contexts/:context', evaluate, 'client'),
    row('GET', '/msdk/evalx/users/:context', evaluate, 'client'),
    row('REPORT', '/msdk/evalx/context', evaluate, 'client'),
    row('REPORT', '/msdk/evalx/user', evaluate, 'client'),
    row('GET', '/meval/:context', streamMobile),
    row('REPORT', '/meval', streamMobile),
    row('GET', '/mping', streamPings('mobile', parts)),
  ];
  const client = [
    row('GET', '/sdk/evalx/:envId/contexts/:context', evaluate, 'client'),
    row('GET', '/sdk/evalx/:envId/users/:context', evaluate, 'client'),
    // SDKs speak of one, the documentation of many.
    row('REPORT', '/sdk/evalx/:envId/context', evaluate, 'client'),
    row('REPORT', '/sdk/evalx/:envId/user', evaluate, 'client'),
    row('REPORT', '/sdk/evalx/:envId/contexts', evaluate, 'client'),
    row('REPORT', '/sdk/evalx/:envId/users', evaluate, 'client'),
    row('GET', '/eval/:envId/:context', streamClient),
    row('REPORT', '/eval/:envId', streamClient),
    row('GET', '/ping/:envId', streamPings('client', parts)),
    row('GET', '/sdk/goals/:envId', readGoals(parts)),
  ];
  const events = eventRoutes(parts);
  const eventRows = (sdkKind: SdkKind) => events.filter((route) => route.sdkKind === sdkKind).map(eventRow(parts));
  return {
    ...pathsOf(parts, 'server', [...server, ...eventRows('server')]),
    ...pathsOf(parts, 'mobile', [...mobile, ...eventRows('mobile')]),
    ...pathsOf(parts, 'client', [...client, ...eventRows('client')]),
  };
}

/** A browser gets its image in any case. */
const eventRow =
  (parts: EventAccessParts) =>
  ({ method, path, handle }: EventRoute): Row =>
    row(method, path, receiveEvents(handle, parts), method === 'GET' ? 'nothing' : 'client');

function pathsOf(parts: AccessParts, sdkKind: SdkKind, rows: readonly Row[]): Paths {
  const paths: Record<string, Partial<Record<Method, HttpHandler>>> = {};
  const methodsOf = (path: string): readonly Method[] => [
    ...rows.filter((row) => row.path === path).map(({ method }) => method),
    ...(sdkKind === 'client' ? (['OPTIONS'] as const) : []),
  ];
  for (const { method, path, handle, need } of rows) {
    const rules: AccessRules = { sdkKind, path, need, methods: methodsOf(path) };
    const handlers = paths[path] ?? {};
    paths[path] = handlers;
    handlers[method] = admit(parts, rules, handle);
    if (sdkKind === 'client') handlers.OPTIONS = answerPreflight(parts, rules);
  }
  return paths;
}

/** Writes a debug line for every answered request; by its template, since a path may hold a context. */
function logged(paths: Paths, log: Log, clock: Clock): Paths {
  const logHandler = (path: string, handle: HttpHandler): HttpHandler => {
    const route = templateOf(path);
    return (c: HttpContext, next) => {
      const startedAt = clock.now();
      const { method } = c.req;
      const outgoing = c.env?.outgoing;
      if (outgoing)
        whenOver(outgoing, () =>
          log.debug('request', { method, route, status: outgoing.statusCode, ms: clock.now() - startedAt }),
        );
      return handle(c, next);
    };
  };
  const loggedHandlers = (path: string, handlers: PathHandlers) =>
    Object.fromEntries(Object.entries(handlers).map(([method, handle]) => [method, logHandler(path, handle)]));
  return Object.fromEntries(Object.entries(paths).map(([path, handlers]) => [path, loggedHandlers(path, handlers)]));
}
