import type { IncomingMessage } from 'node:http';
import type { HttpContext } from './app.ts';

/**
 * Hands the body of a request on as it comes in, for what is too large to be held. `take` may stop reading before the end
 * and still answer. Not from the Request's own body: that of Node 20 throws, where nobody can catch it, when its reader
 * stops while more comes in.
 */
export async function takeBody<T>(c: HttpContext, take: (chunks: AsyncIterable<Uint8Array>) => Promise<T>): Promise<T> {
  const incoming = c.env?.incoming as IncomingMessage | undefined;
  if (!incoming) return take((c.req.raw.body ?? []) as unknown as AsyncIterable<Uint8Array>);
  try {
    return await take({ [Symbol.asyncIterator]: () => incoming.iterator({ destroyOnReturn: false }) });
  } finally {
    // The rest is read and forgotten: a client that were cut off while it writes would not see the answer.
    incoming.resume();
  }
}
