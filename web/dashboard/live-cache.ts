import type { UsageData } from '../../src/dashboard/domain/usage-data.ts';
import type { Clock } from '../shared/clock.ts';
import type { LiveCoverage, LiveRange } from './live-plan.ts';
import { planFetches, widerHours } from './live-plan.ts';
import type { LiveFailure, LiveRequest, LiveUserResult, Progress } from './messages.ts';

const HOUR_MS = 3_600_000;
const PARALLEL = 4;

interface EventsAnswer {
  readonly events: readonly unknown[];
  readonly truncated: boolean;
}

/** An answer of the server that is no list of events. */
class LiveError extends Error {
  readonly failure: LiveFailure;

  constructor(failure: LiveFailure) {
    super(failure.message);
    this.failure = failure;
  }
}

/** What has been fetched of the live events, kept for five minutes and brought up to date piece by piece. */
export class LiveCache {
  readonly #data: UsageData;
  readonly #clock: Clock;
  readonly #covered = new Map<string, LiveCoverage>();
  readonly #counts = new Map<string, number>();
  readonly #truncated = new Set<string>();

  constructor(data: UsageData, clock: Clock) {
    this.#data = data;
    this.#clock = clock;
  }

  clear(): void {
    this.#data.clearLive();
    this.#covered.clear();
    this.#counts.clear();
    this.#truncated.clear();
  }

  /** One request per user, four at a time; a user whose request fails keeps the data of before. */
  async update(
    request: LiveRequest,
    signal: AbortSignal,
    onProgress: (progress: Progress) => void,
  ): Promise<readonly LiveUserResult[]> {
    const waiting = [...request.users];
    const results = new Map<string, LiveUserResult>();
    const work = async () => {
      for (let user = waiting.shift(); user !== undefined; user = waiting.shift()) {
        results.set(user, await this.#updateUser(user, request, signal));
        onProgress({ done: results.size, total: request.users.length, count: this.#counts.get(user) ?? 0 });
      }
    };
    await Promise.all(Array.from({ length: PARALLEL }, work));
    signal.throwIfAborted();
    return request.users.flatMap((user) => results.get(user) ?? []);
  }

  async #updateUser(user: string, request: LiveRequest, signal: AbortSignal): Promise<LiveUserResult> {
    let failure: LiveFailure | undefined;
    try {
      await this.#fetchMissing(user, request.from, request, signal);
      await this.#widen(user, request, signal);
    } catch (error) {
      signal.throwIfAborted();
      failure = failureOf(error);
    }
    const covered = this.#covered.get(user);
    return {
      user,
      events: this.#counts.get(user) ?? 0,
      fetchedAt: covered?.fetchedAt,
      from: covered?.from,
      truncated: this.#truncated.has(user),
      failure,
    };
  }

  /** In count mode a window is a guess: it doubles while it holds too few. */
  async #widen(user: string, request: LiveRequest, signal: AbortSignal): Promise<void> {
    const { from, now, atLeast } = request;
    if (from === undefined || atLeast === undefined) return;
    let hours: number | undefined = (now - from) / HOUR_MS;
    for (let tries = 0; (this.#counts.get(user) ?? 0) < atLeast; tries += 1) {
      hours = widerHours(hours, tries);
      if (hours === undefined) return;
      await this.#fetchMissing(user, now - hours * HOUR_MS, request, signal);
    }
  }

  async #fetchMissing(
    user: string,
    from: number | undefined,
    request: LiveRequest,
    signal: AbortSignal,
  ): Promise<void> {
    const { now, refresh } = request;
    const known = this.#covered.get(user);
    const wasRefreshed = known !== undefined && known.fetchedAt >= now;
    for (const range of planFetches(known, from, now, refresh && !wasRefreshed)) {
      const { events, truncated } = await fetchEvents(user, range, refresh, signal);
      const before = this.#covered.get(user);
      const counts = before ? this.#data.addLive(user, events, now) : this.#data.setLive(user, events, now);
      this.#counts.set(user, counts.events);
      if (truncated) this.#truncated.add(user);
      const reachesNow = range.to === undefined;
      this.#covered.set(user, {
        from: before && reachesNow ? before.from : range.from,
        to: reachesNow ? now : (before?.to ?? now),
        fetchedAt: reachesNow ? this.#clock.now() : (before?.fetchedAt ?? this.#clock.now()),
        newestAt: reachesNow ? (newestOf(events) ?? before?.newestAt) : before?.newestAt,
      });
    }
  }
}

async function fetchEvents(
  user: string,
  range: LiveRange,
  refresh: boolean,
  signal: AbortSignal,
): Promise<EventsAnswer> {
  const query = new URLSearchParams({ user });
  if (range.from !== undefined) query.set('startDate', String(range.from));
  if (range.to !== undefined) query.set('endDate', String(range.to));
  if (refresh) query.set('refresh', '1');
  let response: Response;
  try {
    response = await fetch(`/api/events?${query}`, { signal, headers: { accept: 'application/json' } });
  } catch (error) {
    signal.throwIfAborted();
    const message = error instanceof Error ? error.message : String(error);
    throw new LiveError({ code: 'server_unreachable', message, hint: undefined });
  }
  const body: unknown = await response.json().catch(() => undefined);
  const fields = (typeof body === 'object' && body !== null ? body : {}) as Readonly<Record<string, unknown>>;
  if (response.ok && Array.isArray(fields.events)) {
    return { events: fields.events as readonly unknown[], truncated: fields.truncated === true };
  }
  throw new LiveError({
    code: typeof fields.code === 'string' ? fields.code : `http_${response.status}`,
    message: typeof fields.error === 'string' ? fields.error : response.statusText,
    hint: typeof fields.hint === 'string' ? fields.hint : undefined,
  });
}

function failureOf(error: unknown): LiveFailure {
  if (error instanceof LiveError) return error.failure;
  return { code: 'page_error', message: error instanceof Error ? error.message : String(error), hint: undefined };
}

/** The newest instant of raw events, which are milliseconds as text or number. */
function newestOf(events: readonly unknown[]): number | undefined {
  let newest: number | undefined;
  for (const event of events) {
    const at = Number((event as { readonly timestamp?: unknown } | null)?.timestamp);
    if (Number.isFinite(at) && (newest === undefined || at > newest)) newest = at;
  }
  return newest;
}
