import type { Clock } from '../../kernel/clock.ts';
import { DeadlineError, withDeadline } from '../../kernel/deadline.ts';
import { describeFailure } from '../../kernel/http-client/failure.ts';
import type { HttpClient } from '../../kernel/http-client/http-client.ts';
import { OversizedEventError, SseReader } from '../../kernel/sse/reader.ts';
import { openUpstreamStream, streamUrl, USER_AGENT } from '../upstream/stream.ts';
import { readPatches } from './patch.ts';
import type { BigSegmentPatch } from './store.ts';

export interface BigSegmentUpstreamParts {
  readonly baseUri: string;
  readonly streamUri: string;
  /** Read at each request, as keys rotate. */
  readonly sdkKey: () => string;
  readonly http: Pick<HttpClient, 'send' | 'open'>;
  readonly clock: Clock;
}

/** For a poll with its body, and for the head of a stream. */
const ANSWER_MS = 30_000;
/** Between two pieces of a stream: LaunchDarkly sends a heartbeat every three minutes. */
const IDLE_MS = 5 * 60_000;
/** Of one response or event, which is held in memory. */
const MAX_BYTES = 64 * 2 ** 20;

/** LaunchDarkly did not send patches of big segments. */
export class BigSegmentUpstreamError extends Error {
  override readonly name = 'BigSegmentUpstreamError';
}

/** LaunchDarkly's endpoints for big segments. Methods throw if it cannot be reached or sends anything else. */
export class BigSegmentUpstream {
  readonly #parts: BigSegmentUpstreamParts;

  constructor(parts: BigSegmentUpstreamParts) {
    this.#parts = parts;
  }

  /** The next patches after a cursor; none if there are no more. */
  async poll(after: string, signal: AbortSignal): Promise<readonly BigSegmentPatch[]> {
    const { baseUri, sdkKey, http, clock } = this.#parts;
    const query = after === '' ? '' : `?after=${encodeURIComponent(after)}`;
    const answer = await withDeadline({ clock, ms: ANSWER_MS, signal }, (deadline) =>
      http.send({
        url: `${baseUri}/sdk/big-segments/revisions${query}`,
        headers: { authorization: sdkKey(), 'user-agent': USER_AGENT, accept: 'application/json' },
        signal: deadline,
        maxBytes: MAX_BYTES,
      }),
    ).catch(rethrow);
    if (answer.status !== 200) throw new BigSegmentUpstreamError(`the response has the status ${answer.status}`);
    if (!answer.isWhole) throw new BigSegmentUpstreamError(`the response exceeds ${MAX_BYTES} bytes`);
    return accept(readPatches(answer.text));
  }

  /** Opens the stream of patches, which ends or throws when the connection is lost. */
  async open(signal: AbortSignal): Promise<AsyncIterable<readonly BigSegmentPatch[]>> {
    const { streamUri, sdkKey, http, clock } = this.#parts;
    const idle = new IdleTimer(clock, signal);
    idle.expect(ANSWER_MS);
    try {
      const opened = await openUpstreamStream(
        http,
        { url: streamUrl(streamUri, '/big-segments', {}), key: sdkKey() },
        idle.signal,
      );
      return readStream(accept(opened), idle);
    } catch (error) {
      idle.close();
      return rethrow(error);
    }
  }
}

async function* readStream(
  body: AsyncIterable<Uint8Array>,
  idle: IdleTimer,
): AsyncGenerator<readonly BigSegmentPatch[]> {
  const reader = new SseReader({ maxEventBytes: MAX_BYTES });
  idle.expect(IDLE_MS);
  try {
    for await (const chunk of body) {
      for (const item of reader.push(chunk)) if (item.kind === 'event') yield accept(readPatches(item.data));
      idle.expect(IDLE_MS);
    }
  } catch (error) {
    rethrow(error);
  } finally {
    idle.close();
  }
}

/** A signal that is aborted with another one, or when nothing was received for too long. */
class IdleTimer {
  readonly #clock: Clock;
  readonly #controller = new AbortController();
  readonly #outer: AbortSignal;
  readonly #close = () => this.close();
  #cancel: () => void = () => {};

  constructor(clock: Clock, outer: AbortSignal) {
    this.#clock = clock;
    this.#outer = outer;
    outer.addEventListener('abort', this.#close);
    if (outer.aborted) this.close();
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  expect(ms: number): void {
    this.#cancel();
    if (this.signal.aborted) return;
    const late = () => this.#controller.abort(new BigSegmentUpstreamError(`no data for ${ms / 1000} s`));
    this.#cancel = this.#clock.after(ms, late);
  }

  /** Ends the request too. */
  close(): void {
    this.#cancel();
    this.#outer.removeEventListener('abort', this.#close);
    this.#controller.abort(this.#outer.reason);
  }
}

function accept<T>(
  outcome: { readonly ok: true; readonly value: T } | { readonly ok: false; readonly reason: string },
): T {
  if (outcome.ok) return outcome.value;
  throw new BigSegmentUpstreamError(outcome.reason);
}

/** Errors of the client may quote the request. */
function rethrow(error: unknown): never {
  if (error instanceof BigSegmentUpstreamError) throw error;
  if (error instanceof DeadlineError || error instanceof OversizedEventError)
    throw new BigSegmentUpstreamError(error.message);
  throw new BigSegmentUpstreamError(describeFailure(error));
}
