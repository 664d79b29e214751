import assert from 'node:assert/strict';
import { openSse, type SseStream } from '../../testing/http/sse-client.ts';
import type { Cleanup } from '../../testing/processes.ts';

/** Opens the stream of all rooms, from a cursor if there is one; closed after the test. */
export async function openEventStream(t: Cleanup, url: string, cursor?: string): Promise<SseStream> {
  const headers = cursor === undefined ? {} : { 'last-event-id': cursor };
  const stream = await openSse(`${url}/api/event`, { headers });
  t.after(() => stream.close());
  return stream;
}

/** The next event of a type. */
export async function nextEvent(stream: SseStream, type: string) {
  for await (const { event, data, id } of stream) if (event === type) return { id, data: JSON.parse(data) };
  assert.fail(`the stream ended without ${type}`);
}
