import type { Clock } from '../clock.ts';
import { type Distribution, REQUEST_BOUNDS_S } from '../metrics/distribution.ts';
import type { Metrics } from '../metrics/metrics.ts';
import type { HttpHandler, PathHandlers } from './app.ts';

const SIZE_BOUNDS_BYTES = [100, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8];

/** Undefined if a handler leaves the request to the next one. */
type Answer = Response | undefined;

export interface RequestMetrics {
  /** Measures the time of every handler of a table until its answer is made. `handler` is a path's name in the metrics. */
  measure(
    paths: Readonly<Record<string, PathHandlers>>,
    handler: (path: string) => string,
  ): Readonly<Record<string, PathHandlers>>;
}

/** `<prefix>_http_request_duration_seconds`, `…_http_response_size_bytes` and `…_http_requests_in_flight`. */
export function createRequestMetrics(metrics: Metrics, prefix: string, clock: Clock): RequestMetrics {
  const noteOf = createNotes(metrics, prefix);
  let running = 0;
  metrics.gauge(`${prefix}_http_requests_in_flight`, 'How many GETs are being answered.', ['method'], (gauge) =>
    gauge.set({ method: 'get' }, running),
  );
  const measureHandler = (handler: string, method: string, handle: HttpHandler): HttpHandler => {
    const isGet = method === 'get';
    const note = noteOf(handler, method);
    return (c, next) => {
      const startedAt = clock.now();
      if (isGet) running++;
      const done = (status: number) => {
        if (isGet) running--;
        note(status, (clock.now() - startedAt) / 1000, c.env?.answerBytes ?? 0);
      };
      const fail = (error: unknown): never => {
        done(500);
        throw error;
      };
      const answered = (answer: Answer): Answer => {
        done(answer ? answer.status : 500);
        return answer;
      };
      let answer: Answer | Promise<Answer>;
      try {
        answer = handle(c, next) as Answer | Promise<Answer>;
      } catch (error) {
        return fail(error);
      }
      return answer instanceof Promise ? answer.then(answered, fail) : answered(answer);
    };
  };
  return {
    measure: (paths, handler) =>
      Object.fromEntries(
        Object.entries(paths).map(([path, handlers]) => [
          path,
          Object.fromEntries(
            Object.entries(handlers).map(([method, handle]) => [
              method,
              measureHandler(handler(path), method.toLowerCase(), handle),
            ]),
          ),
        ]),
      ),
  };
}

type NoteRequest = (status: number, seconds: number, bytes: number) => void;

/** Each handler keeps its own distributions: looking them up by label for each request costs more than counting. */
function createNotes(metrics: Metrics, prefix: string): (handler: string, method: string) => NoteRequest {
  const durations = metrics.histogram(
    `${prefix}_http_request_duration_seconds`,
    'How long requests took until they had an answer, in seconds.',
    REQUEST_BOUNDS_S,
    ['handler', 'method', 'code'],
  );
  const sizes = metrics.histogram(
    `${prefix}_http_response_size_bytes`,
    'How long the bodies of answers were, in bytes.',
    SIZE_BOUNDS_BYTES,
    ['handler', 'method'],
  );
  return (handler, method) => {
    const byStatus = new Map<number, Distribution>();
    let ownSizes: Distribution | undefined;
    return (status, seconds, bytes) => {
      let ownDurations = byStatus.get(status);
      if (!ownDurations) {
        ownDurations = durations.of({ handler, method, code: String(status) });
        byStatus.set(status, ownDurations);
      }
      ownDurations.add(seconds);
      ownSizes ??= sizes.of({ handler, method });
      ownSizes.add(bytes);
    };
  };
}
