import { createHash } from 'node:crypto';
import type { Clock } from '../../kernel/clock.ts';
import type { BigSegmentStore } from './store.ts';

/** As in BigSegmentMembership. */
export interface ListedBy {
  readonly included: ReadonlySet<string>;
  readonly excluded: ReadonlySet<string>;
}

interface Entry {
  readonly lists: ListedBy;
  /** Milliseconds of the monotonic clock. */
  readonly readAt: number;
}

/** As in LaunchDarkly's SDKs. */
const MAX_ENTRIES = 1000;
const LIFE_MS = 5000;

/** How stores name a context: the standard base64 of the SHA-256 of its key. */
export const hashContextKey = (key: string): string => createHash('sha256').update(key).digest('base64');

/** The last looked up memberships by context key (LRU). Callers that ask for a key at the same time share the look-up. */
export class MembershipCache {
  readonly #store: Pick<BigSegmentStore, 'listedSegments'>;
  readonly #clock: Clock;
  /** Ordered by last use. */
  #entries = new Map<string, Entry>();
  #reads = new Map<string, Promise<ListedBy>>();

  constructor(store: Pick<BigSegmentStore, 'listedSegments'>, clock: Clock) {
    this.#store = store;
    this.#clock = clock;
  }

  /** Undefined if the store has to be asked. */
  known(key: string): ListedBy | undefined {
    const entry = this.#entries.get(key);
    if (!entry) return undefined;
    this.#entries.delete(key);
    if (this.#clock.monotonic() - entry.readAt >= LIFE_MS) return undefined;
    this.#entries.set(key, entry);
    return entry.lists;
  }

  /** Asks the store. Rejects if it fails. */
  read(key: string): Promise<ListedBy> {
    const reads = this.#reads;
    let read = reads.get(key);
    if (!read) {
      read = this.#read(key, this.#entries).finally(() => reads.delete(key));
      reads.set(key, read);
    }
    return read;
  }

  /** Look-ups under way are not kept either. */
  clear(): void {
    this.#entries = new Map();
    this.#reads = new Map();
  }

  /** `entries`: those at the start of the look-up. */
  async #read(key: string, entries: Map<string, Entry>): Promise<ListedBy> {
    const { included, excluded } = await this.#store.listedSegments(hashContextKey(key));
    const lists = { included: new Set(included), excluded: new Set(excluded) };
    entries.set(key, { lists, readAt: this.#clock.monotonic() });
    if (entries.size > MAX_ENTRIES) entries.delete(entries.keys().next().value as string);
    return lists;
  }
}
