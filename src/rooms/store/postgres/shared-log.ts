import type { Clock } from '../../../kernel/clock.ts';
import { messageOf } from '../../../kernel/errors.ts';
import type { Log } from '../../../kernel/log.ts';
import { StorageAwayError } from '../../../kernel/postgres/storage-error.ts';
import { SharedRead } from '../../../kernel/shared-read.ts';
import type { Fence } from '../../domain/change.ts';
import type { Committed } from '../../domain/event.ts';
import { newEpoch } from '../epoch.ts';
import { BehindError, type Commit, FencedError, type PreparedWrite, recordsOf, type StoredState } from '../store.ts';
import { AppendBatch } from './append-batch.ts';
import { AppendTurns } from './append-turns.ts';
import {
  FOLLOW_ROWS,
  type Followed,
  type FollowedEvent,
  type FollowRow,
  readFollowed,
  readState,
} from './follow-rows.ts';
import type { Queries } from './queries.ts';

export interface SharedLogParts {
  readonly postgres: Queries;
  /** Of this process. */
  readonly incarnation: string;
  /** For timers. */
  readonly clock: Clock;
  readonly log: Log;
  /** Wakes the other nodes. */
  readonly announce: () => void;
}

/** Events per read. */
const PAGE = 1_000;
const LOAD_MS = 60_000;
/** Before a write is tried again while another node goes first. */
const BUSY_MS = 2;

const ARGUMENTS = Array.from({ length: 26 }, (_, index) => `$${index + 1}`).join();
const APPEND = `SELECT * FROM opsdeck.append_to_rooms(${ARGUMENTS})`;
const RENEW = 'SELECT opsdeck.renew_room_epoch($1, $2)';
const ORIGIN = 'SELECT epoch, origin = opsdeck.room_origin() AS "isSame" FROM opsdeck.room_log';

interface AppendAnswer {
  readonly outcome: 'written' | 'moved' | 'busy' | 'behind' | 'taken' | 'fenced';
  /** Of the log before the batch. */
  readonly commits: number;
  readonly pos: number;
  /** The milliseconds for which other nodes went first. */
  readonly waitedMs: number;
  /** Of `written` the last sequence numbers; of `fenced` the ids of lost leases. */
  readonly numbers: Readonly<Record<string, number>> | readonly string[];
}

/** What this node has read of the log. */
interface Applied {
  readonly epoch: string;
  readonly commits: number;
  readonly pos: number;
}

/** The log of all nodes: appends to it, and notifies its followers of each commit, in order. */
export class SharedLog {
  readonly #parts: SharedLogParts;
  readonly #followers: ((commit: Commit) => void)[] = [];
  #applied: Applied = { epoch: '', commits: 0, pos: 0 };
  #firstPos = 1;
  /** Positions that were not dense: each one is a fault of the database or of opsdeck. */
  violations = 0;
  readonly #reads = new SharedRead(() => this.#read());
  /** Resolves after the last append. */
  #last: Promise<unknown> = Promise.resolve();
  readonly #turns: AppendTurns;

  constructor(parts: SharedLogParts) {
    this.#parts = parts;
    this.#turns = new AppendTurns(parts.clock);
  }

  /** The number of the last commit that followers know. */
  get version(): number {
    return this.#applied.commits;
  }

  /** The positions that followers know. */
  get range(): { readonly firstPos: number; readonly pos: number } {
    return { firstPos: this.#firstPos, pos: this.#applied.pos };
  }

  follow(follower: (commit: Commit) => void): void {
    this.#followers.push(follower);
  }

  /** Everything, as of one moment; from there on followers get what follows. Creates the log. */
  async load(): Promise<StoredState> {
    const { postgres } = this.#parts;
    const [found] = await postgres.query<{ epoch: string; isSame: boolean }>(ORIGIN);
    if (!found?.isSame) await this.#renew(found?.epoch ?? '');
    const rows = await postgres.query<FollowRow>(FOLLOW_ROWS, [0, null, 0], { deadlineMs: LOAD_MS });
    const { state, commits } = readState(rows);
    this.#applied = { epoch: state.epoch, commits, pos: state.pos };
    this.#firstPos = state.firstPos;
    return state;
  }

  /**
   * Resolves when followers know what was committed before this call; all calls of that moment share one read. Also resolves
   * while PostgreSQL is away: then the last known state is all there is.
   */
  async catchUp(): Promise<void> {
    if (!this.#parts.postgres.isUp) return;
    try {
      await this.refresh();
    } catch (error) {
      if (!(error instanceof StorageAwayError)) throw error;
    }
  }

  /** As catchUp, but rejects with a StorageAwayError. */
  refresh(): Promise<void> {
    return this.#reads.run();
  }

  /** As in RoomStore. */
  turn(): Promise<void> {
    return this.#turns.next();
  }

  /** As in RoomStore, in the order of calls. */
  append(
    writes: readonly PreparedWrite[],
    version?: number,
    fences: readonly Fence[] = [],
  ): Promise<readonly (readonly Committed[])[]> {
    const appended = this.#last.then(() => this.#append(writes, version ?? this.version, fences));
    this.#last = appended.catch(() => {});
    return appended;
  }

  async #append(
    writes: readonly PreparedWrite[],
    version: number,
    fences: readonly Fence[],
  ): Promise<readonly (readonly Committed[])[]> {
    const batch = new AppendBatch(writes);
    const { outcome, commits, pos, numbers } = await this.#send(batch, version, fences);
    if (outcome === 'fenced') throw new FencedError(numbers as readonly string[]);
    if (outcome !== 'written') {
      if (outcome === 'moved' || this.version < commits) await this.refresh();
      throw new BehindError();
    }
    const committed = batch.committed({ pos, numbers: numbers as Readonly<Record<string, number>> });
    if (this.#applied.commits === commits && this.#applied.pos === pos) {
      const events = committed.flat();
      this.#applied = { ...this.#applied, commits: commits + 1, pos: pos + events.length };
      this.#notify({ isOwn: true, events, records: recordsOf(writes) });
    } else if (this.version <= commits) await this.#refreshTo(commits + 1);
    this.#parts.announce();
    return committed;
  }

  /** As refresh, unless followers know this commit already, or the append in progress or due brings it. */
  async reach(commits: number): Promise<void> {
    await this.#turns.next();
    await this.#last;
    if (this.version < commits) await this.refresh();
  }

  /** Resolves when followers know a commit of this node; wakes the other nodes. */
  async settle(commits: number): Promise<void> {
    await this.#refreshTo(commits);
    this.#parts.announce();
  }

  /** Waits for the append and the read in progress. */
  async close(): Promise<void> {
    await this.#last;
    await this.#reads.ended();
  }

  async #send(batch: AppendBatch, version: number, fences: readonly Fence[]): Promise<AppendAnswer> {
    const { postgres, incarnation, clock } = this.#parts;
    const { epoch } = this.#applied;
    const values = batch.values(fences);
    this.#turns.sent();
    for (;;) {
      const { commits, pos } = this.#applied;
      const rows = await postgres.query<FollowRow>(APPEND, [
        epoch,
        incarnation,
        version,
        batch.hasChanges,
        commits,
        pos,
        PAGE,
        ...values,
      ]);
      const { answer, news } = readAppended(rows);
      if (news) this.#learn(news, commits);
      if (answer.outcome !== 'busy') {
        this.#turns.ended(answer.waitedMs, answer.outcome === 'behind');
        return answer;
      }
      await new Promise<void>((done) => clock.after(BUSY_MS, done));
    }
  }

  /** Takes what an append has brought; what cannot be taken is left to the next read. `after`: the commit that was known. */
  #learn(news: Followed, after: number): void {
    if (news.epoch === this.#applied.epoch && news.pruned <= after) this.#apply(news, news.events.length < PAGE);
  }

  /** The write is committed: it is acknowledged even if its followers cannot be notified yet. */
  async #refreshTo(commits: number): Promise<void> {
    while (this.#applied.commits < commits && this.#parts.postgres.isUp) {
      try {
        await this.catchUp();
      } catch {
        return;
      }
    }
  }

  async #read(): Promise<void> {
    const { postgres, log } = this.#parts;
    for (;;) {
      const before = this.#applied;
      const rows = await postgres.query<FollowRow>(FOLLOW_ROWS, [before.commits, before.pos, PAGE]);
      const read = readFollowed(rows);
      if (!read.isSameOrigin) {
        log.warn('PostgreSQL has failed over: clients start again', { epoch: read.epoch });
        await this.#renew(read.epoch);
        continue;
      }
      const isOther = read.epoch !== before.epoch || read.commits < before.commits;
      if (isOther || read.pruned > before.commits) return this.#reload();
      const isWhole = read.events.length < PAGE;
      if (!this.#apply(read, isWhole)) return this.#reload();
      if (isWhole) return;
    }
  }

  /** Passes on to followers what they do not know yet; false after a hole in the log. */
  #apply(read: Followed, isWhole: boolean): boolean {
    const { epoch, commits, pos } = this.#applied;
    const events = read.events.filter(({ committed }) => committed.pos > pos);
    if (read.commits <= commits) return true;
    const end = isWhole ? read.pos : (events.at(-1)?.committed.pos ?? pos);
    const hasRemoval = read.heads.size > 0 || read.firstPos !== this.#firstPos;
    // Removed events leave gaps; without a removal there are none.
    if (!hasRemoval && events.length !== end - pos) {
      this.violations++;
      this.#parts.log.error('the log has a hole: clients start again', { after: pos, upTo: end, found: events.length });
      return false;
    }
    this.#applied = { epoch, commits: isWhole ? read.commits : commits, pos: end };
    this.#firstPos = read.firstPos;
    const removal = hasRemoval ? { removal: { heads: read.heads, firstPos: read.firstPos } } : {};
    this.#notify({ isOwn: false, events: [], records: read.records, ...removal });
    for (const { isOwn, run } of runsOf(events, this.#parts.incarnation))
      this.#notify({ isOwn, events: run, records: [] });
    return true;
  }

  async #reload(): Promise<void> {
    const restart = await this.load();
    this.#notify({ isOwn: false, events: [], records: [], restart });
  }

  async #renew(epoch: string): Promise<void> {
    await this.#parts.postgres.query(RENEW, [epoch, newEpoch()]);
  }

  #notify(commit: Commit): void {
    for (const follower of this.#followers) {
      try {
        follower(commit);
      } catch (error) {
        this.#parts.log.error('a follower of the log failed', { err: messageOf(error) });
      }
    }
  }
}

/** The rows of append_to_rooms. */
function readAppended(rows: readonly FollowRow[]): {
  readonly answer: AppendAnswer;
  readonly news: Followed | undefined;
} {
  const last = rows.at(-1);
  if (last?.what !== 'append') throw new Error('append_to_rooms gave no answer');
  const { a, b: numbers, c: waited, n: commits, m: pos } = last;
  const outcome = a as AppendAnswer['outcome'];
  return {
    answer: { outcome, commits, pos, waitedMs: Number(waited), numbers: JSON.parse(numbers ?? '{}') },
    news: rows.length === 1 ? undefined : readFollowed(rows.slice(0, -1)),
  };
}

/** Consecutive events of this node, and of others. */
function* runsOf(events: readonly FollowedEvent[], incarnation: string) {
  for (let from = 0; from < events.length; ) {
    const isOwn = events[from]?.writer === incarnation;
    let to = from;
    while (to < events.length && (events[to]?.writer === incarnation) === isOwn) to++;
    yield { isOwn, run: events.slice(from, to).map(({ committed }) => committed) };
    from = to;
  }
}
