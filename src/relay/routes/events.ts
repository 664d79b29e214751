import { answerWith, type HttpContext, readBody } from '../../kernel/http/app.ts';
import type { SdkKind } from '../credentials.ts';
import type { Environment } from '../environment.ts';
import { DEFAULT_MAX_POST_BYTES, type EventPost, type EventReceipt, type EventReceiver } from '../event/receiver.ts';
import { type AccessParts, type EnvironmentHandler, sdkPaths } from './access.ts';
import { type AnswerHeaders, refuse, refusePlainly, refuseSilently } from './answers.ts';
import type { Paths } from './index.ts';

export interface EventRouteParts extends AccessParts {
  /** Of a body as received; 0: {@link DEFAULT_MAX_POST_BYTES}. */
  readonly maxPayloadBytes: number;
  readonly receiverOf: (environment: Environment) => EventReceiver;
}

/** Events of SDKs. */
export function eventPaths(parts: EventRouteParts): Paths {
  const post = (sdkKind: SdkKind, kind: EventPost['kind']) => ({ POST: receivePost(parts, sdkKind, kind) });
  return {
    ...sdkPaths(parts, 'server', 'client', {
      '/bulk': post('server', 'analytics'),
      '/diagnostic': post('server', 'diagnostic'),
    }),
    ...sdkPaths(parts, 'mobile', 'client', {
      '/mobile': post('mobile', 'analytics'),
      '/mobile/events': post('mobile', 'analytics'),
      '/mobile/events/bulk': post('mobile', 'analytics'),
      '/mobile/events/diagnostic': post('mobile', 'diagnostic'),
    }),
    ...sdkPaths(parts, 'client', 'client', {
      '/events/bulk/:envId': post('client', 'analytics'),
      '/events/diagnostic/:envId': post('client', 'diagnostic'),
    }),
    ...sdkPaths(parts, 'client', 'nothing', { '/a/:envId{[^/]+\\.gif}': { GET: receiveImage(parts) } }),
  };
}

function receivePost(
  { maxPayloadBytes, receiverOf }: EventRouteParts,
  sdkKind: SdkKind,
  kind: EventPost['kind'],
): EnvironmentHandler {
  return async (c, { environment, headers }) => {
    const receiver = receiverOf(environment);
    if (receiver.mode === 'off') return refuse(c, 503, 'Event proxy is not enabled for this environment', headers);
    const body = await readBody(c, maxPayloadBytes || DEFAULT_MAX_POST_BYTES);
    const header = (name: string) => c.req.header(name);
    if (receiver.mode === 'discard') {
      if (body.ok) await receiver.count?.({ sdkKind, kind, bytes: body.bytes, header });
      return answer(c, 'accepted', headers);
    }
    // As ld-relay, which answers 400 beyond a configured limit.
    const isOverDefault = !body.ok && body.reason === 'too large' && maxPayloadBytes === 0;
    if (!body.ok) return answer(c, isOverDefault ? 'too large' : 'unreadable', headers);
    return answer(c, await receiver.receive({ sdkKind, kind, bytes: body.bytes, header }), headers);
  };
}

function answer(c: HttpContext, receipt: EventReceipt, headers: AnswerHeaders): Response {
  switch (receipt) {
    case 'accepted':
      // Without a length Node would answer in chunks.
      return answerWith(c, null, 202, { ...headers, 'content-length': '0' });
    case 'not gzip':
      return refusePlainly(c, 400, 'gzip: invalid header', headers);
    case 'empty':
      return refuse(c, 400, 'body may not be empty', headers);
    case 'unreadable':
      return refuse(c, 400, 'unable to read request body', headers);
    case 'too large':
      return refuseSilently(c, 413, headers);
  }
}

/** 42 bytes: one transparent pixel. */
const IMAGE = Buffer.from('R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7', 'base64');

/** Always answers with the image, whether the events are accepted or not. */
function receiveImage({ receiverOf }: EventRouteParts): EnvironmentHandler {
  return (c, { environment, headers }) => {
    const receiver = receiverOf(environment);
    const encoded = c.req.query('d');
    if (receiver.mode === 'forward' && encoded) receiver.receiveImage(encoded, (name) => c.req.header(name));
    return c.body(IMAGE, 200, { 'content-type': 'image/gif', ...headers });
  };
}
