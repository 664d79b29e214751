import { Hono } from 'hono';
import { routePath } from 'hono/route';
import { messageOf } from '../../kernel/errors.ts';
import type { HttpEnv, PathHandlers } from '../../kernel/http/app.ts';
import type { Log } from '../../kernel/log.ts';
import { refuse } from '../domain/refusal.ts';
import { answerRefusal, refusalOf, refuseMethod } from './answer/answers.ts';
import { completePaths, type Middleware, mountBehind, wrapped } from './request/middleware.ts';

export type Paths = Readonly<Record<string, PathHandlers>>;

export interface RoomsAppParts {
  /** All paths; each file of this folder lists its own. */
  readonly paths: Paths;
  readonly middleware: Middleware;
  readonly log: Log;
}

/** Merges tables, which may answer the same path with different methods. */
export function mergePaths(tables: readonly Paths[]): Paths {
  const merged: Record<string, PathHandlers> = {};
  for (const [path, handlers] of tables.flatMap((table) => Object.entries(table)))
    merged[path] = { ...merged[path], ...handlers };
  return merged;
}

/** The HTTP interface of the rooms. */
export function createRoomsApp({ paths, middleware, log }: RoomsAppParts): Hono<HttpEnv> {
  const app = new Hono<HttpEnv>();
  mountBehind(middleware, app, completePaths(paths, middleware), refuseMethod);
  const nothing = wrapped(middleware, 'nothing', (c) =>
    answerRefusal(c, refuse('not_found', `${c.req.path} is not here`)),
  );
  app.notFound((c) => nothing(c, async () => {}) as Response);
  app.onError((error, c) => {
    const refusal = refusalOf(error);
    // The route's template, since a path may hold the secret of a hook or the code of an invite.
    if (refusal.code === 'internal')
      log.error('a request failed unexpectedly', { method: c.req.method, route: routePath(c), err: messageOf(error) });
    return answerRefusal(c, refusal);
  });
  return app;
}
