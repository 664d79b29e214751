import type { HttpContext, HttpHandler, Method } from '../../kernel/http/app.ts';
import {
  NO_CLIENT_YET,
  NO_ENVIRONMENTS_YET,
  UNKNOWN_ENVIRONMENT_ID,
  UNKNOWN_FILTER,
  UNKNOWN_KEY,
} from '../contract/refusal.ts';
import { ANY_ORIGIN, type CorsRules, corsHeaders } from '../cors.ts';
import { type Credentials, readAuthorization, type SdkKind } from '../credentials.ts';
import type { Environment } from '../environment.ts';
import { type AnswerHeaders, refusePlainly, refuseSilently } from './answers.ts';

/** A request that has been let in. */
export interface Access {
  readonly environment: Environment;
  readonly sdkKind: SdkKind;
  /** Go out with every answer. */
  readonly headers: AnswerHeaders;
  /** The path as a template: `/sdk/flags/{flagKey}`. */
  readonly route: string;
}

/** Is told of every request that was let in; what it gives back is called when the answer is over. */
export interface RequestObserver {
  request(seen: RequestSeen): void;
  /** A stream was opened. */
  stream(seen: RequestSeen): () => void;
}

export interface RequestSeen {
  readonly sdkKind: SdkKind;
  readonly environment: Environment;
  readonly route: string;
  readonly method: string;
  /** As the SDK names itself. */
  readonly userAgent: string;
}

export interface AccessParts {
  readonly credentials: Credentials;
  readonly observer: RequestObserver;
}

/** `data`: there must be some; `client`: they may be waited for in vain; `nothing`: the credential is all it takes. */
export type Need = 'data' | 'client' | 'nothing';

export interface AccessRules {
  readonly sdkKind: SdkKind;
  /** In Hono's form. */
  readonly path: string;
  /** All that the path answers, for browsers. */
  readonly methods: readonly Method[];
  readonly need: Need;
}

export type EnvironmentHandler = (c: HttpContext, access: Access) => Response | Promise<Response>;

/** Lets a request in where its credential stands for an environment from which it can have what it needs. */
export function admit(parts: AccessParts, rules: AccessRules, handle: EnvironmentHandler): HttpHandler {
  const { sdkKind, need } = rules;
  const route = templateOf(rules.path);
  return (c) => {
    const found = findEnvironment(c, parts, rules);
    if (found instanceof Response) return found;
    const headers = headersFor(c, rules, found);
    const { readiness } = found;
    if (need !== 'nothing' && (readiness === 'starting' || (need === 'data' && readiness === 'waiting')))
      return refusePlainly(c, 503, NO_CLIENT_YET, headers);
    parts.observer.request(requestSeen(c, sdkKind, found, route));
    return handle(c, { environment: found, sdkKind, headers, route });
  };
}

/**
 * OPTIONS: what a browser may ask of a path. Of an unknown environment too: the browser would hide the 404 that the
 * request itself is then answered with.
 */
export function answerPreflight(parts: AccessParts, rules: AccessRules): HttpHandler {
  return (c) => {
    const found = findEnvironment(c, parts, rules);
    const headers = found instanceof Response ? headersOfRules(c, rules, ANY_ORIGIN) : headersFor(c, rules, found);
    return c.body(null, 200, headers);
  };
}

export function requestSeen(c: HttpContext, sdkKind: SdkKind, environment: Environment, route: string): RequestSeen {
  const userAgent = c.req.header('x-launchdarkly-user-agent') ?? c.req.header('user-agent') ?? '';
  return { sdkKind, environment, route, method: c.req.method, userAgent };
}

/** The last part of the path without its `.gif`, which is no part of the id. */
export function environmentIdOf(c: HttpContext): string {
  return (c.req.param('envId') ?? '').replace(/\.gif$/, '');
}

/** What a request shows of who it is; undefined when that cannot be read. */
export function readCredential(c: HttpContext, sdkKind: SdkKind): string | undefined {
  return sdkKind === 'client' ? environmentIdOf(c) : readAuthorization(c.req.header('authorization'));
}

function findEnvironment(c: HttpContext, { credentials }: AccessParts, rules: AccessRules): Environment | Response {
  const { sdkKind } = rules;
  const cors = () => headersOfRules(c, rules, ANY_ORIGIN);
  const credential = readCredential(c, sdkKind);
  if (credential === undefined) return refuseSilently(c, 401);
  if (!credentials.isComplete) return refusePlainly(c, 503, NO_ENVIRONMENTS_YET, cors());
  const found = credentials.find(sdkKind, credential, c.req.query('filter'));
  if (found === 'unknown filter') return refusePlainly(c, 404, UNKNOWN_FILTER, cors());
  if (found !== 'unknown credential' && found.readiness !== 'refused') return found;
  return sdkKind === 'client'
    ? refusePlainly(c, 404, UNKNOWN_ENVIRONMENT_ID, cors())
    : refusePlainly(c, 401, UNKNOWN_KEY);
}

function headersFor(c: HttpContext, rules: AccessRules, { options }: Environment): AnswerHeaders {
  const id = options.envId === undefined ? {} : { 'x-ld-envid': options.envId };
  return { ...headersOfRules(c, rules, options), ...id };
}

function headersOfRules(c: HttpContext, { sdkKind, methods }: AccessRules, rules: CorsRules): AnswerHeaders {
  return sdkKind === 'client' ? corsHeaders(rules, c.req.header('origin'), methods) : {};
}

/** `/sdk/flags/:flagKey` as `/sdk/flags/{flagKey}`. */
export function templateOf(path: string): string {
  return path.replace(/:(\w+)(\{.*\})?/g, (_, name: string, pattern?: string) => `{${name}}${pattern ? '.gif' : ''}`);
}
