import type { CancelTimer, Clock } from '../../kernel/clock.ts';
import { messageOf } from '../../kernel/errors.ts';
import type { Log } from '../../kernel/log.ts';
import { type Lease, Leases } from '../../kernel/postgres/leases.ts';
import type { Postgres } from '../../kernel/postgres/postgres.ts';
import { StorageAwayError } from '../../kernel/postgres/storage-error.ts';
import type { Fence } from '../domain/change.ts';
import type { JobLease, Jobs } from './jobs.ts';

const LOOK_MS = 1_000;
/** When PostgreSQL is back, living owners renew their leases before others look for ended ones. */
const GRACE_MS = 3_000;
const RETRY_MS = 500;

export interface SharedJobsParts {
  readonly postgres: Postgres;
  /** The UUID of this process. */
  readonly incarnation: string;
  /** Of this machine. */
  readonly clock: Clock;
  readonly log: Log;
}

/** The jobs of all nodes, by leases in PostgreSQL. */
export class SharedJobs implements Jobs {
  readonly isShared = true;
  readonly #parts: SharedJobsParts;
  readonly #leases: Leases;
  readonly #looks = new Set<() => Promise<void>>();
  readonly #cancel: CancelTimer;
  readonly #unsubscribe: () => void;
  /** Monotonic time. */
  #lookFrom = 0;
  #looking: Promise<void> | undefined;
  #isClosed = false;

  constructor(parts: SharedJobsParts) {
    const { postgres, clock } = parts;
    this.#parts = parts;
    this.#leases = new Leases({ ...parts, owner: parts.incarnation });
    this.#unsubscribe = postgres.subscribe(() => {
      this.#lookFrom = clock.monotonic() + GRACE_MS;
    });
    this.#cancel = clock.every(LOOK_MS, () => {
      if (postgres.isUp && clock.monotonic() >= this.#lookFrom) this.#looking ??= this.#look();
    });
  }

  async hold(id: string): Promise<JobLease | undefined> {
    const lease = await this.#leases.acquire(id);
    return lease && new SharedJobLease(lease, this);
  }

  watch(look: () => Promise<void>): () => void {
    this.#looks.add(look);
    return () => this.#looks.delete(look);
  }

  /** Releases all jobs; the next look of another node finds them. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#cancel();
    this.#unsubscribe();
    await this.#looking;
    await this.#leases.close();
  }

  isHeld(lease: Lease): boolean {
    // Without PostgreSQL no other node can take over.
    return !lease.lost.aborted && (lease.isFresh || !this.#parts.postgres.isUp);
  }

  async settle(lease: Lease): Promise<boolean> {
    while (!this.#isClosed) {
      try {
        return await lease.advance();
      } catch (error) {
        if (!(error instanceof StorageAwayError)) throw error;
      }
      await new Promise<void>((done) => this.#parts.clock.after(RETRY_MS, done));
    }
    return false;
  }

  async #look(): Promise<void> {
    for (const look of this.#looks) {
      try {
        await look();
      } catch (error) {
        if (!(error instanceof StorageAwayError))
          this.#parts.log.error('the jobs of lost nodes could not be taken over', { err: messageOf(error) });
      }
    }
    this.#looking = undefined;
  }
}

class SharedJobLease implements JobLease {
  readonly #lease: Lease;
  readonly #jobs: SharedJobs;

  constructor(lease: Lease, jobs: SharedJobs) {
    this.#lease = lease;
    this.#jobs = jobs;
  }

  get fences(): readonly Fence[] {
    const { id, fence } = this.#lease;
    return [{ id, fence }];
  }

  get isHeld(): boolean {
    return this.#jobs.isHeld(this.#lease);
  }

  get lost(): AbortSignal {
    return this.#lease.lost;
  }

  async confirm(): Promise<boolean> {
    try {
      return await this.#lease.confirm();
    } catch (error) {
      if (error instanceof StorageAwayError) return false;
      throw error;
    }
  }

  settle(): Promise<boolean> {
    return this.#jobs.settle(this.#lease);
  }

  release(): Promise<void> {
    return this.#lease.release();
  }
}
