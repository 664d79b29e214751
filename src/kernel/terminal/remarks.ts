import type { Writable } from 'node:stream';

/** In bytes: so much may wait for a reader that does not read. */
const MAX_UNREAD = 4 * 2 ** 20;

/**
 * Writes what nothing may depend on: a full disk, a reader that has gone away or one that reads nothing costs lines, and
 * never the process. Lines that are left out are counted where they are missing.
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
