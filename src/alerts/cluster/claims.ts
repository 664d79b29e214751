import { Batches } from '../../kernel/batches.ts';
import type { CancelTimer, Clock } from '../../kernel/clock.ts';
import { messageOf } from '../../kernel/errors.ts';
import type { Log } from '../../kernel/log.ts';
import type { ChangeFeed } from '../../kernel/postgres/change-feed.ts';
import { isFresh, LEASE_MS, type Moment, momentOf, RENEW_MS } from '../../kernel/postgres/lease-time.ts';
import type { Members } from '../../kernel/postgres/members.ts';
import type { Postgres } from '../../kernel/postgres/postgres.ts';
import { StorageAwayError } from '../../kernel/postgres/storage-error.ts';
import { decodeText, encodeText } from '../../kernel/postgres/text.ts';
import type { Claim, ClaimOutcome, Claims, FlushResult } from '../pipeline/claims.ts';
import type { AlertGroup } from '../store/group.ts';

/** Difference of two nodes' estimates of PostgreSQL's time. */
const MAX_EARLY_MS = 50;
/** Delay of the next attempt where nothing better is known. */
const RETRY_MS = 500;
/** Without PostgreSQL, each node waits for this long per node before it, so that it might be back before all have sent. */
const TURN_MS = 2_000;
/** Groups per statement. */
const MAX_BATCH = 200;

/** An upsert, so that a new group needs no row before; ordered, so that two nodes do not wait for each other in a circle. */
const CLAIM = `
  WITH wanted AS (SELECT id FROM unnest($1::text[]) AS t (id)), claimed AS (
    INSERT INTO opsdeck.flush AS f (id, next_at, flushed, owner, in_doubt, lease_until, fence)
    SELECT id, clock_timestamp(), true, $2::uuid, false, clock_timestamp() + $3 * interval '1 ms', nextval('opsdeck.fence')
    FROM wanted ORDER BY id
    ON CONFLICT (id) DO UPDATE SET owner = excluded.owner, lease_until = clock_timestamp() + $3 * interval '1 ms',
      fence = excluded.fence, flushed = true, in_doubt = f.in_doubt OR f.owner IS NOT NULL
    WHERE f.next_at <= clock_timestamp() + $4 * interval '1 ms'
      AND (f.owner IS NULL OR f.owner = excluded.owner OR f.lease_until < clock_timestamp())
    RETURNING f.id, f.fence, f.in_doubt
  )
  SELECT id, fence, in_doubt, NULL AS free_at FROM claimed UNION ALL
  SELECT f.id, NULL, NULL, greatest(f.next_at, CASE WHEN f.owner IS NOT NULL THEN f.lease_until END)
  FROM opsdeck.flush f JOIN wanted USING (id) WHERE f.id NOT IN (SELECT id FROM claimed)`;
const RENEW = `
  WITH mine AS (
    SELECT f.id, f.fence FROM opsdeck.flush f JOIN unnest($1::text[], $2::bigint[]) AS t (id, fence) USING (id, fence)
    ORDER BY f.id FOR UPDATE OF f
  )
  UPDATE opsdeck.flush f SET lease_until = clock_timestamp() + $3 * interval '1 ms' FROM mine WHERE f.id = mine.id
  RETURNING f.id`;
const COMPLETE = `
  WITH done AS (
    SELECT f.id, d.next_at, d.in_doubt, d.body FROM opsdeck.flush f
    JOIN unnest($1::text[], $2::bigint[], $3::float8[], $4::boolean[], $5::text[])
      AS d (id, fence, next_at, in_doubt, body) USING (id, fence)
    ORDER BY f.id FOR UPDATE OF f
  ), moved AS (
    UPDATE opsdeck.flush f SET next_at = to_timestamp(done.next_at / 1000), owner = NULL, in_doubt = done.in_doubt
    FROM done WHERE f.id = done.id AND done.next_at IS NOT NULL RETURNING f.id, done.body
  ), gone AS (
    DELETE FROM opsdeck.flush f USING done WHERE f.id = done.id AND done.next_at IS NULL RETURNING f.id, done.body
  ), ended AS (SELECT * FROM moved UNION ALL SELECT * FROM gone)
  SELECT opsdeck.log_changes(array_agg('flush'::text), array_agg(id), array_agg(body)) FROM ended`;

interface ClaimRow {
  readonly id: string;
  readonly fence: number | null;
  readonly in_doubt: boolean | null;
  /** Epoch milliseconds. */
  readonly free_at: number | null;
}

/** A finished flush, as other nodes read it. */
interface LoggedFlush extends FlushResult {
  /** The incarnation that flushed. */
  readonly by: string;
}

export interface ClusterClaimsParts {
  readonly postgres: Postgres;
  readonly feed: Pick<ChangeFeed, 'catchUp'>;
  readonly members: Pick<Members, 'position' | 'own'>;
  /** Of this machine: a lease is measured without PostgreSQL. */
  readonly clock: Clock;
  readonly log: Log;
  /** Resolves when this node has passed on what it did without PostgreSQL. */
  readonly recovered: () => Promise<void>;
}

/** A claim of this node. */
class HeldClaim implements Claim {
  readonly id: string;
  /** Undefined: PostgreSQL is away, and every node sends. */
  readonly fence: number | undefined;
  readonly isInDoubt: boolean;
  readonly #confirm: (claim: HeldClaim) => Promise<boolean>;
  /** The lease began after this. */
  confirmedAt: Moment;
  isLost = false;

  constructor(
    row: { readonly id: string; readonly fence?: number; readonly isInDoubt: boolean; readonly at: Moment },
    confirm: (claim: HeldClaim) => Promise<boolean>,
  ) {
    this.id = row.id;
    this.fence = row.fence;
    this.isInDoubt = row.isInDoubt;
    this.confirmedAt = row.at;
    this.#confirm = confirm;
  }

  confirm(): Promise<boolean> {
    return this.#confirm(this);
  }
}

/** A claim whose flush has ended; `isInDoubt`: its doubt remains. */
interface CompletedClaim {
  readonly claim: HeldClaim;
  readonly result: FlushResult;
  readonly isInDoubt: boolean;
}

/** Claims on groups as rows in PostgreSQL, with a lease and a fence. */
export class ClusterClaims implements Claims {
  readonly #parts: ClusterClaimsParts;
  readonly #held = new Map<string, HeldClaim>();
  readonly #claims: Batches<string, ClaimOutcome>;
  readonly #results: Batches<CompletedClaim, undefined>;
  readonly #completing = new Set<Promise<unknown>>();
  #renewing: CancelTimer | undefined;

  constructor(parts: ClusterClaimsParts) {
    this.#parts = parts;
    this.#claims = new Batches((ids) => this.#claimAll(ids), MAX_BATCH);
    this.#results = new Batches((results) => this.#completeAll(results), MAX_BATCH);
  }

  /** The fence of the claim on a group. */
  fenceOf(claim: Claim | undefined): { readonly id: string; readonly fence: number } | undefined {
    if (!(claim instanceof HeldClaim) || claim.fence === undefined) return undefined;
    return { id: claim.id, fence: claim.fence };
  }

  async claim(group: AlertGroup): Promise<ClaimOutcome> {
    const { postgres, recovered, members } = this.#parts;
    const id = encodeText(group.id);
    // A flush from before a reload.
    if (this.#held.has(id)) return { ok: false, retryAt: postgres.clock.now() + RETRY_MS };
    for (;;) {
      await recovered();
      try {
        if (postgres.isUp) return await this.#claims.add(id);
      } catch (error) {
        if (!(error instanceof StorageAwayError)) throw error;
      }
      await this.#wait(postgres.isUp ? RETRY_MS : members.position * TURN_MS);
      // Every node sends now, and none learns what another has sent.
      if (!postgres.isUp)
        return { ok: true, claim: this.#hold({ id, isInDoubt: true, at: momentOf(this.#parts.clock) }) };
    }
  }

  complete(claim: Claim, result: FlushResult, isInDoubt: boolean): void {
    if (!(claim instanceof HeldClaim)) return;
    this.#held.delete(claim.id);
    if (claim.fence === undefined) return;
    const written = this.#results.add({ claim, result, isInDoubt }).catch((error) => {
      if (error instanceof StorageAwayError) return;
      this.#parts.log.error('the end of a flush could not be written to PostgreSQL', { err: messageOf(error) });
    });
    this.#completing.add(written);
    written.then(() => this.#completing.delete(written));
  }

  /** Reads a logged end of a flush; undefined when this node has written it. */
  receive(id: string, body: string): { readonly id: string; readonly result: FlushResult } | undefined {
    const { by, ...result } = JSON.parse(body) as LoggedFlush;
    return by === this.#parts.members.own.incarnation ? undefined : { id: decodeText(id), result };
  }

  /** Resolves when the ends of all flushes are written. */
  async close(): Promise<void> {
    await Promise.all(this.#completing);
    this.#renewing?.();
  }

  #hold(row: ConstructorParameters<typeof HeldClaim>[0]): HeldClaim {
    const claim = new HeldClaim(row, (held) => this.#confirm(held));
    this.#held.set(row.id, claim);
    this.#renewing ??= this.#parts.postgres.clock.every(RENEW_MS, () => void this.#renew([...this.#held.values()]));
    return claim;
  }

  async #claimAll(ids: readonly string[]): Promise<readonly ClaimOutcome[]> {
    const { postgres, feed, members } = this.#parts;
    const at = momentOf(this.#parts.clock);
    const rows = await postgres.query<ClaimRow>(CLAIM, [ids, members.own.incarnation, LEASE_MS, MAX_EARLY_MS]);
    // What the last owners have recorded must be known before anything is evaluated.
    if (rows.some(({ fence }) => fence !== null)) await feed.catchUp();
    const byId = new Map(rows.map((row) => [row.id, row]));
    const now = postgres.clock.now();
    return ids.map((id) => {
      const { fence, in_doubt: isInDoubt, free_at: freeAt } = byId.get(id) ?? {};
      if (fence) return { ok: true, claim: this.#hold({ id, fence, isInDoubt: isInDoubt ?? false, at }) };
      return { ok: false, retryAt: freeAt && freeAt > now ? freeAt + MAX_EARLY_MS : now + RETRY_MS };
    });
  }

  async #confirm(claim: HeldClaim): Promise<boolean> {
    // With PostgreSQL back, the node that gets the claim knows what the others have sent.
    if (claim.fence === undefined) claim.isLost = this.#parts.postgres.isUp;
    if (claim.fence === undefined) return !claim.isLost;
    if (!isFresh(claim.confirmedAt, this.#parts.clock)) await this.#renew([claim]);
    return !claim.isLost;
  }

  async #renew(claims: readonly HeldClaim[]): Promise<void> {
    const fenced = claims.filter(({ fence, isLost }) => fence !== undefined && !isLost);
    const { postgres, log } = this.#parts;
    if (fenced.length === 0) return;
    const at = momentOf(this.#parts.clock);
    try {
      const rows = await postgres.query(RENEW, [
        fenced.map(({ id }) => id),
        fenced.map(({ fence }) => fence),
        LEASE_MS,
      ]);
      const renewed = new Set(rows.map(({ id }) => id));
      for (const claim of fenced) {
        if (renewed.has(claim.id)) claim.confirmedAt = at;
        else claim.isLost = this.#held.get(claim.id) === claim;
      }
    } catch (error) {
      // Without PostgreSQL no other node can take over, so the flush continues.
      if (error instanceof StorageAwayError) return;
      log.error('claims could not be renewed in PostgreSQL', { err: messageOf(error) });
    }
  }

  async #completeAll(results: readonly CompletedClaim[]): Promise<readonly undefined[]> {
    const { postgres, members } = this.#parts;
    const by = members.own.incarnation;
    await postgres.query(COMPLETE, [
      results.map(({ claim }) => claim.id),
      results.map(({ claim }) => claim.fence),
      results.map(({ result }) => result.nextFlushAt ?? null),
      results.map(({ isInDoubt }) => isInDoubt),
      results.map(({ result }) => JSON.stringify({ by, ...result } satisfies LoggedFlush)),
    ]);
    return results.map(() => undefined);
  }

  #wait(ms: number): Promise<void> {
    return new Promise((done) => this.#parts.postgres.clock.after(ms, done));
  }
}
