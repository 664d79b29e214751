import type { Readable } from 'node:stream';

/**
 * What is read of it is taken from the body when somebody asks for it, and not ahead. Node's own Readable.toWeb throws,
 * where nobody can catch it, when a stream is cancelled while its body goes on or breaks off.
 */
export function webStreamOf(body: Readable): ReadableStream<Uint8Array> {
  const chunks = body[Symbol.asyncIterator]() as AsyncIterator<Uint8Array>;
  body.on('error', () => {});
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const { done, value } = await chunks.next();
        if (done) controller.close();
        else controller.enqueue(value);
      },
      cancel() {
        body.destroy();
      },
    },
    { highWaterMark: 0 },
  );
}
