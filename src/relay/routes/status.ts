import { Hono } from 'hono';
import {
  type HttpContext,
  type HttpEnv,
  type HttpHandler,
  mountPaths,
  type PathHandlers,
} from '../../kernel/http/app.ts';
import { NO_ENVIRONMENTS_YET, PAGE_NOT_FOUND } from '../contract/refusal.ts';
import { checkExpectations, readExpectations } from '../status/expectation.ts';
import { ENVIRONMENT_FIELDS, STATUS_FIELDS, type StatusField } from '../status/field.ts';
import { type ReadinessSources, reportReadiness } from '../status/health.ts';
import {
  describeEnvironment,
  findTarget,
  type ReportedEnvironment,
  reportStatus,
  type StatusSources,
  type StatusTarget,
} from '../status/status.ts';
import { refuseSilently } from './answers.ts';
import type { Paths } from './index.ts';

/** Metrics in Prometheus' text format. */
export interface MetricsText {
  readonly contentType: string;
  render(): Promise<string>;
}

export interface StatusRouteParts<E extends ReportedEnvironment = ReportedEnvironment> {
  readonly status: StatusSources<E>;
  readonly readiness: ReadinessSources;
  readonly metrics: MetricsText;
}

/** Status, health, readiness and metrics; without a credential. */
export function statusPaths<E extends ReportedEnvironment>(parts: StatusRouteParts<E>): Paths {
  const { status } = parts;
  const one = (target: (c: HttpContext) => StatusTarget): PathHandlers => ({ GET: readOne(status, target) });
  const part = (c: HttpContext, name: string) => c.req.param(name) ?? '';
  const filterOf = (c: HttpContext) => c.req.param('filterKey');
  const byIdentifier = one((c) => ({ identifier: part(c, 'identifier'), filter: filterOf(c) }));
  const byKeys = one((c) => ({ projKey: part(c, 'projKey'), envKey: part(c, 'envKey'), filter: filterOf(c) }));
  const ready = answerReadiness(parts.readiness);
  return {
    '/status': { GET: readAll(status) },
    '/status/:identifier': byIdentifier,
    '/status/:identifier/filters/:filterKey': byIdentifier,
    '/status/:projKey/:envKey': byKeys,
    '/status/:projKey/:envKey/filters/:filterKey': byKeys,
    '/healthz': { GET: answerHealth, HEAD: answerHealth },
    '/readyz': { GET: ready, HEAD: ready },
    ...metricsPaths(parts.metrics),
  };
}

/** The HTTP interface of the listener for Prometheus: /metrics only. */
export function createMetricsApp(metrics: MetricsText): Hono<HttpEnv> {
  const app = new Hono<HttpEnv>();
  mountPaths(app, metricsPaths(metrics), (c, allowed) => refuseSilently(c, 405, { allow: allowed.join(', ') }));
  app.notFound((c) => c.text(PAGE_NOT_FOUND, 404));
  return app;
}

function metricsPaths(metrics: MetricsText): Paths {
  return {
    '/metrics': { GET: async (c) => c.body(await metrics.render(), 200, { 'content-type': metrics.contentType }) },
  };
}

function readAll<E extends ReportedEnvironment>(sources: StatusSources<E>): HttpHandler {
  return (c) => answer(c, reportStatus(sources), STATUS_FIELDS);
}

function readOne<E extends ReportedEnvironment>(
  sources: StatusSources<E>,
  target: (c: HttpContext) => StatusTarget,
): HttpHandler {
  return (c) => {
    if (!sources.isComplete()) return answerJson(c, { error: NO_ENVIRONMENTS_YET }, 503);
    const environment = findTarget(sources, target(c));
    if (!environment) return answerJson(c, { error: 'environment not found' }, 404);
    return answer(c, describeEnvironment(environment, sources), ENVIRONMENT_FIELDS);
  };
}

/** The document, or the result of the expectations in the query. */
function answer(c: HttpContext, document: object, fields: StatusField): Response {
  const { url } = c.req;
  const expressions = readExpectations(url.includes('?') ? url.slice(url.indexOf('?') + 1) : '');
  if (!expressions.ok) return answerJson(c, { error: expressions.reason }, 400);
  if (expressions.value.length === 0) return answerJson(c, document, 200);
  const { status, ...report } = checkExpectations(expressions.value, document, fields);
  return answerJson(c, report, status);
}

/** Liveness: any response means that the process is up. */
const answerHealth: HttpHandler = (c) => c.text('ok\n');

/** Whether every environment can be served, and which ones cannot. */
function answerReadiness(sources: ReadinessSources): HttpHandler {
  return (c) => {
    const { isReady, waiting } = reportReadiness(sources);
    return answerJson(c, { ready: isReady, waiting }, isReady ? 200 : 503);
  };
}

function answerJson(c: HttpContext, body: object, status: 200 | 400 | 404 | 412 | 422 | 503): Response {
  return c.body(JSON.stringify(body), status, { 'content-type': 'application/json' });
}
