import type { HttpContext, HttpHandler, Method, PathHandlers } from '../../kernel/http/app.ts';
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
import type { AdmittedRequest, RequestObserver } from '../request-observer.ts';
import { type AnswerHeaders, refusePlainly, refuseSilently } from './answers.ts';
import type { Paths } from './index.ts';

/** What a valid credential gives a handler. */
export interface Access {
  readonly environment: Environment;
  readonly sdkKind: SdkKind;
  /** For every response. */
  readonly headers: AnswerHeaders;
  /** The path as a template: `/sdk/flags/{flagKey}`. */
  readonly route: string;
}

export interface AccessParts {
  readonly credentials: Pick<Credentials, 'find' | 'isComplete'>;
  readonly observer: RequestObserver;
}

/**
 * What a handler needs of the environment besides a valid credential. `data`: its flags; `client`: that its source has had
 * the time to deliver them; `nothing`: no more.
 */
type Need = 'data' | 'client' | 'nothing';

export type EnvironmentHandler = (c: HttpContext, access: Access) => Response | Promise<Response>;

type EnvironmentPaths = Readonly<Record<string, Readonly<Partial<Record<Method, EnvironmentHandler>>>>>;

/** Paths for SDKs of this kind, which need a credential; those for client-side SDKs support CORS. */
export function sdkPaths(parts: AccessParts, sdkKind: SdkKind, need: Need, paths: EnvironmentPaths): Paths {
  const admitted = Object.entries(paths).map(([path, handlers]) => {
    const methods = [...Object.keys(handlers), ...(sdkKind === 'client' ? ['OPTIONS'] : [])];
    const rules = { sdkKind, need, route: templateOf(path), methods };
    const byMethod = Object.entries(handlers).map(([method, handle]) => [method, admit(parts, rules, handle)]);
    const preflight = sdkKind === 'client' ? { OPTIONS: answerPreflight(parts, rules) } : {};
    return [path, { ...Object.fromEntries(byMethod), ...preflight } satisfies PathHandlers] as const;
  });
  return Object.fromEntries(admitted);
}

interface AccessRules {
  readonly sdkKind: SdkKind;
  readonly need: Need;
  readonly route: string;
  /** For CORS. */
  readonly methods: readonly string[];
}

/** Calls the handler if the credential is valid and the environment has what the handler needs. */
function admit(parts: AccessParts, rules: AccessRules, handle: EnvironmentHandler): HttpHandler {
  const { sdkKind, need, route } = rules;
  return (c) => {
    const environment = findEnvironment(c, parts, rules);
    if (environment instanceof Response) return environment;
    const headers = headersFor(c, rules, environment);
    const { readiness } = environment;
    if (need !== 'nothing' && (readiness === 'starting' || (need === 'data' && readiness === 'waiting')))
      return refusePlainly(c, 503, NO_CLIENT_YET, headers);
    parts.observer.request(admittedRequest(c, sdkKind, environment, route));
    return handle(c, { environment, sdkKind, headers, route });
  };
}

/** CORS preflight. Succeeds for an unknown environment too: otherwise the browser would hide the 404 of the request itself. */
function answerPreflight(parts: AccessParts, rules: AccessRules): HttpHandler {
  return (c) => {
    const found = findEnvironment(c, parts, rules);
    const headers = found instanceof Response ? corsOf(c, rules, ANY_ORIGIN) : headersFor(c, rules, found);
    return c.body(null, 200, headers);
  };
}

export function admittedRequest(
  c: HttpContext,
  sdkKind: SdkKind,
  environment: Environment,
  route: string,
): AdmittedRequest {
  const userAgent = c.req.header('x-launchdarkly-user-agent') ?? c.req.header('user-agent') ?? '';
  return { sdkKind, environment, route, method: c.req.method, userAgent };
}

/** The environment id in the path, without the `.gif` of the image path. */
export function environmentIdOf(c: HttpContext): string {
  return (c.req.param('envId') ?? '').replace(/\.gif$/, '');
}

/** The credential of a request; undefined if it is missing or unreadable. */
export function readCredential(c: HttpContext, sdkKind: SdkKind): string | undefined {
  return sdkKind === 'client' ? environmentIdOf(c) : readAuthorization(c.req.header('authorization'));
}

function findEnvironment(c: HttpContext, { credentials }: AccessParts, rules: AccessRules): Environment | Response {
  const { sdkKind } = rules;
  const cors = () => corsOf(c, rules, ANY_ORIGIN);
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
  return { ...corsOf(c, rules, options), ...id };
}

function corsOf(c: HttpContext, { sdkKind, methods }: AccessRules, rules: CorsRules): AnswerHeaders {
  return sdkKind === 'client' ? corsHeaders(rules, c.req.header('origin'), methods) : {};
}

/** `/sdk/flags/:flagKey` as `/sdk/flags/{flagKey}`. */
export function templateOf(path: string): string {
  return path.replace(/:(\w+)(\{.*\})?/g, (_, name: string, pattern?: string) => `{${name}}${pattern ? '.gif' : ''}`);
}
