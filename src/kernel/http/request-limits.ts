import type { MiddlewareHandler } from 'hono';
import type { Clock } from '../clock.ts';
import { formatDuration } from '../duration.ts';
import type { HttpEnv } from './app.ts';

/** Answers 503 to GETs beyond `most` at once, and calls `refused`; a GET lasts until its answer is written. */
export function limitConcurrentGets(most: number, refused: () => void): MiddlewareHandler<HttpEnv> {
  let running = 0;
  return async (c, next) => {
    if (c.req.method !== 'GET') return next();
    if (running >= most) {
      refused();
      return c.text(`Limit of concurrent GET requests reached (${most}), try again later.\n\n`, 503);
    }
    running++;
    const outgoing = c.env?.outgoing;
    outgoing?.once('close', () => running--);
    await next();
    if (!outgoing) running--;
  };
}

/** Answers 503 to a request that has no answer after `timeoutMs`; its handler goes on. */
export function limitDuration(timeoutMs: number, clock: Clock): MiddlewareHandler<HttpEnv> {
  return async (c, next) => {
    let cancel = () => {};
    const late = new Promise<'late'>((resolve) => {
      cancel = clock.after(timeoutMs, () => resolve('late'));
    });
    const first = await Promise.race([next(), late]);
    cancel();
    if (first === 'late') return c.text(`Exceeded configured timeout of ${formatDuration(timeoutMs)}.\n`, 503);
  };
}
