import type { FetchedEvents } from './upstream/events.ts';

export interface CachedEvents extends FetchedEvents {
  /** Epoch milliseconds. */
  readonly fetchedAt: number;
  /** Whether an earlier request fetched it. */
  readonly cached: boolean;
}

export interface EventCacheOptions {
  /** 0: nothing is kept. */
  readonly ttlMs: number;
  readonly now: () => number;
  readonly maxEntries?: number;
  /** Of the events' JSON. */
  readonly maxBytes?: number;
}

/** A fetch under way. */
interface Flight {
  readonly landed: Promise<Entry>;
  readonly abort: AbortController;
  /** The number of waiting requests. */
  waiting: number;
}

interface Entry {
  readonly fetched: FetchedEvents;
  readonly fetchedAt: number;
  readonly bytes: number;
}

/** V8 stores text beyond Latin-1 with two bytes per character, and a header per text. */
const BYTES_OF_A_TEXT = 24;

/**
 * Fetched events by `user:start:end`. Requests for events being fetched share the fetch; once all of them have gone, it
 * is aborted. Failures are not kept; the least recently used entry is dropped first.
 */
export class EventCache {
  readonly #options: Required<EventCacheOptions>;
  /** In the order of last use. */
  readonly #entries = new Map<string, Entry>();
  readonly #running = new Map<string, Flight>();
  #bytes = 0;

  constructor(options: EventCacheOptions) {
    this.#options = { maxEntries: 64, maxBytes: 256 * 2 ** 20, ...options };
  }

  /** `signal` is aborted when the request has gone; the signal given to `fetch`, when all have. */
  async get(
    key: string,
    isRefresh: boolean,
    fetch: (signal: AbortSignal) => Promise<FetchedEvents>,
    signal?: AbortSignal,
  ): Promise<CachedEvents> {
    const known = isRefresh ? undefined : this.#fresh(key);
    if (known) return { ...known.fetched, fetchedAt: known.fetchedAt, cached: true };
    const flight = this.#running.get(key) ?? this.#start(key, fetch);
    const leave = () => this.#leave(key, flight);
    flight.waiting += 1;
    if (signal?.aborted) leave();
    else signal?.addEventListener('abort', leave, { once: true });
    try {
      const { fetched, fetchedAt } = await flight.landed;
      return { ...fetched, fetchedAt, cached: false };
    } finally {
      signal?.removeEventListener('abort', leave);
    }
  }

  #fresh(key: string): Entry | undefined {
    const entry = this.#entries.get(key);
    if (!entry) return undefined;
    this.#forget(key);
    const ageMs = this.#options.now() - entry.fetchedAt;
    // A clock set back makes the entry expire.
    if (ageMs < 0 || ageMs >= this.#options.ttlMs) return undefined;
    this.#keep(key, entry);
    return entry;
  }

  #start(key: string, fetch: (signal: AbortSignal) => Promise<FetchedEvents>): Flight {
    const abort = new AbortController();
    const landed = this.#fetch(key, () => fetch(abort.signal)).finally(() => this.#end(key, flight));
    const flight: Flight = { landed, abort, waiting: 0 };
    this.#running.set(key, flight);
    return flight;
  }

  #leave(key: string, flight: Flight): void {
    flight.waiting -= 1;
    if (flight.waiting > 0) return;
    // Later requests must not wait for an aborted fetch.
    this.#end(key, flight);
    flight.abort.abort();
  }

  #end(key: string, flight: Flight): void {
    if (this.#running.get(key) === flight) this.#running.delete(key);
  }

  async #fetch(key: string, fetch: () => Promise<FetchedEvents>): Promise<Entry> {
    const fetched = await fetch();
    const bytes = fetched.events.reduce((sum, event) => sum + event.length + BYTES_OF_A_TEXT, 0);
    const entry = { fetched, fetchedAt: this.#options.now(), bytes };
    if (!fetched.failure && this.#options.ttlMs > 0) {
      this.#forget(key);
      this.#keep(key, entry);
      this.#shrink();
    }
    return entry;
  }

  #keep(key: string, entry: Entry): void {
    this.#entries.set(key, entry);
    this.#bytes += entry.bytes;
  }

  #forget(key: string): void {
    this.#bytes -= this.#entries.get(key)?.bytes ?? 0;
    this.#entries.delete(key);
  }

  #shrink(): void {
    const { maxEntries, maxBytes } = this.#options;
    for (const key of this.#entries.keys()) {
      if (this.#entries.size <= maxEntries && this.#bytes <= maxBytes) return;
      this.#forget(key);
    }
  }
}
