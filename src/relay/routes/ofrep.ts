import type { ServerResponse } from 'node:http';
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response';
import { type HttpContext, type HttpHandler, readBody } from '../../kernel/http/app.ts';
import { BAD_HASH, BODY_UNREADABLE, NO_CLIENT_YET } from '../contract/refusal.ts';
import { ANY_ORIGIN } from '../cors.ts';
import type { Credentials } from '../credentials.ts';
import type { Context } from '../domain/context/context.ts';
import { contextFromOfrep } from '../domain/context/ofrep-context.ts';
import { isJsonObject } from '../domain/json.ts';
import type { Environment } from '../environment.ts';
import { printOfrepFlag, printOfrepFlags } from '../ofrep/evaluation.ts';
import { findOfrepStream, nameOfrepStream, type OfrepStreams } from '../ofrep/streams.ts';
import { OfrepTag } from '../ofrep/tag.ts';
import type { RequestObserver } from '../request-observer.ts';
import { type Access, admittedRequest } from './access.ts';
import { answerJson, answerUnchanged } from './answers.ts';
import { isTrusted } from './context-request.ts';
import type { Paths } from './index.ts';
import { admitOfrep, ofrepCors, refuseOfrep } from './ofrep-access.ts';

export interface OfrepRouteParts {
  readonly credentials: Pick<Credentials, 'find' | 'isComplete' | 'environments'>;
  readonly observer: RequestObserver;
  readonly streams: OfrepStreams;
  readonly maxBodyBytes: number;
}

const SINGLE = '/ofrep/v1/evaluate/flags/{key}';
const BULK = '/ofrep/v1/evaluate/flags';
const STREAM = '/ofrep/v1/streams/{stream}';
const EVALUATION_METHODS = ['POST', 'OPTIONS'];
const STREAM_METHODS = ['GET', 'OPTIONS'];

/** OFREP 0.3, the protocol of OpenFeature providers. */
export function ofrepPaths(parts: OfrepRouteParts): Paths {
  return {
    '/ofrep/v1/evaluate/flags': { POST: evaluateMany(parts), OPTIONS: preflight(EVALUATION_METHODS) },
    '/ofrep/v1/evaluate/flags/:key': { POST: evaluateOne(parts), OPTIONS: preflight(EVALUATION_METHODS) },
    '/ofrep/v1/streams/:stream': { GET: streamChanges(parts), OPTIONS: preflight(STREAM_METHODS) },
  };
}

/** CORS preflight. Allows any origin, as it has no credential; the responses themselves restrict the origin. */
const preflight =
  (methods: readonly string[]): HttpHandler =>
  (c) =>
    c.body(null, 200, ofrepCors(c, ANY_ORIGIN, methods));

function evaluateOne(parts: OfrepRouteParts): HttpHandler {
  return async (c) => {
    const access = admitOfrep(c, parts, SINGLE, EVALUATION_METHODS);
    if (access instanceof Response) return access;
    const key = c.req.param('key') ?? '';
    const request = await readEvaluationRequest(c, access, parts.maxBodyBytes, key);
    if (request instanceof Response) return request;
    const { environment, sdkKind, headers } = access;
    const flag = environment.store.flag(key);
    if (!flag || !environment.exposed(sdkKind).includes(flag)) {
      const errorDetails = `unknown flag ${JSON.stringify(key)}`;
      return refuseOfrep(c, 404, { key, errorCode: 'FLAG_NOT_FOUND', errorDetails }, headers);
    }
    const memberships = await environment.memberships(request.context);
    const { json, isMalformed, variation } = printOfrepFlag(flag, request.context, environment.store, memberships);
    parts.observer.evaluated(environment, sdkKind, 1, { key, variation });
    return isMalformed ? c.body(json, 400, { ...JSON_TYPE, ...headers }) : answerJson(c, json, headers);
  };
}

const JSON_TYPE = { 'content-type': 'application/json' };

function evaluateMany(parts: OfrepRouteParts): HttpHandler {
  return async (c) => {
    const access = admitOfrep(c, parts, BULK, EVALUATION_METHODS);
    if (access instanceof Response) return access;
    const request = await readEvaluationRequest(c, access, parts.maxBodyBytes);
    if (request instanceof Response) return request;
    const { environment, sdkKind, headers } = access;
    const stream = nameOfrepStream(environment);
    const tag = new OfrepTag({ caller: [stream, sdkKind], body: request.body }, environment.revision);
    const asked = c.req.header('if-none-match');
    const found = environment.memberships(request.context);
    const memberships = found instanceof Promise ? await found : found;
    // Big segments change without the data.
    const known = memberships ? undefined : tag.matchData(asked);
    if (known) return answerUnchanged(c, { ...headers, etag: `"${known}"` });
    const visible = environment.exposed(sdkKind);
    parts.observer.evaluated(environment, sdkKind, visible.length);
    const flags = printOfrepFlags(visible, request.context, environment.store, memberships);
    const tagged = { ...headers, etag: tag.of(flags.name) };
    if (tag.matchesAnswer(asked, flags.name)) return answerUnchanged(c, tagged);
    return answerJson(c, `{"flags":[${flags.json}],"eventStreams":[${describeStream(stream, environment)}]}`, tagged);
  };
}

/** `since` makes the stream begin with an event if the data has changed meanwhile. */
function describeStream(stream: string, { revision }: Environment): string {
  const requestUri = `/ofrep/v1/streams/${stream}?since=${revision}`;
  return JSON.stringify({ type: 'sse', endpoint: { requestUri } });
}

interface EvaluationRequest {
  readonly context: Context;
  readonly body: Buffer;
}

/** Reads a request; a Response is its refusal. `key` is the flag of a single evaluation. */
async function readEvaluationRequest(
  c: HttpContext,
  access: Access,
  maxBodyBytes: number,
  key?: string,
): Promise<EvaluationRequest | Response> {
  const about = key === undefined ? {} : { key };
  const { headers } = access;
  const body = await readBody(c, maxBodyBytes);
  if (!body.ok) {
    const status = body.reason === 'too large' ? 413 : 400;
    const errorDetails = status === 413 ? `the body exceeds ${maxBodyBytes} bytes` : BODY_UNREADABLE;
    return refuseOfrep(c, status, { ...about, errorCode: 'GENERAL', errorDetails }, headers);
  }
  const json = parseObject(body.bytes);
  if (json === undefined)
    return refuseOfrep(c, 400, { ...about, errorCode: 'PARSE_ERROR', errorDetails: NOT_AN_OBJECT }, headers);
  const context = contextFromOfrep(json.context);
  if (!context.ok)
    return refuseOfrep(c, 400, { ...about, errorCode: context.errorCode, errorDetails: context.reason }, headers);
  if (!isTrusted(c, access, context.value)) return refuseOfrep(c, 403, { errorDetails: BAD_HASH }, headers);
  return { context: context.value, body: body.bytes };
}

const NOT_AN_OBJECT = 'the body is not a JSON object';

function parseObject(bytes: Buffer): { readonly context?: unknown } | undefined {
  try {
    const json: unknown = JSON.parse(bytes.toString('utf8'));
    return isJsonObject(json) ? json : undefined;
  } catch {
    return undefined;
  }
}

const STREAM_HEADERS = {
  'content-type': 'text/event-stream; charset=utf-8',
  'cache-control': 'no-cache, no-store, must-revalidate',
};

/** An event whenever the response of a bulk request may have changed. */
function streamChanges(parts: OfrepRouteParts): HttpHandler {
  return (c) => {
    const { credentials, observer, streams } = parts;
    const environment = findOfrepStream(credentials.environments, c.req.param('stream') ?? '');
    const headers = ofrepCors(c, environment?.options ?? ANY_ORIGIN, STREAM_METHODS);
    if (!environment || environment.readiness === 'refused')
      return refuseOfrep(c, 404, { errorDetails: 'unknown stream' }, headers);
    if (environment.readiness !== 'ready') return refuseOfrep(c, 503, { errorDetails: NO_CLIENT_YET }, headers);
    const outgoing = c.env?.outgoing as ServerResponse | undefined;
    if (!outgoing) throw new Error('a stream needs a connection');
    const known = c.req.header('last-event-id') ?? c.req.query('since') ?? '';
    const client = streams.open(environment, outgoing, { ...STREAM_HEADERS, ...headers }, known);
    const seen = admittedRequest(c, 'client', environment, STREAM);
    observer.request(seen);
    if (client.isOpen) client.whenOver(observer.stream(seen));
    return RESPONSE_ALREADY_SENT;
  };
}
