import { Hono } from 'hono';
import type { Clock } from '../../kernel/clock.ts';
import { messageOf } from '../../kernel/errors.ts';
import { type HttpEnv, type HttpHandler, mountPaths, type PathHandlers } from '../../kernel/http/app.ts';
import type { Log } from '../../kernel/log.ts';
import { whenOver } from '../../kernel/sse/answer-over.ts';
import { PAGE_NOT_FOUND } from '../contract/refusal.ts';
import { templateOf } from './access.ts';
import { refuse, refuseSilently } from './answers.ts';
import { type EvaluationRouteParts, evaluationPaths } from './evaluations.ts';
import { type EventRouteParts, eventPaths } from './events.ts';
import { fallbackPaths } from './fallback.ts';
import { type GoalsRouteParts, goalsPaths } from './goals.ts';
import { type PollingRouteParts, pollingPaths } from './polling.ts';
import { type StreamRouteParts, streamPaths } from './streams.ts';

export type Paths = Readonly<Record<string, PathHandlers>>;

export interface LaunchDarklyRouteParts
  extends EvaluationRouteParts,
    StreamRouteParts,
    PollingRouteParts,
    GoalsRouteParts,
    EventRouteParts {}

/** Every path that LaunchDarkly's SDKs use. */
export function launchDarklyPaths(parts: LaunchDarklyRouteParts): Paths {
  return {
    ...fallbackPaths(),
    ...evaluationPaths(parts),
    ...streamPaths(parts),
    ...pollingPaths(parts),
    ...goalsPaths(parts),
    ...eventPaths(parts),
  };
}

export interface RelayAppParts {
  /** Each file of this folder lists its own paths. */
  readonly paths: Paths;
  /** Answers all other paths; 404 unless given. */
  readonly otherwise?: HttpHandler;
  readonly clock: Clock;
  readonly log: Log;
}

/** The HTTP interface of the relay. */
export function createRelayApp({ paths, otherwise, clock, log }: RelayAppParts): Hono<HttpEnv> {
  const app = new Hono<HttpEnv>();
  mountPaths(app, log.debugging ? logged(paths, log, clock) : paths, (c, allowed) =>
    refuseSilently(c, 405, { allow: allowed.join(', ') }),
  );
  if (otherwise) app.all('*', otherwise);
  app.notFound((c) => c.body(PAGE_NOT_FOUND, 404, NOT_FOUND_HEADERS));
  app.onError((error, c) => {
    // Without the path, which may contain a context.
    log.error('a request failed unexpectedly', { method: c.req.method, err: messageOf(error) });
    return refuse(c, 500, 'internal error; see the log of the relay');
  });
  return app;
}

const NOT_FOUND_HEADERS = { 'content-type': 'text/plain; charset=utf-8', 'x-content-type-options': 'nosniff' };

/** Logs every response at debug, with the template of its path: the path may contain a context. */
function logged(paths: Paths, log: Log, clock: Clock): Paths {
  const logHandler = (path: string, handle: HttpHandler): HttpHandler => {
    const route = templateOf(path);
    return (c, next) => {
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
