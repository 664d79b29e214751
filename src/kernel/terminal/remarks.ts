import type { Writable } from 'node:stream';

/** In bytes: the most that waits for a reader that does not read. */
const MAX_UNREAD = 4 * 2 ** 20;

/**
 * Writes lines that may be lost: a full disk, a reader that is gone or one that does not read costs lines, but never the
 * process. The number of lost lines is written in their place.
 */
export function writeRemarks(stream: Writable, mostUnread = MAX_UNREAD): (text: string) => void {
  let missing = 0;
  stream.on('error', () => {});
  stream.on('drain', () => {
    if (missing > 0) stream.write(`opsdeck: ${missing} lines are missing here: nobody read them in time\n`);
    missing = 0;
  });
  return (text) => {
    if (stream.writableLength < mostUnread) stream.write(text);
    else missing++;
  };
}
