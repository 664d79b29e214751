import type { CancelTimer, Clock } from '../clock.ts';
import type { Log } from '../log.ts';
import { SharedRead } from '../shared-read.ts';
import { ChangeListener } from './change-listener.ts';
import type { Postgres } from './postgres.ts';
import { CHANNEL } from './schema.ts';
import { reasonOf, StorageAwayError } from './storage-error.ts';

/** One committed change, as its writer gave it to `opsdeck.log_changes`. */
export interface Change {
  /** Its place in the order of commits. */
  readonly seq: number;
  /** Milliseconds since the Unix epoch. */
  readonly at: number;
  readonly kind: string;
  readonly key: string;
  readonly body: string | null;
}

export interface ChangeFeedOptions {
  readonly postgres: Postgres;
  readonly clock: Clock;
  readonly log: Log;
  /** Takes changes in the order of their commits. A change may come again, or be part of what was loaded. */
  readonly apply: (changes: readonly Change[]) => void;
  /** Loads everything: at the start, and when changes may have been missed. */
  readonly reload: () => Promise<void>;
}

/** What has been applied: `identity` distinguishes the row from one of another history with the same number. */
interface Position {
  readonly seq: number;
  readonly identity: number | undefined;
}

interface ChangeRow extends Change {
  readonly identity: number;
}

const PAGE = 5_000;
const POLL_MS = 1_000;
/** Where notifications do not arrive. */
const POOLER_POLL_MS = 200;
const PRUNE_MS = 60_000;

const COLUMNS = 'seq, at, kind, key, body, (extract(epoch FROM at) * 1000000)::bigint AS identity';
/** With the row of the position itself, which shows that the history is still the same. */
const READ = `SELECT ${COLUMNS} FROM opsdeck.change WHERE seq >= $1 ORDER BY seq LIMIT ${PAGE + 1}`;
const HEAD = `SELECT ${COLUMNS} FROM opsdeck.change ORDER BY seq DESC LIMIT 1`;
const PRUNED = 'SELECT seq FROM opsdeck.change_pruned';
/** Leaves the newest row, which shows every node that the history is still the same. */
const PRUNE = `
  WITH pruned AS (
    DELETE FROM opsdeck.change WHERE seq < coalesce(
      (SELECT seq FROM opsdeck.change WHERE at >= clock_timestamp() - interval '10 minutes' ORDER BY seq LIMIT 1),
      (SELECT max(seq) FROM opsdeck.change))
    RETURNING seq)
  UPDATE opsdeck.change_pruned SET seq = newest FROM (SELECT max(seq) AS newest FROM pruned) AS last
  WHERE newest > change_pruned.seq`;

/** Follows what all nodes commit. */
export class ChangeFeed {
  readonly #options: ChangeFeedOptions;
  readonly #listener: ChangeListener;
  /** Undefined: everything has to be loaded. */
  #position: Position | undefined;
  readonly #reads = new SharedRead(() => this.#read());
  #isClosed = false;
  #cancelPoll: CancelTimer = () => {};
  #cancelPrune: CancelTimer = () => {};
  #unsubscribe = () => {};

  constructor(options: ChangeFeedOptions) {
    this.#options = options;
    const { postgres, clock } = options;
    this.#listener = new ChangeListener({ postgres, clock, channel: CHANNEL, wake: () => this.#wake() });
  }

  /** Loads everything, then follows. Rejects if it cannot be loaded. */
  async start(): Promise<void> {
    const { postgres, clock } = this.#options;
    await this.#load();
    this.#listener.start();
    this.#cancelPrune = clock.every(PRUNE_MS, () => void this.#prune());
    this.#unsubscribe = postgres.subscribe((isUp) => {
      if (isUp) this.#wake();
    });
    this.#poll();
  }

  /**
   * Resolves when everything committed before this call has been applied; all calls of that moment share one read. Rejects
   * with a StorageAwayError, or with the error of `reload`.
   */
  catchUp(): Promise<void> {
    return this.#reads.run();
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#unsubscribe();
    this.#cancelPoll();
    this.#cancelPrune();
    await this.#listener.close();
    await this.#reads.ended();
  }

  #wake(): void {
    if (this.#isClosed) return;
    this.catchUp().catch((error) => {
      if (error instanceof StorageAwayError) return;
      this.#options.log.error('changes cannot be read', { reason: reasonOf(error) });
    });
  }

  #poll(): void {
    this.#cancelPoll = this.#options.clock.after(this.#listener.isHearing ? POLL_MS : POOLER_POLL_MS, () => {
      this.#wake();
      this.#poll();
    });
  }

  /** The position is taken first: a change between the two is applied once more. */
  async #load(): Promise<void> {
    const { postgres, reload } = this.#options;
    const [head] = await postgres.query<ChangeRow>(HEAD);
    const [pruned] = head ? [head] : await postgres.query<{ seq: number }>(PRUNED);
    await reload();
    this.#position = { seq: pruned?.seq ?? 0, identity: head?.identity };
  }

  async #read(): Promise<void> {
    const { postgres } = this.#options;
    for (;;) {
      const position = this.#position;
      if (!position) return this.#load();
      const rows = await postgres.query<ChangeRow>(READ, [position.seq]);
      const [first] = rows;
      const isKnown = first !== undefined && first.seq === position.seq;
      const isSame = isKnown ? first.identity === position.identity : await this.#hasMissedNothing(position);
      if (!isSame) {
        this.#options.log.info('changes were missed: everything is loaded again');
        return this.#load();
      }
      const isLoaded = this.#apply(isKnown ? rows.slice(1) : rows);
      if (isLoaded && rows.length <= PAGE) return;
    }
  }

  /** Whether the row of the position is absent for a good reason: nothing later than it was pruned. */
  async #hasMissedNothing({ seq }: Position): Promise<boolean> {
    const [pruned] = await this.#options.postgres.query<{ seq: number }>(PRUNED);
    return pruned?.seq === seq;
  }

  /** False if that failed, so that everything has to be loaded. */
  #apply(changes: readonly ChangeRow[]): boolean {
    const last = changes.at(-1);
    if (!last) return true;
    try {
      this.#options.apply(changes);
      this.#position = { seq: last.seq, identity: last.identity };
      return true;
    } catch (error) {
      this.#options.log.error('changes could not be applied: everything is loaded again', { reason: reasonOf(error) });
      this.#position = undefined;
      return false;
    }
  }

  async #prune(): Promise<void> {
    try {
      await this.#options.postgres.query(PRUNE, [], { deadlineMs: PRUNE_MS });
    } catch (error) {
      if (error instanceof StorageAwayError) return;
      this.#options.log.warn('old changes could not be removed', { reason: reasonOf(error) });
    }
  }
}
