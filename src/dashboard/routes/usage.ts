import type { HttpContext, HttpHandler } from '../../kernel/http/app.ts';
import { type EventRequest, readEventRequest } from '../contract/event-request.ts';
import type { Failure } from '../contract/failure.ts';
import type { CachedEvents } from '../event-cache.ts';
import type { UpstreamFailure, UpstreamOutcome } from '../upstream/answer.ts';
import { answerJson, readJsonBody, refuse } from './answers.ts';
import { answerEvents } from './event-stream.ts';

/** A user as the routes know one: whether there is a token, and never which. */
export interface RouteUser {
  readonly id: string;
  readonly color: string;
  readonly emails: readonly string[];
  readonly hasToken: boolean;
  /** The variable that would hold the token. */
  readonly tokenVariable: string;
}

export interface UsageRoutes {
  readonly users: readonly RouteUser[];
  readonly version: string;
  readonly port: () => number;
  readonly uptimeS: () => number;
  readonly findDefaultCsv: () => Promise<ReadonlyMap<string, readonly string[]>>;
  /** The signals of both: the client has gone. */
  readonly fetchSummary: (userId: string, signal: AbortSignal) => Promise<UpstreamOutcome<unknown>>;
  readonly fetchEvents: (userId: string, request: EventRequest, signal: AbortSignal) => Promise<CachedEvents>;
}

/** GET /health */
export function readHealth({ users, port, version, uptimeS }: UsageRoutes): HttpHandler {
  return (c) => {
    const tokens = Object.fromEntries(users.map(({ id, hasToken }) => [id, hasToken]));
    return answerJson(c, { ok: true, users: tokens, port: port(), version, uptimeS: uptimeS() });
  };
}

/** GET /api/users: who may be chosen, with the CSV files that lie in the project for each. */
export function listUsers({ users, findDefaultCsv }: UsageRoutes): HttpHandler {
  return async (c) => {
    const files = await findDefaultCsv();
    const listed = users.map(({ id, color, emails, hasToken }) => ({
      id,
      label: id,
      color,
      emails,
      defaultCsvPaths: files.get(id) ?? [],
      hasToken,
    }));
    return answerJson(c, { users: listed });
  };
}

/** GET /api/summary */
export function readSummary(routes: UsageRoutes): HttpHandler {
  return async (c) => {
    const user = findUser(routes, c.req.query('user'));
    if (!user.ok) return refuse(c, 400, user.failure);
    const summary = await routes.fetchSummary(user.value.id, c.req.raw.signal);
    return summary.ok
      ? answerJson(c, { user: user.value.id, summary: summary.value })
      : refuseUpstream(c, summary.failure);
  };
}

/** GET /api/events */
export function getEvents(routes: UsageRoutes): HttpHandler {
  return (c) => serveEvents(c, routes, c.req.query());
}

/** POST /api/events: the same, asked for in a JSON body. */
export function postEvents(routes: UsageRoutes): HttpHandler {
  return async (c) => {
    const body = await readJsonBody(c);
    if (!body.ok) return body.response;
    // An array is an object too.
    const value = Array.isArray(body.value) ? undefined : body.value;
    return serveEvents(c, routes, isRecord(value) ? { ...c.req.query(), ...value } : value);
  };
}

async function serveEvents(c: HttpContext, routes: UsageRoutes, asked: unknown): Promise<Response> {
  const request = readEventRequest(asked);
  if (!request.ok) return refuse(c, 400, { error: request.reason, code: request.code });
  const user = findUser(routes, request.value.user);
  if (!user.ok) return refuse(c, 400, user.failure);
  const fetched = await routes.fetchEvents(user.value.id, request.value, c.req.raw.signal);
  const isUseful = request.value.allowPartial && fetched.events.length > 0;
  if (fetched.failure && !isUseful) return refuseUpstream(c, fetched.failure);
  return answerEvents(c, user.value.id, fetched);
}

type UserOutcome = { readonly ok: true; readonly value: RouteUser } | { readonly ok: false; readonly failure: Failure };

function findUser({ users }: UsageRoutes, asked: string | undefined): UserOutcome {
  const user = asked ? users.find(({ id }) => id === asked) : users[0];
  const names = users.map(({ id }) => id).join(', ');
  if (!user)
    return {
      ok: false,
      failure: { error: 'there is no such user', code: 'unknown_user', hint: `There are: ${names}.` },
    };
  if (user.hasToken) return { ok: true, value: user };
  const hint = `Put a session cookie of the upstream site into ${user.tokenVariable} (environment or .env), and restart.`;
  return { ok: false, failure: { error: `no session token is configured for ${user.id}`, code: 'no_token', hint } };
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}

function refuseUpstream(c: HttpContext, { code, error, hint, status, retryAfterMs }: UpstreamFailure): Response {
  const failure = { error, code, hint, ...(status === undefined ? {} : { upstreamStatus: status }) };
  const headers = retryAfterMs === undefined ? undefined : { 'retry-after': String(Math.ceil(retryAfterMs / 1000)) };
  return refuse(c, code === 'upstream_timeout' ? 504 : 502, failure, headers);
}
