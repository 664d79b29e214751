import { Readable } from 'node:stream';
import type { HttpContext } from '../../../kernel/http/app.ts';

/**
 * A body whose next piece is asked for when the last one is on its way, and none before somebody reads. It breaks off
 * without an end once its reader may not read it any more, which is asked after every `everyBytes`.
 */
export function watchedStream(
  c: HttpContext,
  pieces: AsyncIterable<Uint8Array | string>,
  mayGoOn: () => Promise<boolean>,
  everyBytes = 0,
): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  const iterator = pieces[Symbol.asyncIterator]();
  // An iterator that was never asked for anything leaves the file behind it open.
  const release = async () => {
    await iterator.return?.();
    if (pieces instanceof Readable) pieces.destroy();
  };
  let sinceLook = everyBytes;
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller): Promise<void> {
        // An empty piece, such as the padding of a full block, would be asked for again and again.
        for (;;) {
          if (sinceLook >= everyBytes) {
            sinceLook = 0;
            if (!(await mayGoOn())) {
              await release();
              // An error would be told in the log, and its message to the reader.
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
