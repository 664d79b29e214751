import type { ServerResponse } from 'node:http';
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response';
import type { HttpContext } from '../../kernel/http/app.ts';
import type { StreamClient } from '../../kernel/sse/client.ts';
import { type Access, type AccessParts, type EnvironmentHandler, readCredential, requestSeen } from './access.ts';
import type { AnswerHeaders } from './answers.ts';
import { readRequestContext } from './context-request.ts';
import { asksForReasons, refuseEvaluation } from './evaluations.ts';

export interface StreamParts extends Pick<AccessParts, 'observer'> {
  readonly maxBodyBytes: number;
  /** Whether streams for a context carry what flags are worth for it, instead of pings. */
  readonly evaluatedStreams: boolean;
}

const STREAM_HEADERS = {
  'content-type': 'text/event-stream; charset=utf-8',
  'cache-control': 'no-cache, no-store, must-revalidate',
  connection: 'keep-alive',
  'x-accel-buffering': 'no',
  'access-control-allow-origin': '*',
};

/** GET /all, of servers, and /flags, of old ones: everything, and then what changes. */
export function streamData(kind: 'all' | 'flags', parts: StreamParts): EnvironmentHandler {
  return (c, access) =>
    open(c, access, parts, (outgoing, headers) => access.environment.streams.openData(kind, outgoing, headers));
}

/** GET /mping and /ping/{envId}, of old SDKs: a ping with each change, for whoever listens. */
export function streamPings(sdkKind: 'mobile' | 'client', parts: StreamParts): EnvironmentHandler {
  return (c, access) =>
    open(c, access, parts, (outgoing, headers) => access.environment.streams.openPings(sdkKind, outgoing, headers));
}

/** GET and REPORT of /meval and /eval/{envId}: news for one context. */
export function streamForContext(sdkKind: 'mobile' | 'client', parts: StreamParts): EnvironmentHandler {
  const pings = streamPings(sdkKind, parts);
  return async (c, access) => {
    const context = await readRequestContext(c, access, parts.maxBodyBytes);
    if (context instanceof Response) return context;
    if (!parts.evaluatedStreams) return pings(c, access);
    const refusal = refuseEvaluation(c, access, context);
    if (refusal) return refusal;
    const request = { context, withReasons: asksForReasons(c) };
    const { streams } = access.environment;
    return open(c, access, parts, (outgoing, headers) => streams.openEvaluated(sdkKind, outgoing, headers, request));
  };
}

/** `begin` registers the client and takes its snapshot in one turn, so that nothing falls between the two. */
function open(
  c: HttpContext,
  { environment, sdkKind, headers, route }: Access,
  { observer }: StreamParts,
  begin: (outgoing: ServerResponse, headers: AnswerHeaders) => StreamClient,
): Response {
  const outgoing = c.env?.outgoing as ServerResponse | undefined;
  if (!outgoing) throw new Error('a stream needs a connection');
  const client = begin(outgoing, { ...STREAM_HEADERS, ...headers });
  if (!client.isOpen) return RESPONSE_ALREADY_SENT;
  const endObservation = observer.stream(requestSeen(c, sdkKind, environment, route));
  const forget = environment.streams.remember(client, sdkKind, readCredential(c, sdkKind) ?? '');
  client.whenOver(() => {
    endObservation();
    forget();
  });
  return RESPONSE_ALREADY_SENT;
}
