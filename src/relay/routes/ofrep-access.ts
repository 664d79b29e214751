import type { HttpContext } from '../../kernel/http/app.ts';
import { NO_CLIENT_YET, NO_ENVIRONMENTS_YET, UNKNOWN_FILTER } from '../contract/refusal.ts';
import { ANY_ORIGIN, type CorsHeaders, type CorsRules, corsHeaders } from '../cors.ts';
import { type Credentials, SDK_KINDS, type SdkKind } from '../credentials.ts';
import type { Environment } from '../environment.ts';
import type { RequestObserver } from '../request-observer.ts';
import { type Access, admittedRequest } from './access.ts';
import type { AnswerHeaders } from './answers.ts';

export interface OfrepAccessParts {
  readonly credentials: Pick<Credentials, 'find' | 'isComplete'>;
  readonly observer: Pick<RequestObserver, 'request'>;
}

/** An OFREP error of a request or a flag. */
export interface OfrepFault {
  readonly key?: string;
  readonly errorCode?: 'PARSE_ERROR' | 'TARGETING_KEY_MISSING' | 'INVALID_CONTEXT' | 'FLAG_NOT_FOUND' | 'GENERAL';
  readonly errorDetails: string;
}

type FaultStatus = 400 | 401 | 403 | 404 | 413 | 503;

export function refuseOfrep(
  c: HttpContext,
  status: FaultStatus,
  { key, errorCode, errorDetails }: OfrepFault,
  headers: AnswerHeaders,
): Response {
  const body = JSON.stringify({ key, errorCode, errorDetails });
  return c.body(body, status, { 'content-type': 'application/json', ...headers });
}

const REQUEST_HEADERS = 'X-API-Key';
const ANSWER_HEADERS = 'Date,ETag,Retry-After';

/** CORS headers; web providers may send X-API-Key and must see the entity tag. */
export function ofrepCors(c: HttpContext, rules: CorsRules, methods: readonly string[]): CorsHeaders {
  const headers = corsHeaders(rules, c.req.header('origin'), methods);
  return {
    ...headers,
    'access-control-allow-headers': `${headers['access-control-allow-headers']},${REQUEST_HEADERS}`,
    'access-control-expose-headers': ANSWER_HEADERS,
  };
}

/** Admits a request by its SDK key, mobile key or environment id. */
export function admitOfrep(
  c: HttpContext,
  { credentials, observer }: OfrepAccessParts,
  route: string,
  methods: readonly string[],
): Access | Response {
  const anywhere = ofrepCors(c, ANY_ORIGIN, methods);
  const refuse = (status: FaultStatus, errorDetails: string, headers: AnswerHeaders = {}) =>
    refuseOfrep(c, status, { errorDetails }, { ...anywhere, ...headers });
  const credential = readOfrepCredential(c.req.header('authorization'), c.req.header('x-api-key'));
  if (credential === undefined) return refuse(401, NO_CREDENTIAL, CHALLENGE);
  if (!credentials.isComplete) return refuse(503, NO_ENVIRONMENTS_YET, SOON);
  const found = find(credentials, credential, c.req.query('filter'));
  if (found === 'unknown credential') return refuse(401, UNKNOWN_CREDENTIAL, CHALLENGE);
  if (found === 'unknown filter') return refuse(404, UNKNOWN_FILTER);
  const { environment, sdkKind } = found;
  const headers = ofrepCors(c, environment.options, methods);
  if (environment.readiness !== 'ready')
    return refuseOfrep(c, 503, { errorDetails: NO_CLIENT_YET }, { ...headers, ...SOON });
  observer.request(admittedRequest(c, sdkKind, environment, route));
  return { environment, sdkKind, headers, route };
}

const CHALLENGE = { 'www-authenticate': 'Bearer' };
const SOON = { 'retry-after': '1' };
const NO_CREDENTIAL =
  'an SDK key, a mobile key or an environment id is expected in the header Authorization (Bearer) or X-API-Key';
const UNKNOWN_CREDENTIAL = 'unknown credential';

/** A bearer token, a bare key as LaunchDarkly's SDKs send it, or X-API-Key; undefined without any. */
export function readOfrepCredential(authorization: string | undefined, apiKey: string | undefined): string | undefined {
  const token = (authorization ?? '').replace(/^Bearer +/i, '').trim() || (apiKey ?? '').trim();
  return token === '' || /\s/.test(token) ? undefined : token;
}

type Found = { readonly environment: Environment; readonly sdkKind: SdkKind } | 'unknown credential' | 'unknown filter';

function find(credentials: OfrepAccessParts['credentials'], credential: string, filter: string | undefined): Found {
  let otherwise: 'unknown credential' | 'unknown filter' = 'unknown credential';
  for (const sdkKind of SDK_KINDS) {
    const environment = credentials.find(sdkKind, credential, filter);
    if (environment === 'unknown filter') otherwise = environment;
    else if (environment !== 'unknown credential' && environment.readiness !== 'refused')
      return { environment, sdkKind };
  }
  return otherwise;
}
