import type { HttpContext, HttpHandler, PathHandlers } from '../../kernel/http/app.ts';
import { type Traces, traced } from '../../kernel/tracing/tracer.ts';

type Paths = Readonly<Record<string, PathHandlers>>;

/** The spans of Alertmanager's own handlers, by method and path. */
const HANDLERS: Readonly<Record<string, string>> = {
  'GET /status': 'api.getStatusHandler',
  'GET /receivers': 'api.getReceiversHandler',
  'GET /alerts': 'api.getAlertsHandler',
  'POST /alerts': 'api.postAlertsHandler',
  'GET /alerts/groups': 'api.getAlertGroupsHandler',
  'GET /silences': 'api.getSilencesHandler',
  'POST /silences': 'api.postSilencesHandler',
  'GET /silence/:silenceID': 'api.getSilenceHandler',
  'DELETE /silence/:silenceID': 'api.deleteSilenceHandler',
};

/** Makes each request a span, and each of the API another one within it, which end when the answer is made. */
export function traceRequests(traces: Traces, paths: Paths): Paths {
  return mapHandlers(paths, (handle, method, path) => {
    const name = HANDLERS[`${method} ${path}`];
    const inner: HttpHandler = name
      ? (c, next) =>
          traced(
            traces,
            name,
            () => ({}),
            () => handle(c, next),
          )
      : handle;
    return (c, next) => {
      if (!traces.tracer) return handle(c, next);
      return traced(
        traces,
        `${method} ${c.req.path}`,
        () => ofRequest(c),
        async (span) => {
          const answer = await inner(c, next);
          const status = answer?.status ?? 500;
          span?.set({ 'http.response.status_code': status });
          if (status >= 500) span?.fail(`status ${status}`);
          return answer;
        },
      );
    };
  });
}

function ofRequest(c: HttpContext) {
  return {
    kind: 'server' as const,
    isRoot: true,
    traceparent: c.req.header('traceparent'),
    attributes: {
      'http.request.method': c.req.method,
      'url.path': c.req.path,
      'user_agent.original': c.req.header('user-agent'),
    },
  };
}

function mapHandlers(paths: Paths, map: (handle: HttpHandler, method: string, path: string) => HttpHandler): Paths {
  return Object.fromEntries(
    Object.entries(paths).map(([path, handlers]) => [
      path,
      Object.fromEntries(Object.entries(handlers).map(([method, handle]) => [method, map(handle, method, path)])),
    ]),
  );
}
