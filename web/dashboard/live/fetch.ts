import type { Failure } from '../../../src/dashboard/contract/failure.ts';
import type { Clock } from '../../shared/clock.ts';
import type { About } from '../data/event-lines.ts';
import { BadLines, readEventLines } from '../data/event-lines.ts';
import type { LiveFailure } from '../text/messages.ts';
import type { LiveRange } from './plan.ts';

/** Interval of progress reports and of looking for a cancellation. */
const PROGRESS_MS = 50;

export interface EventsAnswer {
  readonly truncated: boolean;
  /** Of an assistant. */
  readonly version: number | undefined;
  /** The events replace all from this instant on. Undefined: nothing has changed, or the request was not for changes. */
  readonly from: number | undefined;
}

export interface FetchOptions {
  /** Bypasses the server's cache. */
  readonly refresh: boolean;
  readonly signal: AbortSignal;
  readonly clock: Clock;
  /** Gets the raw events, in parts, as they arrive. */
  onEvents(events: readonly unknown[]): void;
  /** Events read and in total; 0 if the total is unknown. */
  onRead(done: number, total: number): void;
}

/** The server answered a failure instead of events. */
export class LiveError extends Error {
  readonly failure: LiveFailure;

  constructor(failure: LiveFailure) {
    super(failure.message);
    this.failure = failure;
  }
}

/** Reads a user's raw events of a range as they arrive; throws a LiveError or the signal's reason. */
export async function fetchEvents(user: string, range: LiveRange, options: FetchOptions): Promise<EventsAnswer> {
  const { signal } = options;
  try {
    // The worker's address is in assets/.
    const address = new URL(`../api/events?${queryOf(user, range, options.refresh)}`, location.href);
    const response = await fetch(address, {
      signal,
      headers: { accept: 'application/x-ndjson' },
    });
    if (!response.ok || !response.body) throw new LiveError(await failureOf(response));
    const onEvents = (events: readonly unknown[]) => options.onEvents(events);
    const { about, count } = await readEventLines(response.body, onEvents, reportProgress(options));
    options.onRead(count, count);
    return { truncated: about.truncated === true, version: about.version, from: about.from };
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof LiveError) throw error;
    const message = error instanceof Error ? error.message : String(error);
    const code = error instanceof BadLines ? 'server_bad_answer' : 'server_unreachable';
    throw new LiveError({ code, message, hint: undefined });
  }
}

function queryOf(user: string, { from, to, changedAfter }: LiveRange, refresh: boolean): URLSearchParams {
  const query = new URLSearchParams({ user });
  if (from !== undefined) query.set('startDate', String(from));
  if (to !== undefined) query.set('endDate', String(to));
  if (changedAfter !== undefined) query.set('changedAfter', String(changedAfter));
  if (refresh) query.set('refresh', '1');
  return query;
}

function reportProgress({ signal, clock, onRead }: FetchOptions) {
  let reportedAt = 0;
  return async (done: number, { totalUsageEventsCount: total }: About): Promise<void> => {
    signal.throwIfAborted();
    if (clock.now() - reportedAt < PROGRESS_MS) return;
    onRead(done, total ?? 0);
    // Yields, so that a cancellation can arrive.
    await new Promise<void>((resolve) => clock.after(0, resolve));
    reportedAt = clock.now();
  };
}

/** The reason that a failed answer gives. */
export async function failureOf(response: Response): Promise<LiveFailure> {
  const failure = ((await response.json().catch(() => undefined)) ?? {}) as Partial<Failure>;
  return {
    code: failure.code ?? `http_${response.status}`,
    message: failure.error ?? response.statusText,
    hint: failure.hint,
  };
}
