import type { Clock } from '../../kernel/clock.ts';
import { clientNetwork } from '../../kernel/http/client-network.ts';
import type { Caller } from '../domain/caller.ts';
import { fullBucket, isFull, type Rate, type RateBucket, takeOne } from '../domain/rate-bucket.ts';
import { type Refusal, refuse } from '../domain/refusal.ts';
import type { LimitName, RateLimits } from '../routes/request/guard.ts';

const RATES: Readonly<Record<LimitName | 'room', Rate>> = {
  post: { perSecond: 10, burst: 30 },
  edit: { perSecond: 10, burst: 10 },
  // As many as posts: the page announces typing again after each message.
  typing: { perSecond: 10, burst: 30 },
  search: { perSecond: 5, burst: 5 },
  upload: { perSecond: 1, burst: 60 },
  create: { perSecond: 0.2, burst: 20 },
  change: { perSecond: 20, burst: 100 },
  hook: { perSecond: 50, burst: 200 },
  room: { perSecond: 100, burst: 100 },
};
/** Failed sign-ins of an address: 20 a minute. */
const FAILURES: Rate = { perSecond: 20 / 60, burst: 20 };
/** New users by invite, of an address. */
const NEWCOMERS: Rate = { perSecond: 0.5, burst: 30 };
/** Beyond this number of buckets the full ones are dropped, and then all. */
const MAX_BUCKETS = 50_000;

/** Buckets by name, with a limit on their number. */
export class RateBuckets {
  readonly #clock: Clock;
  readonly #rate: Rate;
  readonly #buckets = new Map<string, RateBucket>();

  constructor(rate: Rate, clock: Clock) {
    this.#rate = rate;
    this.#clock = clock;
  }

  /** Takes one; returns the seconds to wait when the bucket is empty. */
  take(name: string): number | undefined {
    return takeOne(this.#bucketOf(name), this.#rate, this.#clock.now());
  }

  /** The number of buckets that are kept. */
  get size(): number {
    return this.#buckets.size;
  }

  left(name: string): number {
    return this.#buckets.get(name)?.left ?? this.#rate.burst;
  }

  #bucketOf(name: string): RateBucket {
    const known = this.#buckets.get(name);
    if (known) return known;
    if (this.#buckets.size >= MAX_BUCKETS) this.#sweep();
    const bucket = fullBucket(this.#rate, this.#clock.now());
    this.#buckets.set(name, bucket);
    return bucket;
  }

  #sweep(): void {
    const now = this.#clock.now();
    for (const [name, bucket] of this.#buckets) if (isFull(bucket, this.#rate, now)) this.#buckets.delete(name);
    if (this.#buckets.size >= MAX_BUCKETS) this.#buckets.clear();
  }
}

/** Counts failed sign-ins by address. */
export class FailedSignIns {
  readonly #buckets: RateBuckets;

  constructor(clock: Clock) {
    this.#buckets = new RateBuckets(FAILURES, clock);
  }

  /**
   * Counts a failure; a refusal when there were too many. A right secret is never refused because of others' guesses.
   */
  failed(address: string): Refusal | undefined {
    const wait = this.#buckets.take(clientNetwork(address));
    if (wait === undefined) return undefined;
    return refuse('rate_limited', 'too many failed sign-ins from this address', { retryAfterS: wait });
  }
}

/** Counts sign-ups by invite, by address: each makes a new user. */
export class Newcomers {
  readonly #buckets: RateBuckets;

  constructor(clock: Clock) {
    this.#buckets = new RateBuckets(NEWCOMERS, clock);
  }

  came(address: string): Refusal | undefined {
    const wait = this.#buckets.take(clientNetwork(address));
    if (wait === undefined) return undefined;
    return refuse('rate_limited', 'too many new people from this address; try again later', { retryAfterS: wait });
  }
}

interface Allowance {
  readonly rate: Rate;
  readonly buckets: RateBuckets;
  readonly policy: string;
}

/** The id of the room of an id or slug, where the caller may read it. */
export type RoomIdOf = (caller: Caller, idOrSlug: string) => string | undefined;

/**
 * Rate limits by user, across tokens and sessions, and for writes by room. Source of the headers:
 * draft-ietf-httpapi-ratelimit-headers-10.
 */
export class UserRateLimits implements RateLimits {
  readonly #allowances: Readonly<Record<string, Allowance>>;
  readonly #roomIdOf: RoomIdOf;

  constructor(clock: Clock, roomIdOf: RoomIdOf) {
    this.#roomIdOf = roomIdOf;
    this.#allowances = Object.fromEntries(
      Object.entries(RATES).map(([name, rate]) => [
        name,
        {
          rate,
          buckets: new RateBuckets(rate, clock),
          policy: `"${name}";q=${rate.burst};w=${Math.ceil(rate.burst / rate.perSecond)}`,
        },
      ]),
    );
  }

  take(userId: string, limit: LimitName): ReturnType<RateLimits['take']> {
    return this.#take(limit, userId);
  }

  /** Counts a write to a room. A room that the caller may not read is not counted, since a refusal would reveal it. */
  takeRoom(caller: Caller, idOrSlug: string): Refusal | undefined {
    const roomId = this.#roomIdOf(caller, idOrSlug);
    return roomId === undefined ? undefined : this.#take('room', roomId).refusal;
  }

  #take(limit: LimitName | 'room', name: string): ReturnType<RateLimits['take']> {
    const { rate, buckets, policy } = this.#allowances[limit] as Allowance;
    const wait = buckets.take(name);
    const left = buckets.left(name);
    const fullIn = Math.ceil((rate.burst - left) / rate.perSecond);
    const headers = {
      ratelimit: `"${limit}";r=${Math.floor(left)};t=${fullIn}`,
      'ratelimit-policy': policy,
    };
    if (wait === undefined) return { headers };
    const reason = `too many requests of the kind ${limit}: ${printRate(rate)} are allowed`;
    return { refusal: refuse('rate_limited', reason, { retryAfterS: wait }), headers };
  }
}

function printRate({ perSecond, burst }: Rate): string {
  const often = perSecond >= 1 ? `${perSecond} a second` : `one in ${Math.round(1 / perSecond)} seconds`;
  return `${often}, ${burst} at once`;
}

const NOTHING = { headers: {} };

/** Without rate limits. */
export const NO_LIMITS: RateLimits = { take: () => NOTHING, takeRoom: () => undefined };
