import { Hono } from 'hono';
import type { Clock } from '../../kernel/clock.ts';
import type { Deck } from '../../kernel/deck/deck.ts';
import type { ServerState } from '../../kernel/deck/report.ts';
import { answerDeck } from '../../kernel/deck/route.ts';
import { messageOf } from '../../kernel/errors.ts';
import {
  type HttpContext,
  type HttpEnv,
  type HttpHandler,
  mountPaths,
  type PathHandlers,
} from '../../kernel/http/app.ts';
import { limitConcurrentGets, limitDuration } from '../../kernel/http/request-limits.ts';
import { logRequests } from '../../kernel/http/request-log.ts';
import type { RequestMetrics } from '../../kernel/http/request-metrics.ts';
import type { Log } from '../../kernel/log.ts';
import type { Traces } from '../../kernel/tracing/tracer.ts';
import { type AlertRoutes, listAlertGroups, listAlerts, postAlerts } from './alerts.ts';
import type { Answers } from './answers.ts';
import { explain, listNotifications, type NotificationRoutes } from './notifications.ts';
import { refuseOldApi } from './old-api.ts';
import { answerOk, answerReady, type OperationRoutes, readMetrics, refuseMethodAsText, reload } from './operations.ts';
import {
  listIntegrations,
  type ReportRoutes,
  readConditions,
  readRouting,
  readServer,
  readTimeline,
} from './reports.ts';
import { expireSilence, listSilences, postSilence, readSilence, type SilenceRoutes } from './silences.ts';
import { listReceivers, readStatus, type StatusRoutes } from './status.ts';
import { traceRequests } from './trace.ts';

export interface AlertsAppParts {
  readonly answers: Answers;
  readonly status: StatusRoutes;
  readonly silences: SilenceRoutes;
  readonly alerts: AlertRoutes;
  readonly notifications: NotificationRoutes;
  readonly reports: ReportRoutes;
  readonly operations: OperationRoutes;
  /** Serves a file of the web page by its path; undefined for an unknown path. */
  readonly page: (c: HttpContext, path: string) => Promise<Response | undefined>;
  readonly deck: Deck;
  readonly state: () => ServerState;
  /** Empty, or a path that starts with a slash and does not end with one. */
  readonly routePrefix: string;
  readonly requestMetrics: RequestMetrics;
  readonly traces: Traces;
  readonly limits: { readonly getConcurrency: number; readonly refusedGet: () => void; readonly timeoutMs: number };
  readonly clock: Clock;
  readonly log: Log;
}

/** The HTTP interface of the alert server: every path that it answers. */
export function createAlertsApp(parts: AlertsAppParts): Hono<HttpEnv> {
  const { answers, routePrefix, page, log, requestMetrics, traces } = parts;
  const app = new Hono<HttpEnv>();
  mountLimits(app, parts);
  const refuseApiMethod: RefuseMethod = (c, allowed) => answers.preflight(c) ?? answers.refuseMethod(c, allowed);
  const api = withSlashes(traceRequests(traces, requestMetrics.measure(apiPaths(parts), nameInMetrics)));
  mountPaths(app, below(`${routePrefix}/api/v2`, api), refuseApiMethod);
  mountPaths(app, below(`${routePrefix}/api/v1`, oldApiPaths(log)), refuseMethodAsText);
  // Without the prefix /api/v2 as well: documents name the paths of the API without it.
  mountPaths(app, below(routePrefix, api), refuseApiMethod);
  const operations = traceRequests(
    traces,
    requestMetrics.measure(operationPaths(parts), (path) => path),
  );
  mountPaths(app, below(routePrefix, operations), refuseMethodAsText);
  mountPage(app, parts);
  app.notFound(async (c) => {
    const base = `${routePrefix}/api/v2`;
    if (!c.req.path.startsWith(`${base}/`))
      return (await page(c, c.req.path.slice(routePrefix.length + 1))) ?? c.text('404 page not found\n', 404);
    const path = new URL(c.req.url).pathname.slice(routePrefix.length);
    return answers.preflight(c) ?? answers.refuseRequest(c, 404, `path ${path} was not found`);
  });
  app.onError((error, c) => {
    log.error('a request failed unexpectedly', { method: c.req.method, path: c.req.path, err: messageOf(error) });
    return answers.refuse(c, 500, 'internal error; see the log of the server');
  });
  return app;
}

/** Middleware costs every request: it is mounted only when a flag asks for it. */
function mountLimits(app: Hono<HttpEnv>, { limits, log, clock }: AlertsAppParts): void {
  if (log.debugging) app.use(logRequests(log, clock));
  if (limits.getConcurrency > 0) app.use(limitConcurrentGets(limits.getConcurrency, limits.refusedGet));
  if (limits.timeoutMs > 0) app.use(limitDuration(limits.timeoutMs, clock));
}

type Paths = Readonly<Record<string, PathHandlers>>;
type RefuseMethod = Parameters<typeof mountPaths>[2];

function apiPaths({ status, silences, alerts, notifications, reports }: AlertsAppParts): Paths {
  return {
    '/status': { GET: readStatus(status) },
    '/receivers': { GET: listReceivers(status) },
    '/silences': { GET: listSilences(silences), POST: postSilence(silences) },
    '/silence/:silenceID': { GET: readSilence(silences), DELETE: expireSilence(silences) },
    '/alerts': { GET: listAlerts(alerts), POST: postAlerts(alerts) },
    '/alerts/groups': { GET: listAlertGroups(alerts) },
    '/notifications': { GET: listNotifications(notifications) },
    '/explain': { GET: explain(notifications) },
    '/conditions': { GET: readConditions(reports) },
    '/integrations': { GET: listIntegrations(reports) },
    '/routes': { GET: readRouting(reports) },
    '/server': { GET: readServer(reports) },
    '/timeline': { GET: readTimeline(reports) },
  };
}

function operationPaths({ operations }: AlertsAppParts): Paths {
  return {
    '/-/healthy': { GET: answerOk, HEAD: answerOk },
    '/-/ready': { GET: answerReady(operations), HEAD: answerReady(operations) },
    '/-/reload': { POST: reload(operations) },
    '/metrics': { GET: readMetrics(operations) },
  };
}

function oldApiPaths(log: Log): Paths {
  const gone = refuseOldApi(log);
  return {
    '/status': { GET: gone },
    '/receivers': { GET: gone },
    '/alerts': { GET: gone, POST: gone },
    '/silences': { GET: gone, POST: gone },
    '/silence/:silenceID': { GET: gone, DELETE: gone },
  };
}

/** The name of a path in Alertmanager's metrics, without any prefix. */
function nameInMetrics(path: string): string {
  return `/api/v2${path.replace(/:(\w+)/g, '{$1}')}`;
}

/** Alertmanager answers the API with and without a slash at the end. */
function withSlashes(paths: Paths): Paths {
  const slashed = Object.entries(paths).map(([path, handlers]) => [`${path}/`, handlers]);
  return { ...paths, ...Object.fromEntries(slashed) };
}

function below(base: string, paths: Paths): Paths {
  return Object.fromEntries(Object.entries(paths).map(([path, handlers]) => [base + path, handlers]));
}

const OWN = { name: 'alerts', title: 'Alerts', url: './' };

function mountPage(app: Hono<HttpEnv>, { page, deck, state, routePrefix, requestMetrics }: AlertsAppParts): void {
  const index: HttpHandler = async (c) => (await page(c, 'index.html')) ?? c.text('this build has no page\n', 404);
  const own = { '/': { GET: index, HEAD: index }, '/deck.json': { GET: answerDeck(deck, OWN, state) } };
  const measured = requestMetrics.measure(own, (path) => path);
  const paths: Record<string, PathHandlers> = { ...below(routePrefix, measured) };
  if (routePrefix !== '') {
    paths['/'] = { GET: (c) => c.redirect(routePrefix, 302) };
    // Relative links of the page need the final slash.
    paths[routePrefix] = { GET: (c) => c.redirect(`${routePrefix}/`, 302) };
  }
  mountPaths(app, paths, refuseMethodAsText);
}
