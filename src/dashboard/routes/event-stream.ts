import type { HttpContext } from '../../kernel/http/app.ts';
import type { EventListHead } from '../contract/event-list.ts';
import type { CachedEvents } from '../event-cache.ts';

/** From this number of events on, clients that accept NDJSON get it. */
const MANY_EVENTS = 50_000;
const CHUNK_CHARS = 256 * 1024;

/**
 * Answers events as one JSON object. Clients that accept `application/x-ndjson` get lines if there are many events, or if
 * they accept no JSON: the object without its events first, then an event per line.
 */
export function answerEvents(c: HttpContext, user: string, fetched: CachedEvents): Response {
  const { events, totalUsageEventsCount, cached, fetchedAt, truncated, failure } = fetched;
  const head: EventListHead = {
    user,
    totalUsageEventsCount,
    cached,
    fetchedAt: new Date(fetchedAt).toISOString(),
    truncated,
    ...(failure ? { partial: true, failure: { error: failure.error, code: failure.code, hint: failure.hint } } : {}),
  };
  const about = JSON.stringify(head);
  const headers = { 'cache-control': 'no-store', vary: 'Accept' };
  if (wantsLines(c.req.header('accept'), events.length)) {
    const parts = { opening: `${about}\n`, separator: '\n', closing: events.length === 0 ? '' : '\n' };
    return c.body(streamTexts(events, parts), 200, { ...headers, 'content-type': 'application/x-ndjson' });
  }
  const parts = { opening: `${about.slice(0, -1)},"events":[`, separator: ',', closing: ']}\n' };
  return c.body(streamTexts(events, parts), 200, { ...headers, 'content-type': 'application/json' });
}

function wantsLines(accept: string | undefined, count: number): boolean {
  const types = (accept ?? '').split(',').map((range) => range.split(';')[0]?.trim().toLowerCase());
  if (!types.includes('application/x-ndjson')) return false;
  const takesJson = types.some((type) => type === 'application/json' || type === 'application/*' || type === '*/*');
  return !takesJson || count > MANY_EVENTS;
}

interface Frame {
  readonly opening: string;
  readonly separator: string;
  readonly closing: string;
}

/** Encodes only as fast as the client reads. */
function streamTexts(texts: readonly string[], { opening, separator, closing }: Frame): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  let next = 0;
  return new ReadableStream<Uint8Array>(
    {
      pull(controller) {
        let chunk = next === 0 ? opening : '';
        for (; next < texts.length && chunk.length < CHUNK_CHARS; next++)
          chunk += (next === 0 ? '' : separator) + texts[next];
        const isEnd = next >= texts.length;
        controller.enqueue(encoder.encode(isEnd ? chunk + closing : chunk));
        if (isEnd) controller.close();
      },
    },
    { highWaterMark: 0 },
  );
}
