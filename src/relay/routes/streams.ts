import type { ServerResponse } from 'node:http';
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response';
import type { HttpContext } from '../../kernel/http/app.ts';
import type { StreamClient } from '../../kernel/sse/client.ts';
import {
  type Access,
  type AccessParts,
  admittedRequest,
  type EnvironmentHandler,
  readCredential,
  sdkPaths,
} from './access.ts';
import type { AnswerHeaders } from './answers.ts';
import { readRequestContext } from './context-request.ts';
import { asksForReasons, refuseEvaluation } from './evaluations.ts';
import type { Paths } from './index.ts';

export interface StreamRouteParts extends AccessParts {
  readonly maxBodyBytes: number;
  /** Streams for a context carry evaluated flags instead of pings. */
  readonly evaluatedStreams: boolean;
}

/** Event streams of LaunchDarkly's SDKs. */
export function streamPaths(parts: StreamRouteParts): Paths {
  const mobile = streamForContext('mobile', parts);
  const client = streamForContext('client', parts);
  return {
    ...sdkPaths(parts, 'server', 'data', {
      '/all': { GET: streamData('all', parts) },
      '/flags': { GET: streamData('flags', parts) },
      '/sdk/stream': { GET: streamTransfers(parts) },
    }),
    ...sdkPaths(parts, 'mobile', 'data', {
      '/meval/:context': { GET: mobile },
      '/meval': { REPORT: mobile },
      '/mping': { GET: streamPings('mobile', parts) },
    }),
    ...sdkPaths(parts, 'client', 'data', {
      '/eval/:envId/:context': { GET: client },
      '/eval/:envId': { REPORT: client },
      '/ping/:envId': { GET: streamPings('client', parts) },
    }),
  };
}

const STREAM_HEADERS = {
  'content-type': 'text/event-stream; charset=utf-8',
  'cache-control': 'no-cache, no-store, must-revalidate',
  connection: 'keep-alive',
  'x-accel-buffering': 'no',
  'access-control-allow-origin': '*',
};

/** Server-side SDKs, `flags` for old ones: all data, then changes. */
function streamData(kind: 'all' | 'flags', parts: StreamRouteParts): EnvironmentHandler {
  return (c, access) =>
    open(c, access, parts, (outgoing, headers) => access.environment.streams.openData(kind, outgoing, headers));
}

/** Server-side SDKs, version 2 of flag delivery: what is new since the revision that they have, then changes. */
function streamTransfers(parts: StreamRouteParts): EnvironmentHandler {
  return (c, access) =>
    open(c, access, parts, (outgoing, headers) =>
      access.environment.streams.openTransfers(c.req.query('basis') || undefined, outgoing, headers),
    );
}

/** Old SDKs: a ping with each change. */
function streamPings(sdkKind: 'mobile' | 'client', parts: StreamRouteParts): EnvironmentHandler {
  return (c, access) =>
    open(c, access, parts, (outgoing, headers) => access.environment.streams.openPings(sdkKind, outgoing, headers));
}

/** Changes for one context. */
function streamForContext(sdkKind: 'mobile' | 'client', parts: StreamRouteParts): EnvironmentHandler {
  const pings = streamPings(sdkKind, parts);
  return async (c, access) => {
    const context = await readRequestContext(c, access, parts.maxBodyBytes);
    if (context instanceof Response) return context;
    if (!parts.evaluatedStreams) return pings(c, access);
    const refusal = refuseEvaluation(c, access, context);
    if (refusal) return refusal;
    const memberships = await access.environment.memberships(context);
    const request = { context, withReasons: asksForReasons(c), memberships };
    const { streams } = access.environment;
    return open(c, access, parts, (outgoing, headers) => streams.openEvaluated(sdkKind, outgoing, headers, request));
  };
}

/** `begin` registers the client and takes its snapshot in one turn of the event loop, so that no change is missed. */
function open(
  c: HttpContext,
  { environment, sdkKind, headers, route }: Access,
  { observer }: StreamRouteParts,
  begin: (outgoing: ServerResponse, headers: AnswerHeaders) => StreamClient,
): Response {
  const outgoing = c.env?.outgoing as ServerResponse | undefined;
  if (!outgoing) throw new Error('a stream needs a connection');
  const client = begin(outgoing, { ...STREAM_HEADERS, ...headers });
  if (!client.isOpen) return RESPONSE_ALREADY_SENT;
  const endObservation = observer.stream(admittedRequest(c, sdkKind, environment, route));
  const forget = environment.streams.remember(client, sdkKind, readCredential(c, sdkKind) ?? '');
  client.whenOver(() => {
    endObservation();
    forget();
  });
  return RESPONSE_ALREADY_SENT;
}
