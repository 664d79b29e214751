import {
  type HttpContext,
  type HttpHandler,
  headerOf,
  type Method,
  mountPaths,
  type PathHandlers,
} from '../../../kernel/http/app.ts';
import { STATUS_OF } from '../../contract/failure.ts';
import type { Refusal } from '../../domain/refusal.ts';
import { answerRefusal, refusalOf } from '../answer/answers.ts';
import { headerNamesOf, releaseHeaders, setHeader } from '../answer/headers.ts';

/** The parts of a request that are checked before it is served. */
export interface RequestFacts {
  readonly method: string;
  /** Path and query as received. */
  readonly url: string;
  /** By its route, since a path can be written in many ways. */
  readonly isStream: boolean;
  readonly host: string | undefined;
  readonly origin: string | undefined;
  /** `Sec-Fetch-Site` */
  readonly site: string | undefined;
  readonly authorization: string | undefined;
  /** Of all headers, in lower case. */
  readonly headerNames: () => Iterable<string>;
}

/** Runs before every handler, also those that answer 404 and 405. */
export interface Middleware {
  /** Why the request is refused, for any sender. */
  refuse(request: RequestFacts): Refusal | undefined;
  /** Resolves when this node knows what was committed on any node before; not needed on a single one. */
  readonly catchUp?: (() => Promise<void>) | undefined;
  /** Whether a page of that origin may read answers. */
  allowsOrigin(origin: string): boolean;
  /** An id for a request without one. */
  newRequestId(): string;
  /** Called after each answer; `path` as in the table. */
  answered(path: string, method: string, status: number, startedAt: number): void;
  now(): number;
}

type Paths = Readonly<Record<string, PathHandlers>>;

const OWN_REQUEST_ID = /^[\w.:-]{1,64}$/;
const METHODS: readonly Method[] = ['GET', 'HEAD', 'POST', 'PUT', 'DELETE', 'OPTIONS'];
/** A stream has no HEAD, which would have to begin it. */
const STREAM_PATH = /\/(event|event\/log|stream)$/;
/** Paths that show rooms, or need the rights of a caller; others are files and probes. */
const STATE_PATH = /^\/($|api\/|r\/|i\/)/;
const READABLE_HEADERS =
  'ETag, Location, Link, Retry-After, X-Error-Code, X-Request-Id, Idempotent-Replay, RateLimit, RateLimit-Policy';
const SENDABLE_HEADERS =
  'Authorization, Content-Type, Accept, If-Match, If-None-Match, Idempotency-Key, Last-Event-ID, X-File-Name, X-Request-Id';

/** Wraps a handler. A Hono middleware would cost more than the checks. */
export function wrapped(middleware: Middleware, path: string, handle: HttpHandler): HttpHandler {
  const isStream = STREAM_PATH.test(path);
  const catchUp = STATE_PATH.test(path) ? middleware.catchUp : undefined;
  return (c, next) => {
    const startedAt = middleware.now();
    const refusal = enter(middleware, c, isStream);
    // A stream is written to the socket before its handler returns.
    if (isStream) releaseHeaders(c);
    const answer = refusal ?? (catchUp ? catchUp().then(() => handle(c, next)) : handle(c, next));
    if (!(answer instanceof Promise)) return leave(middleware, path, c, answer as Response, startedAt);
    return answer.then(
      (made) => leave(middleware, path, c, made as Response, startedAt),
      (error: unknown) => {
        middleware.answered(path, c.req.method, STATUS_OF[refusalOf(error).code], startedAt);
        throw error;
      },
    );
  };
}

function leave(middleware: Middleware, path: string, c: HttpContext, answer: Response, startedAt: number): Response {
  releaseHeaders(c, answer);
  middleware.answered(path, c.req.method, answer.status, startedAt);
  return answer;
}

function enter(middleware: Middleware, c: HttpContext, isStream: boolean): Response | undefined {
  const asked = headerOf(c, 'x-request-id');
  setHeader(c, 'x-request-id', asked !== undefined && OWN_REQUEST_ID.test(asked) ? asked : middleware.newRequestId());
  setHeader(c, 'x-content-type-options', 'nosniff');
  const origin = headerOf(c, 'origin');
  if (origin !== undefined && middleware.allowsOrigin(origin)) {
    setHeader(c, 'access-control-allow-origin', origin);
    setHeader(c, 'access-control-expose-headers', READABLE_HEADERS);
    setHeader(c, 'vary', 'Origin');
  }
  const refusal = middleware.refuse({
    method: c.req.method,
    url: c.env?.incoming?.url ?? c.req.url,
    isStream,
    host: headerOf(c, 'host'),
    origin,
    site: headerOf(c, 'sec-fetch-site'),
    authorization: headerOf(c, 'authorization'),
    headerNames: () => headerNamesOf(c),
  });
  return refusal && answerRefusal(c, refusal);
}

/** Adds OPTIONS to every path, and HEAD to those with GET. */
export function completePaths(paths: Paths, middleware: Middleware): Paths {
  return Object.fromEntries(
    Object.entries(paths).map(([path, handlers]) => [path, complete(path, handlers, middleware)]),
  );
}

function complete(path: string, handlers: PathHandlers, middleware: Middleware): PathHandlers {
  const { GET: get } = handlers;
  const known: Partial<Record<Method, HttpHandler>> = { ...handlers };
  if (get && !STREAM_PATH.test(path)) known.HEAD ??= get;
  const allowed = METHODS.filter((method) => method === 'OPTIONS' || known[method]);
  known.OPTIONS ??= (c) => answerOptions(c, allowed, middleware);
  return Object.fromEntries(
    allowed.flatMap((method) => {
      const handle = known[method];
      return handle ? [[method, wrapped(middleware, path, handle)]] : [];
    }),
  );
}

function answerOptions(c: HttpContext, allowed: readonly Method[], middleware: Middleware): Response {
  const headers: Record<string, string> = { allow: allowed.join(', ') };
  const origin = headerOf(c, 'origin');
  if (origin !== undefined && middleware.allowsOrigin(origin)) {
    headers['access-control-allow-methods'] = allowed.join(', ');
    headers['access-control-allow-headers'] = SENDABLE_HEADERS;
    headers['access-control-max-age'] = '600';
  }
  return c.body(null, 204, headers);
}

/** Mounts a complete table. */
export function mountBehind(
  middleware: Middleware,
  app: Parameters<typeof mountPaths>[0],
  paths: Paths,
  refuse: (c: HttpContext, allowed: readonly Method[]) => Response,
): void {
  mountPaths(app, paths, (c, allowed) => {
    const startedAt = middleware.now();
    return leave(middleware, 'no such method', c, enter(middleware, c, false) ?? refuse(c, allowed), startedAt);
  });
}
