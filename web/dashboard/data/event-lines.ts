import type { EventListHead } from '../../../src/dashboard/contract/event-list.ts';

/** The first line, of which nothing is checked. */
export type About = Partial<EventListHead>;

/** An invalid answer: the first line is not an object, or a later line is not JSON. */
export class BadLines extends Error {}

/**
 * Reads `application/x-ndjson`: an object about the answer in the first line, then an event a line. `onEvents` gets the
 * events of every chunk, `onRead` then their number so far, and may pause the reading. The stream is cancelled on failure.
 */
export async function readEventLines(
  stream: ReadableStream<Uint8Array>,
  onEvents: (events: readonly unknown[]) => void,
  onRead: (events: number, about: About) => Promise<void> | void,
): Promise<{ readonly about: About; readonly count: number }> {
  const decoder = new TextDecoder();
  let count = 0;
  let about: About | undefined;
  let rest = '';
  const take = (text: string) => {
    const lines = parseLines(text);
    if (!about) about = aboutOf(lines.shift());
    count += lines.length;
    onEvents(lines);
    return about;
  };
  const reader = stream.getReader();
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) break;
      const text = rest + decoder.decode(value, { stream: true });
      const end = text.lastIndexOf('\n');
      rest = text.slice(end + 1);
      if (end < 0) continue;
      const known = take(text.slice(0, end));
      await onRead(count, known);
    }
    rest += decoder.decode();
    if (rest !== '') take(rest);
  } finally {
    await reader.cancel().catch(() => {});
  }
  if (!about) throw new BadLines('the answer is empty');
  return { about, count };
}

/** Parses all lines at once, which is much faster than one by one: JSON of one line contains no line feed. */
function parseLines(text: string): unknown[] {
  try {
    return JSON.parse(`[${text.replaceAll('\n', ',')}]`) as unknown[];
  } catch {
    throw new BadLines('a line of the answer is no JSON');
  }
}

function aboutOf(line: unknown): About {
  if (typeof line !== 'object' || line === null || Array.isArray(line)) {
    throw new BadLines('the answer does not begin with an object');
  }
  return line as About;
}
