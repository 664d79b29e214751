import { Readable } from 'node:stream';
import type { HttpContext } from '../../../kernel/http/app.ts';

/**
 * A body that reads the next piece once the last one is sent, and none before the client reads. `mayGoOn` is checked
 * again after every `everyBytes`; the body is cut off once it denies.
 */
export function watchedStream(
  c: HttpContext,
  pieces: AsyncIterable<Uint8Array | string>,
  mayGoOn: () => Promise<boolean>,
  everyBytes = 0,
): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  const iterator = pieces[Symbol.asyncIterator]();
  // An iterator that never started leaves its file open.
  const release = async () => {
    await iterator.return?.();
    if (pieces instanceof Readable) pieces.destroy();
  };
  let sinceLook = everyBytes;
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller): Promise<void> {
        // An empty chunk, such as the padding of a full block, would cause another pull at once.
        for (;;) {
          if (sinceLook >= everyBytes) {
            sinceLook = 0;
            if (!(await mayGoOn())) {
              await release();
              // An error would be logged, and its message sent to the client.
              const outgoing = c.env?.outgoing;
              if (outgoing) outgoing.destroy();
              else controller.error(new Error('its reader may not read it any more'));
              return;
            }
          }
          const { done, value } = await iterator.next();
          if (done) return controller.close();
          if (value.length === 0) continue;
          const bytes = typeof value === 'string' ? encoder.encode(value) : value;
          sinceLook += bytes.length;
          return controller.enqueue(bytes);
        }
      },
      async cancel() {
        await release();
      },
    },
    { highWaterMark: 0 },
  );
}
