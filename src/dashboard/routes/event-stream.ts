import type { HttpContext } from '../../kernel/http/app.ts';
import type { EventListHead } from '../contract/event-list.ts';
import type { CachedEvents } from '../event-cache.ts';

/** From this number of events on, clients that accept NDJSON get it. */
const MANY_EVENTS = 50_000;
const CHUNK_CHARS = 256 * 1024;

/** The head of fetched events of upstream. */
export function headOf(user: string, fetched: CachedEvents): EventListHead {
  const { totalUsageEventsCount, cached, fetchedAt, truncated, failure } = fetched;
  return {
    user,
    totalUsageEventsCount,
    cached,
    fetchedAt: new Date(fetchedAt).toISOString(),
    truncated,
    ...(failure ? { partial: true, failure: { error: failure.error, code: failure.code, hint: failure.hint } } : {}),
  };
}

/**
 * Answers events, as JSON texts, as one JSON object. Clients that accept `application/x-ndjson` get lines if there are many
 * events, or if they accept no JSON: the object without its events first, then an event per line.
 */
export function answerEvents(
  c: HttpContext,
  head: EventListHead,
  events: readonly string[] | AsyncIterable<readonly string[]>,
): Response {
  const about = JSON.stringify(head);
  const parts = Symbol.asyncIterator in events ? events : chunksOf(events);
  const headers = { 'cache-control': 'no-store', vary: 'Accept' };
  const count = Array.isArray(events) ? events.length : head.totalUsageEventsCount;
  if (wantsLines(c.req.header('accept'), count)) {
    const frame = { opening: `${about}\n`, before: '', after: '\n', closing: '' };
    return c.body(streamTexts(parts, frame), 200, { ...headers, 'content-type': 'application/x-ndjson' });
  }
  const frame = { opening: `${about.slice(0, -1)},"events":[`, before: ',', after: '', closing: ']}\n' };
  return c.body(streamTexts(parts, frame), 200, { ...headers, 'content-type': 'application/json' });
}

function wantsLines(accept: string | undefined, count: number): boolean {
  const types = (accept ?? '').split(',').map((range) => range.split(';')[0]?.trim().toLowerCase());
  if (!types.includes('application/x-ndjson')) return false;
  const takesJson = types.some((type) => type === 'application/json' || type === 'application/*' || type === '*/*');
  return !takesJson || count > MANY_EVENTS;
}

function* chunksOf(texts: readonly string[]): Generator<readonly string[]> {
  for (let from = 0, end = 0; end < texts.length; from = end) {
    for (let chars = 0; end < texts.length && chars < CHUNK_CHARS; end++) chars += (texts[end] as string).length;
    yield texts.slice(from, end);
  }
}

interface Frame {
  readonly opening: string;
  /** Before each text but the first. */
  readonly before: string;
  /** After each text. */
  readonly after: string;
  readonly closing: string;
}

/** Encodes only as fast as the client reads. */
function streamTexts(
  parts: Iterable<readonly string[]> | AsyncIterable<readonly string[]>,
  { opening, before, after, closing }: Frame,
): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  const reading = Symbol.asyncIterator in parts ? parts[Symbol.asyncIterator]() : parts[Symbol.iterator]();
  let lead: string | undefined;
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const { value: texts, done } = await reading.next();
        const start = lead === undefined ? opening : '';
        if (done) {
          controller.enqueue(encoder.encode(start + closing));
          return controller.close();
        }
        let chunk = start;
        for (const text of texts) {
          chunk += (lead ?? '') + text + after;
          lead = before;
        }
        lead ??= '';
        controller.enqueue(encoder.encode(chunk));
      },
      async cancel() {
        await reading.return?.(undefined);
      },
    },
    { highWaterMark: 0 },
  );
}
