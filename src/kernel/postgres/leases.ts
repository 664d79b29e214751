import { Batches } from '../batches.ts';
import type { CancelTimer, Clock } from '../clock.ts';
import { messageOf } from '../errors.ts';
import type { Log } from '../log.ts';
import { isFresh, LEASE_MS, type Moment, momentOf, RENEW_MS } from './lease-time.ts';
import type { Postgres } from './postgres.ts';
import { StorageAwayError } from './storage-error.ts';

/** Leases per statement. */
const MAX_BATCH = 200;

/** Only free ones are locked; ordered, so that two nodes do not wait for each other in a circle. */
const ACQUIRE = `
  WITH free AS (
    SELECT id FROM unnest($1::text[]) AS t (id)
    WHERE NOT EXISTS (SELECT FROM opsdeck.lease l WHERE l.id = t.id AND l.lease_until >= clock_timestamp())
  )
  INSERT INTO opsdeck.lease AS l (id, owner, lease_until, fence)
  SELECT id, $2::uuid, clock_timestamp() + $3 * interval '1 ms', nextval('opsdeck.lease_fence') FROM free ORDER BY id
  ON CONFLICT (id) DO UPDATE SET owner = excluded.owner, fence = nextval('opsdeck.lease_fence'),
    lease_until = clock_timestamp() + $3 * interval '1 ms'
  WHERE l.lease_until < clock_timestamp()
  RETURNING l.id, l.fence`;
const OWN = `
  own AS (
    SELECT l.id, l.fence FROM opsdeck.lease l JOIN unnest($1::text[], $2::bigint[]) AS t (id, fence) USING (id, fence)
    ORDER BY l.id FOR UPDATE OF l
  )`;
const RENEW = `
  WITH ${OWN}
  UPDATE opsdeck.lease l SET lease_until = clock_timestamp() + $3 * interval '1 ms' FROM own WHERE l.id = own.id
  RETURNING l.id`;
const RELEASE = `WITH ${OWN} DELETE FROM opsdeck.lease l USING own WHERE l.id = own.id`;
/** Waits for what is being written under the earlier fence. */
const ADVANCE = `
  UPDATE opsdeck.lease SET fence = nextval('opsdeck.lease_fence'), lease_until = clock_timestamp() + $3 * interval '1 ms'
  WHERE id = $1 AND fence = $2 RETURNING fence`;

export interface LeasesParts {
  readonly postgres: Postgres;
  /** The UUID of this process. */
  readonly owner: string;
  /** Of this machine: a lease is measured without PostgreSQL. */
  readonly clock: Clock;
  readonly log: Log;
}

/** A lease of this process, renewed until it is released or lost. */
export class Lease {
  readonly id: string;
  readonly #leases: Leases;
  readonly #abort = new AbortController();
  /** Grows with each owner. */
  fence: number;
  /** It was granted or renewed after this. */
  confirmedAt: Moment;

  constructor(leases: Leases, { id, fence, at }: { readonly id: string; readonly fence: number; readonly at: Moment }) {
    this.#leases = leases;
    this.id = id;
    this.fence = fence;
    this.confirmedAt = at;
  }

  /** Aborted when another process has, or has had, the job. */
  get lost(): AbortSignal {
    return this.#abort.signal;
  }

  /** Whether it holds for a while, as far as this process knows without asking. False after the process was suspended. */
  get isFresh(): boolean {
    return this.#leases.isFresh(this);
  }

  /** Whether it holds for a while; asks if that is not known. Rejects with a StorageAwayError. */
  confirm(): Promise<boolean> {
    return this.#leases.confirm(this);
  }

  /**
   * Gives it a new fence, so that a write under the earlier one that was not answered is either visible now or will be
   * refused. False if it was lost; rejects with a StorageAwayError.
   */
  advance(): Promise<boolean> {
    return this.#leases.advance(this);
  }

  /** Lets another process have it at once. While PostgreSQL is away it ends by itself. */
  release(): Promise<void> {
    return this.#leases.release([this]);
  }

  lose(): void {
    this.#abort.abort();
  }
}

/** Leases on jobs, as rows of `opsdeck.lease`: a job belongs to one process at a time. */
export class Leases {
  readonly #parts: LeasesParts;
  readonly #held = new Map<string, Lease>();
  readonly #acquiring: Batches<string, Lease | undefined>;
  readonly #cancel: CancelTimer;
  #isClosed = false;

  constructor(parts: LeasesParts) {
    this.#parts = parts;
    this.#acquiring = new Batches((ids) => this.#acquireAll(ids), MAX_BATCH);
    this.#cancel = parts.clock.every(RENEW_MS, () => void this.#renewAll());
  }

  /** `undefined`: it is held, by another process or this one. Rejects with a StorageAwayError. */
  async acquire(id: string): Promise<Lease | undefined> {
    return this.#isClosed || this.#held.has(id) ? undefined : this.#acquiring.add(id);
  }

  /** Releases all leases and grants no more. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#cancel();
    await this.release([...this.#held.values()]);
  }

  isFresh(lease: Lease): boolean {
    return this.#holds(lease) && isFresh(lease.confirmedAt, this.#parts.clock);
  }

  async confirm(lease: Lease): Promise<boolean> {
    if (this.#holds(lease) && !this.isFresh(lease)) await this.#renew([lease]);
    return this.#holds(lease);
  }

  async advance(lease: Lease): Promise<boolean> {
    const { postgres, clock } = this.#parts;
    if (!this.#holds(lease)) return false;
    const at = momentOf(clock);
    const [row] = await postgres.query<{ fence: number }>(ADVANCE, [lease.id, lease.fence, LEASE_MS]);
    if (row) {
      lease.fence = row.fence;
      lease.confirmedAt = at;
    } else this.#lose(lease);
    return row !== undefined;
  }

  async release(leases: readonly Lease[]): Promise<void> {
    const own = leases.filter((lease) => this.#holds(lease));
    for (const { id } of own) this.#held.delete(id);
    if (own.length === 0) return;
    try {
      await this.#parts.postgres.query(RELEASE, [own.map(({ id }) => id), own.map(({ fence }) => fence)]);
    } catch (error) {
      this.#report(error, 'leases could not be released in PostgreSQL, and end by themselves');
    }
  }

  async #acquireAll(ids: readonly string[]): Promise<readonly (Lease | undefined)[]> {
    const { postgres, owner, clock } = this.#parts;
    const at = momentOf(clock);
    const unique = [...new Set(ids)];
    const rows = await postgres.query<{ id: string; fence: number }>(ACQUIRE, [unique, owner, LEASE_MS]);
    const granted = new Map(rows.map((row) => [row.id, new Lease(this, { ...row, at })]));
    for (const [id, lease] of granted) this.#held.set(id, lease);
    return ids.map((id) => {
      const lease = granted.get(id);
      granted.delete(id);
      return lease;
    });
  }

  async #renewAll(): Promise<void> {
    if (this.#held.size === 0) return;
    try {
      await this.#renew([...this.#held.values()]);
    } catch (error) {
      // Without PostgreSQL no other process can take over.
      this.#report(error, 'leases could not be renewed in PostgreSQL');
    }
  }

  async #renew(leases: readonly Lease[]): Promise<void> {
    const { postgres, clock } = this.#parts;
    const at = momentOf(clock);
    const fences = leases.map(({ fence }) => fence);
    const rows = await postgres.query<{ id: string }>(RENEW, [leases.map(({ id }) => id), fences, LEASE_MS]);
    const renewed = new Set(rows.map(({ id }) => id));
    for (const [index, lease] of leases.entries()) {
      if (renewed.has(lease.id)) lease.confirmedAt = at;
      // With another fence the answer speaks of an earlier one.
      else if (lease.fence === fences[index]) this.#lose(lease);
    }
  }

  #lose(lease: Lease): void {
    if (!this.#holds(lease)) return;
    this.#held.delete(lease.id);
    lease.lose();
  }

  /** Neither lost nor released. */
  #holds(lease: Lease): boolean {
    return this.#held.get(lease.id) === lease;
  }

  #report(error: unknown, words: string): void {
    if (error instanceof StorageAwayError) return;
    this.#parts.log.error(words, { err: messageOf(error) });
  }
}
