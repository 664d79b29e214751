import type { Outcome } from '../../kernel/outcome.ts';
import type { DashboardUser } from '../config/config.ts';
import { type UpstreamFailed, type UpstreamFailure, unexpected } from './answer.ts';
import { type EventPage, readEventPage } from './event-page.ts';
import type { Upstream, UpstreamRequest } from './upstream.ts';

/** Epoch milliseconds, both ends included; undefined: open. */
export interface EventRange {
  readonly startAt: number | undefined;
  readonly endAt: number | undefined;
}

/** All events of a range, newest first, each as its JSON text. */
export interface FetchedEvents {
  readonly events: readonly string[];
  readonly totalUsageEventsCount: number;
  /** Whether there is more than was fetched. */
  readonly truncated: boolean;
  /** The failure that ended the fetch; `events` are those of the pages before it. */
  readonly failure?: UpstreamFailure;
}

export interface EventSourceOptions {
  readonly upstream: Pick<Upstream, 'ask'>;
  readonly now: () => number;
  /** Events per page; upstream's maximum is 1000. */
  readonly pageSize?: number;
  readonly maxPages?: number;
  readonly maxEvents?: number;
}

const PATH = '/api/dashboard/get-filtered-usage-events';
const WHOLE_FETCH_MS = 5 * 60_000;
/** Upstream may refuse longer ranges. */
const WINDOW_MS = 31 * 86_400_000;

/** Reads all pages of a range; a range that upstream refuses as too long is read month by month. */
export class UpstreamEvents {
  readonly #options: Required<EventSourceOptions>;

  constructor(options: EventSourceOptions) {
    this.#options = { pageSize: 1000, maxPages: 1000, maxEvents: 1_000_000, ...options };
  }

  /** Resolves with a failure once `signal` is aborted. */
  async fetch(user: DashboardUser, range: EventRange, signal?: AbortSignal): Promise<FetchedEvents> {
    const now = this.#options.now();
    const gathering = new Gathering(this.#options, { user, deadlineAt: now + WHOLE_FETCH_MS, signal });
    const whole = await gathering.gather(range);
    const { startAt, endAt = now } = range;
    const mayBeTooLong = startAt !== undefined && endAt - startAt > WINDOW_MS;
    if (!whole?.isBadRequest || gathering.size > 0 || !mayBeTooLong) return gathering.result(whole);
    for (let end = endAt; end >= startAt; end -= WINDOW_MS) {
      const window = { startAt: Math.max(startAt, end - WINDOW_MS + 1), endAt: end };
      const failure = await gathering.gather(window);
      if (failure) return gathering.result(failure);
      if (gathering.isFull) break;
    }
    return gathering.result(undefined);
  }
}

type Caller = Pick<UpstreamRequest, 'user' | 'deadlineAt' | 'signal'>;

/** The state of one fetch. */
class Gathering {
  readonly #options: Required<EventSourceOptions>;
  readonly #caller: Caller;
  readonly #events: string[] = [];
  #total = 0;
  #pages = 0;
  #isTruncated = false;

  constructor(options: Required<EventSourceOptions>, caller: Caller) {
    this.#options = options;
    this.#caller = caller;
  }

  get size(): number {
    return this.#events.length;
  }

  get isFull(): boolean {
    const { maxPages, maxEvents } = this.#options;
    return this.#pages >= maxPages || this.#events.length >= maxEvents;
  }

  result(failure: UpstreamFailure | undefined): FetchedEvents {
    return {
      events: this.#events,
      totalUsageEventsCount: Math.max(this.#total, this.#events.length),
      truncated: this.#isTruncated,
      ...(failure ? { failure } : {}),
    };
  }

  /** Reads the pages of a range; returns the failure that stopped it, if any. */
  async gather(range: EventRange): Promise<UpstreamFailure | undefined> {
    const before = this.#events.length;
    let previous: EventPage | undefined;
    let firstTotal: number | undefined;
    let total: number | undefined;
    for (let number = 1; ; number++) {
      const answer = await this.#askPage(range, number);
      if (!answer.ok) return answer.failure;
      const page = answer.value;
      total = page.total ?? total;
      firstTotal ??= page.total;
      if (number === 1 && page.events.length === 0 && total) return unexpected('upstream counts events but sends none');
      const isRepeated = previous !== undefined && page.events.length > 0 && page.signature === previous.signature;
      if (!isRepeated) this.#add(page, previous);
      const collected = this.#events.length - before;
      if (isLast(page, isRepeated, collected, total, this.#options.pageSize)) {
        // Events that arrive meanwhile raise the total and come before the first page.
        const arrived = total === undefined ? 0 : Math.max(0, total - (firstTotal ?? total));
        this.#isTruncated ||= total !== undefined && collected + arrived < total;
        this.#total += total ?? collected;
        return undefined;
      }
      if (this.isFull) {
        this.#isTruncated = true;
        this.#total += total ?? collected;
        return undefined;
      }
      previous = page;
    }
  }

  /** Newer events shift older ones onto the next page: events of the previous page are skipped. */
  #add(page: EventPage, previous: EventPage | undefined): void {
    const known = new Set(previous?.events);
    for (const event of page.events) {
      if (this.#events.length >= this.#options.maxEvents) return;
      if (!known.has(event)) this.#events.push(event);
    }
  }

  async #askPage({ startAt, endAt }: EventRange, page: number): Promise<Outcome<EventPage, UpstreamFailed>> {
    this.#pages++;
    const answer = await this.#options.upstream.ask({
      method: 'POST',
      path: PATH,
      body: {
        teamId: 0,
        ...(startAt === undefined ? {} : { startDate: String(startAt) }),
        ...(endAt === undefined ? {} : { endDate: String(endAt) }),
        page,
        pageSize: this.#options.pageSize,
      },
      ...this.#caller,
    });
    return answer.ok ? readEventPage(answer.value) : answer;
  }
}

/** With a total, a short page is not the last: upstream sends some in the middle. */
function isLast(
  page: EventPage,
  isRepeated: boolean,
  collected: number,
  total: number | undefined,
  pageSize: number,
): boolean {
  if (isRepeated || page.events.length === 0) return true;
  return total === undefined ? page.events.length < pageSize : collected >= total;
}
