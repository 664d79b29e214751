import type { CancelTimer, Clock } from '../kernel/clock.ts';
import { messageOf } from '../kernel/errors.ts';
import type { Log } from '../kernel/log.ts';
import type { Change } from './domain/change.ts';
import { isOpen } from './domain/member/invite-change.ts';
import { record } from './domain/record.ts';
import { announceFirstSeq, forgetRoom, type HangingRecords, retentionBounds } from './domain/room/retention.ts';
import type { Room } from './domain/room/room.ts';
import type { JobLease, Jobs } from './nodes/jobs.ts';
import type { RoomState } from './room/state.ts';
import type { RoomWriter } from './room/writer.ts';
import type { RoomStore } from './store/store.ts';

const HOUR_MS = 3_600_000;
const FIRST_RUN_MS = 60_000;
const WEEK_MS = 7 * 24 * HOUR_MS;
/** Messages removed at a time, with other writes in between. */
const PART = 500;
/** The limit of a report's count. */
const MAX_COUNTED = 100_000;

export interface RetentionJobParts {
  readonly state: RoomState;
  readonly store: RoomStore;
  readonly writer: RoomWriter;
  readonly clock: Clock;
  readonly log: Log;
  /** The default time in milliseconds to keep messages; 0 is for ever. */
  readonly retentionMs: number;
  readonly readOnly: boolean;
  readonly jobs: Pick<Jobs, 'hold'>;
}

/** What would be removed now. */
export interface RetentionReport {
  /** At most 100,000. */
  readonly messages: number;
  readonly firstSeq: number | null;
  readonly lastSeq: number | null;
  /** Epoch milliseconds. */
  readonly before: number | null;
  readonly maxMessages: number | null;
}

/** Removes expired messages, deleted rooms and invites, every hour. */
export class RetentionJob {
  readonly #parts: RetentionJobParts;
  readonly #cancels: readonly CancelTimer[];
  #running: Promise<void> = Promise.resolve();
  #isClosed = false;

  constructor(parts: RetentionJobParts) {
    this.#parts = parts;
    const { clock, readOnly } = parts;
    const run = () => void this.run();
    // Also soon after the start, for a server that is restarted every day.
    this.#cancels = readOnly ? [] : [clock.after(FIRST_RUN_MS, run), clock.every(HOUR_MS, run)];
  }

  /** Runs now, after a run in progress. Never rejects: a failure is logged, and retried in an hour. */
  run(): Promise<void> {
    this.#running = this.#running.then(() => this.#run());
    return this.#running;
  }

  async report(room: Room): Promise<RetentionReport> {
    const { clock, retentionMs, store } = this.#parts;
    const bounds = retentionBounds(room, retentionMs, clock.now());
    if (!bounds) return { messages: 0, firstSeq: null, lastSeq: null, before: null, maxMessages: null };
    const expired = await store.expired({ ...bounds, limit: MAX_COUNTED });
    return {
      messages: expired.length,
      firstSeq: expired[0]?.seq ?? null,
      lastSeq: expired.at(-1)?.seq ?? null,
      before: bounds.before,
      maxMessages: bounds.maxMessages,
    };
  }

  /** Removes a deleted room for good. */
  async purge(roomId: string): Promise<void> {
    const { store, state, writer } = this.#parts;
    const room = state.get('room', roomId);
    if (!room || room.deletedAt === null) return;
    // Its record is removed last, so that an interrupted purge is resumed by the next run.
    await store.removeRoom(roomId);
    await writer.submit(forgetRoom(roomId, this.#hangingOn(room)));
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    for (const cancel of this.#cancels) cancel();
    await this.#running;
  }

  async #run(): Promise<void> {
    const { state, store, clock, log, jobs } = this.#parts;
    let lease: JobLease | undefined;
    try {
      lease = await jobs.hold('retention');
      if (!lease) return;
      for (const room of [...state.all('room').values()]) {
        if (this.#isClosed) return;
        if (room.deletedAt === null) await this.#removeExpired(room);
        else if (room.deletedAt + WEEK_MS <= clock.now()) await this.purge(room.id);
      }
      await this.#removeInvites();
      await store.prune();
    } catch (error) {
      log.error('what has been kept long enough could not be removed', { err: messageOf(error) });
    } finally {
      await lease?.release();
    }
  }

  async #removeExpired(room: Room): Promise<void> {
    const { state, store, writer, clock, retentionMs, log } = this.#parts;
    const bounds = retentionBounds(room, retentionMs, clock.now());
    if (!bounds) return;
    const removed: string[] = [];
    while (!this.#isClosed) {
      const expired = await store.expired({ ...bounds, limit: PART });
      // One may have been pinned meanwhile.
      const pinned = new Set(state.get('room', room.id)?.pinned);
      const ids = expired.map(({ id }) => id).filter((id) => !pinned.has(id));
      if (ids.length === 0) break;
      await store.removeMessages(room.id, ids, clock.now() + WEEK_MS);
      removed.push(...ids);
      if (expired.length < PART) break;
    }
    if (removed.length === 0) return;
    log.info('messages were kept long enough', { room: room.slug, removed: removed.length });
    await writer.submit(announceFirstSeq(room.id, removed));
  }

  async #removeInvites(): Promise<void> {
    const { state, writer, clock } = this.#parts;
    const now = clock.now();
    const codes = [...state.all('invite').values()].filter((invite) => !isOpen(invite, now)).map(({ code }) => code);
    if (codes.length > 0) await writer.submit(forgetInvites(codes));
  }

  #hangingOn({ id, visibility }: Room): HangingRecords {
    const { state } = this.#parts;
    const keysOf = <T extends { readonly roomId: string | null }>(all: ReadonlyMap<string, T>) =>
      [...all].filter(([, value]) => value.roomId === id).map(([key]) => key);
    return {
      directKey: visibility === 'direct' ? keysOf(state.all('direct'))[0] : undefined,
      banKeys: keysOf(state.all('ban')),
      inviteCodes: keysOf(state.all('invite')),
      hookIds: keysOf(state.all('hook')),
      cardIds: keysOf(state.all('card')),
    };
  }
}

function forgetInvites(codes: readonly string[]): Change<null> {
  return {
    decide: () => ({
      ok: true,
      write: { records: codes.map((code) => record('invite', code, null)) },
      answer: () => null,
    }),
  };
}
