import { type HttpContext, readBody } from '../../kernel/http/app.ts';
import type { EventPost, EventReceipt, EventReceiver, SdkKind } from '../event/receiver.ts';

/** Answers a request whose credential has been found good. Headers set on `c` before (CORS) go out with the answer. */
export type EventHandler = (c: HttpContext, receiver: EventReceiver) => Response | Promise<Response>;

export interface EventRoute {
  readonly method: 'GET' | 'POST';
  /** In Hono's form. The parameter `envId` of the client kind of SDK is the environment's id; of the image, with `.gif` after it. */
  readonly path: string;
  /** Whose credential is asked for; the client kind of SDK gets CORS headers, and OPTIONS. */
  readonly sdkKind: SdkKind;
  readonly handle: EventHandler;
}

export interface EventRoutesParts {
  /** Of a request's body as it comes. */
  readonly maxBodyBytes: number;
}

/** Every path on which events come in. */
export function eventRoutes(parts: EventRoutesParts): readonly EventRoute[] {
  const post = (path: string, sdkKind: SdkKind, kind: EventPost['kind'] = 'analytics'): EventRoute => ({
    method: 'POST',
    path,
    sdkKind,
    handle: receivePost(parts, sdkKind, kind),
  });
  return [
    post('/bulk', 'server'),
    post('/diagnostic', 'server', 'diagnostic'),
    post('/mobile', 'mobile'),
    post('/mobile/events', 'mobile'),
    post('/mobile/events/bulk', 'mobile'),
    post('/mobile/events/diagnostic', 'mobile', 'diagnostic'),
    post('/events/bulk/:envId', 'client'),
    post('/events/diagnostic/:envId', 'client', 'diagnostic'),
    { method: 'GET', path: '/a/:envId{[^/]+\\.gif}', sdkKind: 'client', handle: receiveImage },
  ];
}

const PLAIN = { 'Content-Type': 'text/plain; charset=utf-8' };
const JSON_TYPE = { 'Content-Type': 'application/json' };

function receivePost({ maxBodyBytes }: EventRoutesParts, sdkKind: SdkKind, kind: EventPost['kind']): EventHandler {
  return async (c, receiver) => {
    if (receiver.mode === 'off') return refuse(c, 503, 'Event proxy is not enabled for this environment');
    if (receiver.mode === 'discard') return c.body(null, 202);
    const body = await readBody(c, maxBodyBytes);
    if (!body.ok) return body.reason === 'too large' ? c.body(null, 413) : answer(c, 'unreadable');
    return answer(
      c,
      await receiver.receive({ sdkKind, kind, bytes: body.bytes, header: (name) => c.req.header(name) }),
    );
  };
}

function answer(c: HttpContext, receipt: EventReceipt): Response {
  switch (receipt) {
    case 'accepted':
      return c.body(null, 202);
    case 'not gzip':
      return c.body('gzip: invalid header', 400, PLAIN);
    case 'empty':
      return refuse(c, 400, 'body may not be empty');
    case 'unreadable':
      return refuse(c, 400, 'unable to read request body');
    case 'too large':
      return c.body(null, 413);
  }
}

function refuse(c: HttpContext, status: 400 | 503, message: string): Response {
  return c.body(JSON.stringify({ message }), status, JSON_TYPE);
}

/** 42 bytes: one transparent pixel. */
const IMAGE = Buffer.from('R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7', 'base64');

/** Whatever becomes of the events, the browser gets its image. */
const receiveImage: EventHandler = (c, receiver) => {
  const encoded = c.req.query('d');
  if (receiver.mode === 'forward' && encoded) receiver.receiveImage(encoded, (name) => c.req.header(name));
  return c.body(IMAGE, 200, { 'Content-Type': 'image/gif' });
};
