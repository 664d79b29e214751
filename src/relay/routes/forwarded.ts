import type { IncomingMessage } from 'node:http';
import { type HttpHandler, readBody } from '../../kernel/http/app.ts';
import type { ForwardedAnswer, ForwardedRequest } from '../workers/forwarded-request.ts';
import { refusePlainly, refuseSilently } from './answers.ts';

/** Has a request answered elsewhere, with its headers and body. */
export function forwardTo(
  answer: (request: ForwardedRequest) => Promise<ForwardedAnswer>,
  maxBodyBytes: number,
): HttpHandler {
  return async (c) => {
    const { method = '', url = '', headers, socket } = c.env.incoming as IncomingMessage;
    const isBodiless = method === 'GET' || method === 'HEAD' || method === 'OPTIONS';
    const body = isBodiless ? undefined : await readBody(c, maxBodyBytes);
    if (body && !body.ok) return refuseSilently(c, body.reason === 'too large' ? 413 : 400);
    const answered = await answer({
      method,
      url,
      headers,
      remoteAddress: socket.remoteAddress,
      isEncrypted: 'encrypted' in socket,
      body: body && new Uint8Array(body.bytes),
    }).catch(() => undefined);
    // The relay is stopping.
    if (!answered) return refusePlainly(c, 503, 'the relay is stopping');
    return new Response(isEmpty(method, answered) ? null : answered.body, {
      status: answered.status,
      headers: new Headers(answered.headers as [string, string][]),
    });
  };
}

const isEmpty = (method: string, { status }: ForwardedAnswer) => method === 'HEAD' || status === 204 || status === 304;
