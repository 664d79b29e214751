import { messageOf } from '../../../kernel/errors.ts';
import { StorageAwayError } from '../../../kernel/postgres/storage-error.ts';
import type { Change } from '../../domain/change.ts';
import { type Outcome, type Refusal, refuse } from '../../domain/refusal.ts';
import {
  finishRun,
  isOver,
  noteRun,
  type RunEnd,
  restartRun,
  startRun,
  usableCopilot,
} from '../../domain/run/change.ts';
import type { Run } from '../../domain/run/run.ts';
import type { JobLease, Jobs } from '../../nodes/jobs.ts';
import type { RoomState } from '../../room/state.ts';
import type { RoomWriter } from '../../room/writer.ts';
import type { RoomStore } from '../../store/store.ts';
import type { ModelHealth } from '../model/health.ts';
import type { RunAudience } from './audience.ts';
import { LiveRun, type LiveRunParts, RunStop } from './live-run.ts';
import type { RunPieces } from './pieces.ts';
import { type ActiveRun, RunQueues } from './queues.ts';

export interface RunWorkerParts extends Omit<LiveRunParts, 'publish' | 'save'> {
  readonly state: RoomState;
  readonly store: Pick<RoomStore, 'run'>;
  readonly writer: Pick<RoomWriter, 'submit'>;
  readonly health: ModelHealth;
  readonly jobs: Pick<Jobs, 'isShared'>;
  readonly audience: RunAudience;
  readonly pieces: RunPieces;
  /** Runs of a room that other nodes perform now. */
  readonly runningElsewhere: (roomId: string) => number;
  /** Another node goes on with the run. */
  readonly lost: (active: ActiveRun) => void;
}

/** A write is tried again after this time. */
const RETRY_MS = 1_000;

export const INTERRUPTED = { code: 'interrupted', message: 'the server stopped while it was written' } as const;
const NOTHING = { text: '', finishReason: null, usage: null, error: null, saw: [], cost: null } as const;

/** Performs the runs of this node: one after the other, or a few at once, in each room. */
export class RunWorker {
  readonly queues = new RunQueues();
  readonly #parts: RunWorkerParts;
  readonly #live: Omit<LiveRunParts, 'publish' | 'save'>;
  readonly #ending = new Set<Promise<void>>();
  #isClosed = false;

  constructor(parts: RunWorkerParts) {
    this.#parts = parts;
    this.#live = parts;
  }

  /** A queued run, or one that is started again. `reserved`: tokens. */
  add(run: Run, reserved: number, lease: JobLease, seq = 0): void {
    const active = this.queues.add(run, reserved, lease);
    active.seq = seq;
    lease.lost.addEventListener('abort', () => this.stop(active, new RunStop('interrupted', 'its node was lost')));
    this.pump(run.roomId);
  }

  /** Starts what may run now in a room. */
  pump(roomId: string): void {
    if (this.#isClosed) return;
    const { state, runningElsewhere } = this.#parts;
    const { concurrent = 1 } = state.get('room', roomId)?.copilot?.limits ?? {};
    const most = concurrent > 0 ? concurrent - runningElsewhere(roomId) : Number.POSITIVE_INFINITY;
    for (;;) {
      const active = this.queues.next(roomId, most);
      if (!active) return;
      this.#track(this.#perform(active));
    }
  }

  stop(active: ActiveRun, stop: RunStop): void {
    if (!active.abort.signal.aborted) active.abort.abort(stop);
    if (!this.queues.withdraw(active)) return;
    this.#track(this.#giveUp(active, stop.message).finally(() => this.#release(active)));
  }

  /** Ends an unfinished run that is not performed any more, with its stored text. */
  end(run: Run, lease: JobLease, end: Pick<RunEnd, 'state' | 'error'>): Promise<Outcome<Run>> {
    const whole: RunEnd = { ...NOTHING, ...end, saw: run.saw, text: run.text ?? '' };
    return this.submit(finishRun(run, whole, this.#parts), lease);
  }

  /** Ends all runs and keeps their text so far; queued ones are left to the next start, or another node. */
  async close(): Promise<void> {
    this.#isClosed = true;
    for (const active of this.queues.all()) {
      if (active.run.state === 'queued' && this.queues.withdraw(active)) {
        this.queues.remove(active);
        this.#track(active.lease.release());
      } else this.stop(active, new RunStop('interrupted', INTERRUPTED.message));
    }
    await Promise.all(this.#ending);
  }

  /** Writes under the lease of a run. A change that throws counts as refused, so that the run still ends. */
  async submit<T>(change: Change<T>, { fences }: JobLease): Promise<Outcome<T>> {
    try {
      return await this.#parts.writer.submit({ ...change, fences });
    } catch (error) {
      this.#parts.log.error('a run could not be written', { err: messageOf(error) });
      return refuse('internal', 'internal error; see the log of the server');
    }
  }

  #track(work: Promise<void>): void {
    const tracked = work
      .catch((error: unknown) => this.#parts.log.error('a copilot run failed', { err: messageOf(error) }))
      .finally(() => this.#ending.delete(tracked));
    this.#ending.add(tracked);
  }

  async #perform(active: ActiveRun): Promise<void> {
    const { state, targets } = this.#parts;
    const { run, lease } = active;
    try {
      const room = state.get('room', run.roomId);
      const copilot = usableCopilot(room, run.audience !== null);
      if (!copilot.ok || !room) return await this.#giveUp(active, copilot.ok ? 'the room is gone' : copilot.reason);
      const model = copilot.value.model ?? state.get('provider', copilot.value.provider)?.model ?? run.provider;
      const isNew = run.state === 'queued';
      const started = await this.submit(isNew ? startRun(run, model, this.#parts) : restartRun(run, model), lease);
      if (!started.ok) return this.#isAnothers(started) ? undefined : await this.#giveUp(active, started.reason);
      active.run = started.value;
      if (!isNew) this.#clearText(active);
      const task = { run: active.run, room, copilot: copilot.value, reserved: active.reserved };
      active.live = new LiveRun(task, active.abort, this.#liveParts(active));
      const end = await active.live.perform();
      this.#noteHealth(active.run, targets.nameOf(room.id, copilot.value), end);
      await this.#finish(active, end);
    } finally {
      this.#release(active);
    }
  }

  /** Without an answer of PostgreSQL the run is left to the next look for unfinished ones. */
  #isAnothers({ code }: Refusal): boolean {
    return code === 'lease_lost' || (code === 'storage_unavailable' && this.#parts.jobs.isShared);
  }

  #liveParts(active: ActiveRun): LiveRunParts {
    const { audience, pieces } = this.#parts;
    return {
      ...this.#live,
      publish: (run, offset, text) => {
        // After a suspension another node may be writing this text.
        if (!active.lease.isHeld) return;
        audience.publish(run, active.seq, offset, text);
        pieces.add(run, active.seq, offset, text);
      },
      save: (run) => this.submit(noteRun(run), active.lease).then(() => {}),
    };
  }

  #clearText({ run, seq }: ActiveRun): void {
    this.#parts.audience.replace(run, seq, '');
    this.#parts.pieces.add(run, seq, 0, '');
  }

  #noteHealth({ roomId }: Run, target: string, { state, error }: RunEnd): void {
    const { health, clock } = this.#parts;
    if (state === 'complete') health.report(roomId, target, null, clock.now());
    else if (error && (state === 'failed' || state === 'timed_out')) health.report(roomId, target, error, clock.now());
  }

  /** A run that has not begun ends without a message. */
  #giveUp(active: ActiveRun, message: string): Promise<void> {
    const cost = { reserved: active.reserved, spent: 0 };
    return this.#finish(active, { ...NOTHING, cost, state: 'cancelled', error: { code: 'cancelled', message } });
  }

  async #finish(active: ActiveRun, end: RunEnd): Promise<void> {
    const { clock, log } = this.#parts;
    for (;;) {
      const finished = await this.submit(finishRun(active.run, end, this.#parts), active.lease);
      if (finished.ok) active.run = finished.value;
      if (finished.ok || finished.code === 'lease_lost') return;
      // An unfinished message would look as if it were still being written.
      const isUnsure = finished.code === 'storage_unavailable' && this.#parts.jobs.isShared;
      if (this.#isClosed || !(isUnsure || finished.code === 'storage_full'))
        return log.warn('the end of a run could not be written', { run: active.run.id, err: finished.reason });
      if (isUnsure && !(await this.#isUnwritten(active))) return;
      await new Promise<void>((resolve) => clock.after(RETRY_MS, resolve));
    }
  }

  /** After a write without an answer. False also if the run is another node's now. */
  async #isUnwritten(active: ActiveRun): Promise<boolean> {
    while (await active.lease.settle()) {
      try {
        const stored = await this.#parts.store.run(active.run.id);
        if (stored && isOver(stored)) active.run = stored;
        return !isOver(active.run);
      } catch (error) {
        if (!(error instanceof StorageAwayError)) throw error;
      }
    }
    return false;
  }

  #release(active: ActiveRun): void {
    const { run, live, lease } = active;
    const { jobs, audience, pieces, lost } = this.#parts;
    this.queues.remove(active);
    pieces.end(run.id);
    this.#track(lease.release());
    if (isOver(run) || !jobs.isShared) audience.finish({ ...run, text: run.text ?? live?.text ?? null });
    else lost(active);
    active.settle(run);
    this.pump(run.roomId);
  }
}
