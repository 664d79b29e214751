import { randomBytes } from 'node:crypto';
import type { Clock } from '../../kernel/clock.ts';
import type { Log } from '../../kernel/log.ts';
import type { RequestCounts } from '../rooms-metrics.ts';
import type { Middleware } from '../routes/request/middleware.ts';
import type { OriginGuard } from './origin-guard.ts';

export interface MiddlewareParts extends Pick<Middleware, 'catchUp'> {
  readonly origins: OriginGuard;
  readonly counts: RequestCounts;
  readonly clock: Clock;
  readonly log: Log;
}

/** Checks the origin of every request, gives it an id, and counts it. */
export function createMiddleware({ origins, counts, clock, log, catchUp }: MiddlewareParts): Middleware {
  const prefix = randomBytes(4).toString('hex');
  let requests = 0;
  return {
    refuse: (request) => origins.refuse(request),
    catchUp,
    allowsOrigin: (origin) => origins.allowsOrigin(origin),
    newRequestId: () => `${prefix}-${(++requests).toString(36)}`,
    answered(path, method, status, startedAt) {
      const ms = clock.now() - startedAt;
      counts.add(path, method, status, ms);
      // The route's template, since a path may hold the secret of a hook or the code of an invite.
      if (log.debugging) log.debug('request', { method, route: path, status, ms });
    },
    now: () => clock.now(),
  };
}
