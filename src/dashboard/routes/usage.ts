import type { HttpContext, HttpHandler } from '../../kernel/http/app.ts';
import type { Outcome } from '../../kernel/outcome.ts';
import { AGENTS } from '../agents/event.ts';
import { type EventRequest, readEventRequest } from '../contract/event-request.ts';
import type { Failure } from '../contract/failure.ts';
import type { UserList } from '../contract/user-list.ts';
import type { CachedEvents } from '../event-cache.ts';
import type { UpstreamFailed, UpstreamFailure } from '../upstream/answer.ts';
import { type AgentRouteParts, agentPaths, answerAgentEvents } from './agents.ts';
import { answerJson, readJsonBody, refuse } from './answers.ts';
import { answerEvents, headOf } from './event-stream.ts';
import type { Paths } from './index.ts';

/** A user without the token itself. */
export interface RouteUser {
  readonly id: string;
  readonly color: string;
  readonly emails: readonly string[];
  readonly hasToken: boolean;
  /** The variable that would hold the token. */
  readonly tokenVariable: string;
  /** Whether its live data are the logs of an assistant. */
  readonly isAgent: boolean;
}

export interface UsageRouteParts {
  readonly users: readonly RouteUser[];
  readonly version: string;
  readonly port: () => number;
  readonly uptimeS: () => number;
  readonly findDefaultCsv: () => Promise<ReadonlyMap<string, readonly string[]>>;
  /** Both signals are aborted when the client has gone. */
  readonly fetchSummary: (userId: string, signal: AbortSignal) => Promise<Outcome<unknown, UpstreamFailed>>;
  readonly fetchEvents: (userId: string, request: EventRequest, signal: AbortSignal) => Promise<CachedEvents>;
  /** Undefined: no logs are read. */
  readonly agents: AgentRouteParts | undefined;
}

export function usagePaths(parts: UsageRouteParts): Paths {
  const health = readHealth(parts);
  return {
    '/health': { GET: health, HEAD: health },
    '/api/users': { GET: listUsers(parts) },
    '/api/summary': { GET: readSummary(parts) },
    '/api/events': { GET: getEvents(parts), POST: postEvents(parts) },
    ...agentPaths(parts.agents),
  };
}

function readHealth({ users, port, version, uptimeS, agents }: UsageRouteParts): HttpHandler {
  return (c) => {
    const live = Object.fromEntries(users.map((user) => [user.id, hasLive(user)]));
    const logs = agents && { agents: agents.source.status() };
    return answerJson(c, { ok: true, users: live, port: port(), version, uptimeS: uptimeS(), ...logs });
  };
}

const hasLive = ({ hasToken, isAgent }: RouteUser): boolean => hasToken || isAgent;

/** The users that may be chosen, each with its CSV files in the project. */
function listUsers({ users, findDefaultCsv }: UsageRouteParts): HttpHandler {
  return async (c) => {
    const files = await findDefaultCsv();
    const listed = users.map((user) => ({
      id: user.id,
      label: user.id,
      color: user.color,
      emails: user.emails,
      defaultCsvPaths: files.get(user.id) ?? [],
      hasToken: hasLive(user),
      ...(user.isAgent ? { isAgent: true as const } : {}),
    }));
    return answerJson(c, { users: listed } satisfies UserList);
  };
}

function readSummary(parts: UsageRouteParts): HttpHandler {
  return async (c) => {
    const user = findUser(parts, c.req.query('user'));
    if (!user.ok) return refuse(c, 400, user.failure);
    const agent = agentOf(parts, user.value);
    if (agent) return answerJson(c, { user: agent.id, summary: await agent.source.summary(agent.id) });
    const summary = await parts.fetchSummary(user.value.id, c.req.raw.signal);
    return summary.ok
      ? answerJson(c, { user: user.value.id, summary: summary.value })
      : refuseUpstream(c, summary.failure);
  };
}

function getEvents(parts: UsageRouteParts): HttpHandler {
  return (c) => serveEvents(c, parts, c.req.query());
}

/** As GET, with the query in a JSON body. */
function postEvents(parts: UsageRouteParts): HttpHandler {
  return async (c) => {
    const body = await readJsonBody(c);
    if (!body.ok) return body.response;
    // Arrays are objects too.
    const value = Array.isArray(body.value) ? undefined : body.value;
    return serveEvents(c, parts, isRecord(value) ? { ...c.req.query(), ...value } : value);
  };
}

async function serveEvents(c: HttpContext, parts: UsageRouteParts, asked: unknown): Promise<Response> {
  const request = readEventRequest(asked);
  if (!request.ok) return refuse(c, 400, { error: request.reason, code: request.code });
  const user = findUser(parts, request.value.user);
  if (!user.ok) return refuse(c, 400, user.failure);
  const agent = agentOf(parts, user.value);
  if (agent) return answerAgentEvents(c, agent, agent.id, request.value);
  const fetched = await parts.fetchEvents(user.value.id, request.value, c.req.raw.signal);
  const isUseful = request.value.allowPartial && fetched.events.length > 0;
  if (fetched.failure && !isUseful) return refuseUpstream(c, fetched.failure);
  return answerEvents(c, headOf(user.value.id, fetched), fetched.events);
}

function findUser(
  { users }: UsageRouteParts,
  asked: string | undefined,
): Outcome<RouteUser, { readonly failure: Failure }> {
  const user = asked ? users.find(({ id }) => id === asked) : users[0];
  const names = users.map(({ id }) => id).join(', ');
  if (!user)
    return {
      ok: false,
      failure: { error: 'unknown user', code: 'unknown_user', hint: `There are: ${names}.` },
    };
  if (hasLive(user)) return { ok: true, value: user };
  const hint = `Put a session cookie of the upstream site into ${user.tokenVariable} (environment or .env), and restart.`;
  return { ok: false, failure: { error: `no session token is configured for ${user.id}`, code: 'no_token', hint } };
}

function agentOf({ agents }: UsageRouteParts, { id, isAgent }: RouteUser) {
  const agent = isAgent ? AGENTS.find((name) => name === id) : undefined;
  return agents && agent && { ...agents, id: agent };
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}

function refuseUpstream(c: HttpContext, { code, error, hint, status, retryAfterMs }: UpstreamFailure): Response {
  const failure = { error, code, hint, ...(status === undefined ? {} : { upstreamStatus: status }) };
  const headers = retryAfterMs === undefined ? undefined : { 'retry-after': String(Math.ceil(retryAfterMs / 1000)) };
  return refuse(c, code === 'upstream_timeout' ? 504 : 502, failure, headers);
}
