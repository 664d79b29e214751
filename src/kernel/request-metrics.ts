import type { Clock } from './clock.ts';
import type { HttpHandler, PathHandlers } from './http.ts';
import type { Metrics } from './metrics.ts';

const DURATION_BUCKETS_S = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

export interface RequestMetrics {
  /** Measures every handler of a table until it has made its answer. `handler` is how the metrics call a path. */
  measure(
    paths: Readonly<Record<string, PathHandlers>>,
    handler: (path: string) => string,
  ): Readonly<Record<string, PathHandlers>>;
}

/** `<prefix>_http_request_duration_seconds` and `<prefix>_http_requests_in_flight`. */
export function createRequestMetrics(metrics: Metrics, prefix: string, clock: Clock): RequestMetrics {
  const durations = metrics.histogram(
    `${prefix}_http_request_duration_seconds`,
    'How long requests took until they had an answer, in seconds.',
    DURATION_BUCKETS_S,
    ['handler', 'method', 'code'],
  );
  let running = 0;
  metrics.gauge(`${prefix}_http_requests_in_flight`, 'How many GETs are being answered.', ['method'], (gauge) =>
    gauge.set({ method: 'get' }, running),
  );
  const measureHandler =
    (name: string, handle: HttpHandler): HttpHandler =>
    async (c, next) => {
      const startedAt = clock.now();
      const method = c.req.method.toLowerCase();
      const isGet = method === 'get';
      if (isGet) running++;
      let code = '500';
      try {
        const answer = await handle(c, next);
        if (answer) code = String((answer as Response).status);
        return answer;
      } finally {
        if (isGet) running--;
        durations.observe({ handler: name, method, code }, (clock.now() - startedAt) / 1000);
      }
    };
  return {
    measure: (paths, handler) =>
      Object.fromEntries(
        Object.entries(paths).map(([path, handlers]) => [
          path,
          Object.fromEntries(
            Object.entries(handlers).map(([method, handle]) => [method, measureHandler(handler(path), handle)]),
          ),
        ]),
      ),
  };
}
