import type { IncomingMessage } from 'node:http';
import type { HttpContext } from './app.ts';

/**
 * Passes on the body of a request as it comes in, for bodies that are too large for memory. `take` may stop reading before
 * the end and still answer. The Request's own body is not used: if its reader stops early, Node 20 throws an error that
 * cannot be caught.
 */
export async function takeBody<T>(c: HttpContext, take: (chunks: AsyncIterable<Uint8Array>) => Promise<T>): Promise<T> {
  const incoming = c.env?.incoming as IncomingMessage | undefined;
  if (!incoming) return take((c.req.raw.body ?? []) as unknown as AsyncIterable<Uint8Array>);
  try {
    return await take({ [Symbol.asyncIterator]: () => incoming.iterator({ destroyOnReturn: false }) });
  } finally {
    // The rest is read and dropped: a client that is cut off while it writes does not see the answer.
    incoming.resume();
  }
}
