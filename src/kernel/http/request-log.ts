import type { MiddlewareHandler } from 'hono';
import type { Clock } from '../clock.ts';
import type { Log } from '../log.ts';
import { whenOver } from '../sse/answer-over.ts';
import type { HttpEnv } from './app.ts';

/** Writes a debug line for every answered request; without its query, which may hold a secret. */
export function logRequests(log: Log, clock: Clock): MiddlewareHandler<HttpEnv> {
  return (c, next) => {
    const startedAt = clock.now();
    const { method, path } = c.req;
    const outgoing = c.env?.outgoing;
    if (!outgoing) return next();
    whenOver(outgoing, () =>
      log.debug('request', {
        method,
        path,
        status: outgoing.statusCode,
        ms: clock.now() - startedAt,
        finished: outgoing.writableFinished,
      }),
    );
    return next();
  };
}
