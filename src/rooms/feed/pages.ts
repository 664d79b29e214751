import type { EventQuery, RoomStore } from '../store/store.ts';
import { entryOfStored, type FeedEntry } from './entry.ts';

/** Positions covered by one page, or events of some rooms in it. */
const PAGE = 128;
/** Readers farther behind read only their rooms. Pages of all rooms are shared. */
const FAR = 8192;
/** Pages of some rooms end at multiples of this, so that requests close together share them. */
const FAR_STEP = 4096;
/** Pages read concurrently. */
const AT_ONCE = 4;
/** Limit of the cached pages' data together, in UTF-16 units. */
const MAX_CHARS = 16 * 2 ** 20;

/** A part of the log: all of it, or of some rooms, up to position `through`. It may begin earlier than requested. */
export interface FeedPage {
  readonly entries: readonly FeedEntry[];
  readonly through: number;
}

interface KeptPage extends FeedPage {
  readonly chars: number;
}

/** Reads the log for reconnecting clients: each page once for all that need it, with limited concurrency. */
export class FeedPages {
  readonly #store: Pick<RoomStore, 'readEvents'>;
  readonly #kept = new Map<string, KeptPage>();
  readonly #reading = new Map<string, Promise<FeedPage>>();
  readonly #waiting: (() => void)[] = [];
  #keptChars = 0;
  #busy = 0;
  #generation = 0;

  constructor(store: Pick<RoomStore, 'readEvents'>) {
    this.#store = store;
  }

  /** Events after `after`, which lies before `head`; rejects when the store cannot be read. */
  read(after: number, head: number, roomIds: () => readonly string[]): Promise<FeedPage> | FeedPage {
    const query = head - after > FAR ? farQuery(after, head, roomIds()) : nearQuery(after, head);
    const key = `${query.after} ${query.upTo} ${query.roomIds?.join() ?? ''}`;
    const kept = this.#kept.get(key);
    if (kept) {
      this.#kept.delete(key);
      this.#kept.set(key, kept);
      return kept;
    }
    let reading = this.#reading.get(key);
    if (!reading) {
      reading = this.#read(key, query).finally(() => this.#reading.delete(key));
      this.#reading.set(key, reading);
    }
    return reading;
  }

  /** Drops cached pages, since the log has changed. */
  forget(): void {
    this.#generation += 1;
    this.#reading.clear();
    this.#kept.clear();
    this.#keptChars = 0;
  }

  async #read(key: string, query: EventQuery): Promise<FeedPage> {
    await this.#turn();
    try {
      const generation = this.#generation;
      const stored = await this.#store.readEvents(query);
      const entries = stored.map(entryOfStored);
      const isWhole = query.roomIds === undefined || entries.length < query.limit;
      const through = isWhole ? query.upTo : (entries.at(-1)?.pos ?? query.upTo);
      const page = { entries, through };
      if (generation === this.#generation) this.#keep(key, page);
      return page;
    } finally {
      const next = this.#waiting.shift();
      if (next) next();
      else this.#busy -= 1;
    }
  }

  /** Yields to the event loop as well: a store that answers at once would block everything else. */
  async #turn(): Promise<void> {
    if (this.#busy < AT_ONCE) this.#busy += 1;
    else await new Promise<void>((resolve) => this.#waiting.push(resolve));
    await new Promise<void>((resolve) => setImmediate(resolve));
  }

  #keep(key: string, page: FeedPage): void {
    const chars = page.entries.reduce((sum, { data }) => sum + data.length, 0);
    this.#kept.set(key, { ...page, chars });
    this.#keptChars += chars;
    for (const [oldest, { chars }] of this.#kept) {
      if (this.#keptChars <= MAX_CHARS) return;
      this.#kept.delete(oldest);
      this.#keptChars -= chars;
    }
  }
}

function nearQuery(after: number, head: number): EventQuery {
  const start = after - (after % PAGE);
  return { after: start, upTo: Math.min(start + PAGE, head), limit: PAGE };
}

function farQuery(after: number, head: number, roomIds: readonly string[]): EventQuery {
  return { after, upTo: head - (head % FAR_STEP), limit: PAGE, roomIds };
}
