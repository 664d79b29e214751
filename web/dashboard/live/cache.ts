import type { LiveImport, UsageData } from '../../../src/dashboard/domain/usage-data.ts';
import type { Clock } from '../../shared/clock.ts';
import type { ChangesRequest, LiveFailure, LiveRequest, LiveUserResult, Progress } from '../text/messages.ts';
import { type EventsAnswer, fetchEvents, LiveError } from './fetch.ts';
import type { LiveCoverage, LiveRange } from './plan.ts';
import { planAgentFetches, planFetches, widerHours } from './plan.ts';

const HOUR_MS = 3_600_000;
const PARALLEL = 4;

/** The progress of a user's fetches, in events. */
interface UserProgress {
  done: number;
  total: number;
  /** No total is known while a request has not been answered. */
  isOpen: boolean;
}

/** What was fetched, not yet in the data. */
interface Fetched extends EventsAnswer {
  readonly live: LiveImport;
  readonly newestAt: number | undefined;
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
  readonly #truncated = new Set<string>();

  constructor(data: UsageData, clock: Clock) {
    this.#data = data;
    this.#clock = clock;
  }

  clear(): void {
    this.#data.clearLive();
    this.#covered.clear();
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

  /** Fetches what has changed of assistants, as far back as they are cached. */
  follow({ agents, now }: ChangesRequest, signal: AbortSignal): Promise<readonly LiveUserResult[]> {
    const users = agents.filter((agent) => this.#covered.has(agent));
    const all = { type: 'live', users, agents, now, refresh: false, atLeast: undefined } as const;
    // Nothing older is wanted.
    return this.update({ ...all, from: Number.POSITIVE_INFINITY }, signal, () => {});
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
      events: this.#data.liveCount(user),
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
    for (let tries = 0; this.#data.liveCount(user) < atLeast; tries += 1) {
      hours = widerHours(hours, tries);
      if (hours === undefined) return;
      await this.#fetchMissing(user, now - hours * HOUR_MS, job);
    }
  }

  async #fetchMissing(user: string, from: number | undefined, job: Job): Promise<void> {
    const { now, refresh, signal, state, report } = job;
    for (const range of this.#plan(user, from, job)) {
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
      const live = this.#data.openLive(user, now);
      let newestAt: number | undefined;
      const onEvents = (events: readonly unknown[]) => {
        live.push(events);
        newestAt = newestOf(events, newestAt);
      };
      const options = { refresh, signal, clock: this.#clock, onEvents, onRead };
      this.#keep(user, range, { ...(await fetchEvents(user, range, options)), live, newestAt }, now);
    }
  }

  #plan(user: string, from: number | undefined, { agents, now, refresh }: Job): readonly LiveRange[] {
    const known = this.#covered.get(user);
    if (agents.includes(user)) return planAgentFetches(known, from);
    const wasRefreshed = known !== undefined && known.fetchedAt >= now;
    return planFetches(known, from, now, refresh && !wasRefreshed);
  }

  #keep(user: string, range: LiveRange, answer: Fetched, now: number): void {
    const { live, newestAt, truncated, version, from } = answer;
    const before = this.#covered.get(user);
    const reachesNow = range.to === undefined;
    if (!before) this.#data.clearLive(user);
    if (range.changedAfter === undefined || from !== undefined) live.finish(from);
    if (truncated) this.#truncated.add(user);
    this.#covered.set(user, {
      from: before && reachesNow ? before.from : range.from,
      to: reachesNow ? now : (before?.to ?? now),
      fetchedAt: reachesNow ? this.#clock.now() : (before?.fetchedAt ?? this.#clock.now()),
      newestAt: reachesNow ? (newestAt ?? before?.newestAt) : before?.newestAt,
      version: reachesNow ? version : before?.version,
    });
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

/** The newest instant of the events, and of `known`. */
function newestOf(events: readonly unknown[], known: number | undefined): number | undefined {
  let newest = known;
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
