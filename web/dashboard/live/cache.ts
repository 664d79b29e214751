import type { UsageData } from '../../../src/dashboard/domain/usage-data.ts';
import type { Clock } from '../../shared/clock.ts';
import type { LiveFailure, LiveRequest, LiveUserResult, Progress } from '../text/messages.ts';
import { fetchEvents, LiveError } from './fetch.ts';
import type { LiveCoverage } from './plan.ts';
import { planFetches, widerHours } from './plan.ts';

const HOUR_MS = 3_600_000;
const PARALLEL = 4;

/** The progress of a user's fetches, in events. */
interface UserProgress {
  done: number;
  total: number;
  /** No total is known while a request has not been answered. */
  isOpen: boolean;
}

/** A request with its signal and progress. */
interface Job extends LiveRequest {
  readonly signal: AbortSignal;
  readonly state: UserProgress;
  report(): void;
}

/** The fetched live events, fresh for five minutes and then updated incrementally. */
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

  /** One request per user, four at a time; after a failure the user's old data are kept. */
  async update(
    request: LiveRequest,
    signal: AbortSignal,
    onProgress: (progress: Progress) => void,
  ): Promise<readonly LiveUserResult[]> {
    const waiting = [...request.users];
    const results = new Map<string, LiveUserResult>();
    const states = new Map<string, UserProgress>(waiting.map((user) => [user, { done: 0, total: 0, isOpen: true }]));
    const work = async () => {
      for (let user = waiting.shift(); user !== undefined; user = waiting.shift()) {
        const state = states.get(user) ?? { done: 0, total: 0, isOpen: true };
        const report = () => onProgress(sumOf([...states.values()]));
        results.set(user, await this.#updateUser(user, { ...request, signal, state, report }));
        state.isOpen = false;
        report();
      }
    };
    await Promise.all(Array.from({ length: PARALLEL }, work));
    signal.throwIfAborted();
    return request.users.flatMap((user) => results.get(user) ?? []);
  }

  async #updateUser(user: string, job: Job): Promise<LiveUserResult> {
    let failure: LiveFailure | undefined;
    try {
      await this.#fetchMissing(user, job.from, job);
      await this.#widen(user, job);
    } catch (error) {
      job.signal.throwIfAborted();
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

  /** In count mode the window is a guess, doubled while it holds too few. */
  async #widen(user: string, job: Job): Promise<void> {
    const { from, now, atLeast } = job;
    if (from === undefined || atLeast === undefined) return;
    let hours: number | undefined = (now - from) / HOUR_MS;
    for (let tries = 0; (this.#counts.get(user) ?? 0) < atLeast; tries += 1) {
      hours = widerHours(hours, tries);
      if (hours === undefined) return;
      await this.#fetchMissing(user, now - hours * HOUR_MS, job);
    }
  }

  async #fetchMissing(user: string, from: number | undefined, job: Job): Promise<void> {
    const { now, refresh, signal, state, report } = job;
    const known = this.#covered.get(user);
    const wasRefreshed = known !== undefined && known.fetchedAt >= now;
    for (const range of planFetches(known, from, now, refresh && !wasRefreshed)) {
      const earlier = { ...state };
      const onRead = (done: number, total: number) => {
        Object.assign(state, {
          done: earlier.done + done,
          total: earlier.total + Math.max(done, total),
          isOpen: false,
        });
        report();
      };
      state.isOpen = true;
      const { events, truncated } = await fetchEvents(user, range, { refresh, signal, clock: this.#clock, onRead });
      const before = this.#covered.get(user);
      const counts = before ? this.#data.addLive(user, events, now) : this.#data.setLive(user, events, now);
      this.#counts.set(user, before ? (this.#counts.get(user) ?? 0) + countBeyond(events, before) : counts.events);
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

function sumOf(states: readonly UserProgress[]): Progress {
  const done = states.reduce((sum, state) => sum + state.done, 0);
  const total = states.reduce((sum, state) => sum + state.total, 0);
  return { done, total: states.some(({ isOpen }) => isOpen) ? 0 : total, count: done };
}

function failureOf(error: unknown): LiveFailure {
  if (error instanceof LiveError) return error.failure;
  return { code: 'page_error', message: error instanceof Error ? error.message : String(error), hint: undefined };
}

/** The number of raw events outside of the cached range. */
function countBeyond(events: readonly unknown[], { from, newestAt }: LiveCoverage): number {
  return events.filter((event) => {
    const at = instantOf(event);
    return (from !== undefined && at < from) || newestAt === undefined || at > newestAt;
  }).length;
}

function newestOf(events: readonly unknown[]): number | undefined {
  let newest: number | undefined;
  for (const event of events) {
    const at = instantOf(event);
    if (Number.isFinite(at) && (newest === undefined || at > newest)) newest = at;
  }
  return newest;
}

/** The instant of a raw event, milliseconds as text or number; NaN if missing. */
function instantOf(event: unknown): number {
  return Number((event as { readonly timestamp?: unknown } | null)?.timestamp);
}
