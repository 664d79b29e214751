import type { Clock } from '../../kernel/clock.ts';
import type { Log } from '../../kernel/log.ts';
import type { BigSegmentMembership, BigSegmentMemberships } from '../domain/big-segment.ts';
import type { FlagStore } from '../flag-store.ts';
import type { BigSegmentStatus } from '../status/status.ts';
import { type ListedBy, MembershipCache } from './membership-cache.ts';
import type { BigSegmentReader } from './reader.ts';
import type { BigSegmentStore } from './store.ts';
import { BigSegmentSynchroniser } from './synchroniser.ts';
import type { BigSegmentUpstream } from './upstream.ts';
import { WatchedStore } from './watched-store.ts';

export interface BigSegmentsParts {
  /** The flags and segments of the environment. */
  readonly flags: FlagStore;
  /** Called once, when the environment has a big segment. */
  readonly openStore: () => BigSegmentStore;
  /** Undefined: the store is only read, since the relay makes no connections to LaunchDarkly. */
  readonly upstream: Pick<BigSegmentUpstream, 'poll' | 'open'> | undefined;
  /** Undefined: the defaults of results and of the status, which differ in LaunchDarkly's Relay Proxy. */
  readonly staleAfterMs: number | undefined;
  readonly logsPatches: boolean;
  readonly clock: Clock;
  /** The log of the environment. */
  readonly log: Log;
}

/** Until results are STALE; that of LaunchDarkly's SDKs. */
const RESULTS_STALE_MS = 2 * 60_000;
/** Until the status is `potentiallyStale`. */
const STATUS_STALE_MS = 5 * 60_000;

const NOWHERE: ListedBy = { included: new Set(), excluded: new Set() };

interface Running {
  readonly store: WatchedStore;
  readonly cache: MembershipCache;
  readonly synchroniser: BigSegmentSynchroniser | undefined;
}

/** The big segments of one environment. Starts when the environment has one. */
export class BigSegments implements BigSegmentReader {
  readonly #parts: BigSegmentsParts;
  readonly #unsubscribe: () => void;
  #running: Running | undefined;
  #closing: Promise<void> | undefined;

  constructor(parts: BigSegmentsParts) {
    this.#parts = parts;
    const start = () => this.#startIfNeeded();
    this.#unsubscribe = parts.flags.subscribe({ replaced: start, changed: start, removed: () => {} });
    start();
  }

  read(keys: readonly string[]): BigSegmentMemberships | Promise<BigSegmentMemberships> {
    if (!this.#running) return new Map();
    const { cache, store } = this.#running;
    if (store.isAvailable === undefined) return store.check().then(() => this.read(keys));
    const found = new Map<string, BigSegmentMembership>();
    const missing: string[] = [];
    for (const key of keys) {
      const lists = cache.known(key);
      if (lists) found.set(key, { ...lists, status: this.#statusOf(store) });
      else missing.push(key);
    }
    return missing.length === 0 ? found : this.#readMissing(this.#running, missing, found);
  }

  status(): BigSegmentStatus | undefined {
    if (!this.#running) return undefined;
    const { store } = this.#running;
    return {
      ...(store.isAvailable === undefined ? {} : { available: store.isAvailable }),
      potentiallyStale: this.#isStale(store, STATUS_STALE_MS),
      lastSynchronizedOn: store.lastSynchronizedOn ?? 0,
    };
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  #startIfNeeded(): void {
    const { flags, openStore, upstream, logsPatches, clock, log } = this.#parts;
    if (this.#running || this.#closing || flags.bigSegmentKinds.size === 0) return;
    const onRecovery = () => {
      this.#change();
      this.#running?.synchroniser?.recheck();
    };
    const store = new WatchedStore(openStore(), { clock, log, onRecovery });
    const cache = new MembershipCache(store, clock);
    const onChange = () => this.#change();
    const synchroniser = upstream && new BigSegmentSynchroniser({ store, upstream, onChange, clock, log, logsPatches });
    this.#running = { store, cache, synchroniser };
    void store.check();
    synchroniser?.start();
  }

  #change(): void {
    this.#running?.cache.clear();
    this.#parts.flags.changeMembers();
  }

  async #close(): Promise<void> {
    this.#unsubscribe();
    await this.#running?.synchroniser?.close();
    await this.#running?.store.close();
  }

  async #readMissing(
    { cache, store }: Running,
    keys: readonly string[],
    found: Map<string, BigSegmentMembership>,
  ): Promise<BigSegmentMemberships> {
    const read = async (key: string) => {
      // A store that is down would delay every request.
      const lists = store.isDown ? undefined : await cache.read(key).catch(() => undefined);
      found.set(key, { ...(lists ?? NOWHERE), status: lists ? this.#statusOf(store) : 'STORE_ERROR' });
    };
    await Promise.all(keys.map(read));
    return found;
  }

  #statusOf(store: WatchedStore): BigSegmentMembership['status'] {
    if (store.isDown) return 'STORE_ERROR';
    return this.#isStale(store, RESULTS_STALE_MS) ? 'STALE' : 'HEALTHY';
  }

  #isStale({ lastSynchronizedOn }: WatchedStore, defaultMs: number): boolean {
    const { staleAfterMs = defaultMs, clock } = this.#parts;
    return lastSynchronizedOn === undefined || clock.now() - lastSynchronizedOn >= staleAfterMs;
  }
}
