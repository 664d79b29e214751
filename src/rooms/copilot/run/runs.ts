import { StorageAwayError } from '../../../kernel/postgres/storage-error.ts';
import type { Committed } from '../../domain/event.ts';
import { accepted, type Outcome, type Refusal, refuse } from '../../domain/refusal.ts';
import { reasonToCancel } from '../../domain/run/cancellation.ts';
import {
  attemptOf,
  forgetCancellation,
  isOver,
  queueRun,
  type RunDraft,
  requestCancellation,
  usableCopilot,
} from '../../domain/run/change.ts';
import type { Run } from '../../domain/run/run.ts';
import type { Announcer, StreamingMessages } from '../../feed/live.ts';
import type { JobLease, Jobs } from '../../nodes/jobs.ts';
import type { Signals } from '../../nodes/signals.ts';
import { type RoomWriter, refuseAway } from '../../room/writer.ts';
import type { Commit, RoomStore } from '../../store/store.ts';
import { RunAudience, type RunWatcher } from './audience.ts';
import { RunStop } from './live-run.ts';
import { RunPieces } from './pieces.ts';
import type { ActiveRun } from './queues.ts';
import { RemoteRuns, withText } from './remote-runs.ts';
import { INTERRUPTED, RunWorker, type RunWorkerParts } from './worker.ts';

export interface CopilotRunsParts
  extends Omit<RunWorkerParts, 'audience' | 'pieces' | 'runningElsewhere' | 'lost' | 'jobs' | 'store'> {
  readonly store: Pick<RoomStore, 'run' | 'unfinishedRuns' | 'messages'>;
  readonly writer: RoomWriter;
  /** The streams of this node. */
  readonly feed: Announcer;
  readonly jobs: Jobs;
  /** `undefined`: there are no other nodes. */
  readonly signals: Signals | undefined;
}

/** A run is performed at most so often; then it counts as interrupted. */
const MAX_ATTEMPTS = 2;
/** While another node queues the same run. */
const LOOK_AGAIN_MS = 100;
/** The time a cancelled run on another node gets to end; longer than it takes to replace a lost node. */
const CANCEL_MS = 15_000;
/** Temporary refusals of a run. */
const BUSY = refuse('rate_limited', 'the queue of the copilot is full; try again in a moment', {
  retryAfterS: 5,
});
const CLOSED = refuse('shutting_down', 'the server is shutting down; try again', { retryAfterS: 1 });

/** The runs of copilots: queued and performed by one node each, followed and cancelled on every one. */
export class CopilotRuns implements StreamingMessages {
  readonly #parts: CopilotRunsParts;
  readonly #audience: RunAudience;
  readonly #remote: RemoteRuns;
  readonly #worker: RunWorker;
  readonly #claims = new Map<string, Promise<Outcome<Run>>>();
  /** Runs about to be queued: room id by run id. */
  readonly #claimed = new Map<string, string>();
  #stopLooking = () => {};
  #isClosed = false;

  constructor(parts: CopilotRunsParts) {
    const { clock, signals, feed } = parts;
    this.#parts = parts;
    this.#audience = new RunAudience(feed);
    const isOwn = (id: string) => this.#queues.get(id) !== undefined;
    this.#remote = new RemoteRuns({ ...parts, audience: this.#audience, isOwn });
    this.#worker = new RunWorker({
      ...parts,
      audience: this.#audience,
      pieces: new RunPieces((piece) => signals?.send({ type: 'piece', piece }), clock),
      runningElsewhere: (roomId) => this.#remote.of(roomId).filter(({ run }) => run.state === 'running').length,
      lost: ({ run, seq }) => this.#remote.see(run, seq),
    });
    signals?.listen((signal) => {
      if (signal.type === 'piece') this.#remote.hear(signal.piece);
    });
  }

  get #queues() {
    return this.#worker.queues;
  }

  /** Takes over the runs of an earlier process, and from then on those of lost nodes. */
  async recover(): Promise<void> {
    const takeOver = async () => {
      const runs = await this.#parts.store.unfinishedRuns();
      await Promise.all(runs.map((run) => this.#takeOver(run)));
    };
    await takeOver();
    this.#stopLooking = this.#parts.jobs.watch(takeOver);
  }

  counts(): { readonly running: number; readonly queued: number } {
    return this.#queues.counts();
  }

  /** Concurrent requests for the same run share one. */
  request(draft: RunDraft): Promise<Outcome<Run>> {
    const claimed = this.#claims.get(draft.id);
    if (claimed) return claimed;
    const claim = this.#request(draft).finally(() => this.#claims.delete(draft.id));
    this.#claims.set(draft.id, claim);
    return claim;
  }

  /** The run with its text so far; a finished one as stored. */
  async find(id: string): Promise<Run | undefined> {
    const active = this.#queues.get(id);
    if (active) return textOf(active);
    const run = await this.#parts.store.run(id);
    return run && !isOver(run) && this.#parts.jobs.isShared ? this.#remote.see(run) : run;
  }

  /** Cancels a run; resolves when it has ended. `undefined`: it is neither queued nor running. */
  async cancel(id: string): Promise<Outcome<Run> | undefined> {
    const active = this.#queues.get(id);
    const { isShared } = this.#parts.jobs;
    if (active) {
      this.#worker.stop(active, new RunStop('cancelled', 'it was cancelled'));
      const ended = await active.done;
      if (isOver(ended) || !isShared) return accepted(ended);
    }
    const run = isShared ? await this.find(id) : undefined;
    return run && !isOver(run) ? this.#cancelElsewhere(run) : undefined;
  }

  /** Reports a run to the watcher until its end; `undefined`: it has ended. `stop` ends the watch. */
  watch(id: string, watcher: RunWatcher): { readonly run: Run; readonly stop: () => void } | undefined {
    const active = this.#queues.get(id);
    const remote = this.#remote.get(id);
    const run = active ? textOf(active) : remote && withText(remote);
    return run && { run, stop: this.#audience.watch(id, watcher) };
  }

  streamingIn(roomId: string): ReturnType<StreamingMessages['streamingIn']> {
    const own = this.#queues.of(roomId).flatMap(({ run, live, seq }) => (live ? [{ run, seq, text: live.text }] : []));
    return [...own, ...this.#remote.of(roomId)].flatMap(({ run, seq, text }) => {
      const { id: runId, messageId } = run;
      return messageId !== null && !isOver(run) && seq > 0 ? [{ messageId, seq, runId, text }] : [];
    });
  }

  /** A listener to commits: runs whose reason is gone are cancelled. */
  readonly follow = (committed: readonly Committed[], commit: Commit): void => {
    if (commit.restart) this.#remote.clear();
    this.#remote.follow(committed, commit.isOwn);
    for (const { kind, key, value } of commit.records) {
      const active = kind === 'cancellation' && value !== null ? this.#queues.get(key) : undefined;
      if (active) this.#worker.stop(active, new RunStop('cancelled', 'it was cancelled'));
    }
    for (const { event } of committed) {
      if (event.type === 'room.deleted') this.#parts.health.forget(event.roomId);
      if (event.roomId === null) continue;
      if (event.type === 'run.finished') this.#settle(event.run);
      if (event.type === 'message.created' && event.message.run) this.#place(event.message.run.id, event.message.seq);
      for (const active of this.#queues.of(event.roomId)) {
        const words = reasonToCancel(event, active.run);
        if (words !== undefined) this.#worker.stop(active, new RunStop('cancelled', words));
      }
    }
  };

  /** Ends the runs of this node and keeps their text so far. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#stopLooking();
    await this.#worker.close();
  }

  async #request(draft: RunDraft): Promise<Outcome<Run>> {
    const { state } = this.#parts;
    if (this.#isClosed) return CLOSED;
    const known = await this.find(draft.id);
    if (known) return accepted(known);
    const copilot = usableCopilot(state.get('room', draft.roomId), draft.audience !== null);
    if (!copilot.ok) return copilot;
    const { limits } = copilot.value;
    const most =
      limits.concurrent > 0 && limits.queue > 0 ? limits.concurrent + limits.queue : Number.POSITIVE_INFINITY;
    const { length: elsewhere } = this.#remote.of(draft.roomId);
    const waiting = this.#queues.of(draft.roomId).length + elsewhere + this.#claimsOf(draft);
    if (waiting >= most) return BUSY;
    const resting = this.#resting(draft.roomId, copilot.value);
    if (resting) return resting;
    this.#claimed.set(draft.id, draft.roomId);
    return this.#queue(draft).finally(() => this.#claimed.delete(draft.id));
  }

  async #queue(draft: RunDraft): Promise<Outcome<Run>> {
    const { store } = this.#parts;
    const lease = await this.#hold(draft.id);
    if (!('fences' in lease)) return lease;
    const queued = await this.#worker.submit(queueRun(draft), lease);
    if (queued.ok) {
      this.#worker.add(queued.value.run, queued.value.reserved, lease);
      return accepted(queued.value.run);
    }
    await lease.release();
    // The run exists already, stored by another process or a moment ago.
    return (await store.run(draft.id).then((run) => run && accepted(run))) ?? queued;
  }

  /** The job of a new run; the run itself, if another node has queued it a moment ago. */
  async #hold(id: string): Promise<JobLease | Outcome<Run>> {
    const { jobs, clock } = this.#parts;
    try {
      // A lease ends, so this does too.
      while (!this.#isClosed) {
        const lease = await jobs.hold(jobOf(id));
        if (lease) return lease;
        const run = await this.find(id);
        if (run) return accepted(run);
        await new Promise<void>((done) => clock.after(LOOK_AGAIN_MS, done));
      }
    } catch (error) {
      if (error instanceof StorageAwayError) return refuseAway(error);
      throw error;
    }
    return CLOSED;
  }

  /** Goes on with an unfinished run that no node performs. */
  async #takeOver({ id }: Run): Promise<void> {
    const { state, store, jobs } = this.#parts;
    if (this.#queues.get(id) || this.#isClosed) return;
    const lease = await jobs.hold(jobOf(id));
    if (!lease) return;
    const run = await store.run(id);
    if (!run || isOver(run) || this.#isClosed) return lease.release();
    const copilot = usableCopilot(state.get('room', run.roomId), run.audience !== null);
    const isCancelled = state.get('cancellation', id) !== undefined;
    const mayRun = run.state === 'queued' || (jobs.isShared && attemptOf(run) < MAX_ATTEMPTS);
    if (mayRun && copilot.ok && !isCancelled) {
      this.#remote.forget(id);
      this.#worker.add(run, copilot.value.maxOutputTokens, lease, await this.#seqOf(run));
      return;
    }
    const error = isCancelled ? { code: 'cancelled', message: 'it was cancelled' } : INTERRUPTED;
    const ended = await this.#worker.end(run, lease, { state: isCancelled ? 'cancelled' : 'interrupted', error });
    if (!ended.ok) this.#parts.log.warn('the end of a run could not be written', { run: id, err: ended.reason });
    await lease.release();
  }

  async #seqOf({ messageId }: Run): Promise<number> {
    const [answer] = messageId === null ? [] : await this.#parts.store.messages([messageId]);
    return answer?.message.seq ?? 0;
  }

  /** The request is stored: if the node of the run is lost, the one that replaces it reads it. */
  async #cancelElsewhere(run: Run): Promise<Outcome<Run>> {
    const { store, writer, clock } = this.#parts;
    this.#remote.see(run);
    const ended = this.#remote.ended(run.id);
    const requested = await writer.submit(requestCancellation(run.id));
    if (!requested.ok) return requested;
    const current = await store.run(run.id);
    if (current && isOver(current)) {
      await writer.submit(forgetCancellation(run.id));
      return accepted(current);
    }
    const late = new Promise<Refusal>((resolve) => {
      clock.after(CANCEL_MS, () =>
        resolve(refuse('request_in_progress', 'the run will be cancelled; its node has not answered yet')),
      );
    });
    return Promise.race([ended.then(accepted), late]);
  }

  #claimsOf({ roomId }: RunDraft): number {
    return [...this.#claimed.values()].filter((claimed) => claimed === roomId).length;
  }

  #resting(roomId: string, copilot: { readonly provider: string }): Refusal | undefined {
    const { health, targets, clock } = this.#parts;
    const waitMs = health.closedForMs(targets.nameOf(roomId, copilot), clock.now());
    return waitMs === 0
      ? undefined
      : refuse('upstream_failed', 'the provider of the copilot has failed too often; try again in a moment', {
          retryAfterS: waitMs / 1000,
        });
  }

  /** A listener to its end must find the run ended. */
  #settle(run: Run): void {
    const active = this.#queues.get(run.id);
    if (active) active.run = run;
    // Another node's: a run of this one may have waited for it.
    else this.#worker.pump(run.roomId);
  }

  #place(runId: string, seq: number): void {
    const active = this.#queues.get(runId);
    if (active) active.seq = seq;
  }
}

const jobOf = (runId: string): string => `run/${runId}`;

const textOf = ({ run, live }: ActiveRun): Run => (live && !isOver(run) ? { ...run, text: live.text } : run);
