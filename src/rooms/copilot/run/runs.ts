import { messageOf } from '../../../kernel/errors.ts';
import { printDelta } from '../../contract/run.ts';
import type { Change } from '../../domain/change.ts';
import type { Committed } from '../../domain/event.ts';
import { accepted, type Outcome, type Refusal, refuse } from '../../domain/refusal.ts';
import { reasonToCancel } from '../../domain/run/cancellation.ts';
import {
  finishRun,
  isOver,
  noteRun,
  queueRun,
  type RunDraft,
  type RunEnd,
  startRun,
  usableCopilot,
} from '../../domain/run/change.ts';
import type { Run } from '../../domain/run/run.ts';
import type { Announcer, StreamingMessages } from '../../feed/live.ts';
import type { RoomState } from '../../room/state.ts';
import type { RoomWriter } from '../../room/writer.ts';
import type { RoomStore } from '../../store/store.ts';
import type { ModelHealth } from '../model/health.ts';
import { LiveRun, type LiveRunParts, RunStop } from './live-run.ts';
import { type ActiveRun, RunQueues } from './queues.ts';

export interface CopilotRunsParts extends Omit<LiveRunParts, 'publish' | 'save'> {
  readonly state: RoomState;
  readonly store: Pick<RoomStore, 'run' | 'unfinishedRuns'>;
  readonly writer: RoomWriter;
  readonly announcer: Announcer;
  readonly health: ModelHealth;
}

/** A follower of one run. */
export interface RunWatcher {
  delta(data: string): void;
  finished(run: Run): void;
}

/** A full disk is tried again after this time. */
const RETRY_FULL_MS = 1_000;
/** Temporary refusals of a run. */
const BUSY = refuse('rate_limited', 'the queue of the copilot is full; try again in a moment', {
  retryAfterS: 5,
});
const CLOSED = refuse('shutting_down', 'the server is shutting down; try again', { retryAfterS: 1 });

/** Queues runs by room, has them answered, and stores their progress and end. */
export class CopilotRuns implements StreamingMessages {
  readonly #parts: CopilotRunsParts;
  readonly #live: LiveRunParts;
  readonly #queues = new RunQueues();
  readonly #claims = new Map<string, Promise<Outcome<Run>>>();
  /** Runs about to be queued: room id by run id. */
  readonly #claimed = new Map<string, string>();
  readonly #watchers = new Map<string, Set<RunWatcher>>();
  readonly #ending = new Set<Promise<void>>();
  #isClosed = false;

  constructor(parts: CopilotRunsParts) {
    this.#parts = parts;
    this.#live = {
      ...parts,
      publish: (run, offset, text) => this.#publish(run, offset, text),
      save: (run) => this.#submit(noteRun(run)).then(() => {}),
    };
  }

  /** Ends the runs that an earlier process left running, and queues the ones that had not begun. */
  async recover(): Promise<void> {
    for (const run of await this.#parts.store.unfinishedRuns()) {
      const copilot = usableCopilot(this.#parts.state.get('room', run.roomId), run.audience !== null);
      if (run.state === 'queued' && copilot.ok) {
        this.#queues.add(run, copilot.value.maxOutputTokens);
        this.#pump(run.roomId);
      } else {
        const error = { code: 'interrupted', message: 'the server stopped while it was written' };
        const end: RunEnd = { ...NOTHING, state: 'interrupted', error, saw: run.saw, text: run.text ?? '' };
        await this.#submit(finishRun(run, end, this.#parts));
      }
    }
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
    return active ? withText(active) : this.#parts.store.run(id);
  }

  /** Cancels a run; resolves when it has ended. `undefined`: it is neither queued nor running. */
  cancel(id: string, words = 'it was cancelled'): Promise<Run> | undefined {
    const active = this.#queues.get(id);
    if (!active) return undefined;
    this.#stop(active, new RunStop('cancelled', words));
    return active.done;
  }

  /** Reports a run to the watcher until its end; `undefined`: it has ended. `stop` ends the watch. */
  watch(id: string, watcher: RunWatcher): { readonly run: Run; readonly stop: () => void } | undefined {
    const active = this.#queues.get(id);
    if (!active) return undefined;
    const watchers = this.#watchers.get(id) ?? new Set();
    this.#watchers.set(id, watchers.add(watcher));
    return { run: withText(active), stop: () => watchers.delete(watcher) };
  }

  streamingIn(roomId: string): ReturnType<StreamingMessages['streamingIn']> {
    return this.#queues.of(roomId).flatMap(({ run, live, seq }) => {
      const { id: runId, messageId } = run;
      return live && messageId !== null && !isOver(run) ? [{ messageId, seq, runId, text: live.text }] : [];
    });
  }

  /** A listener to commits: runs whose reason is gone are cancelled. */
  readonly follow = (committed: readonly Committed[]): void => {
    for (const { event } of committed) {
      if (event.type === 'room.deleted') this.#parts.health.forget(event.roomId);
      if (event.roomId === null) continue;
      if (event.type === 'run.finished') this.#settle(event.run);
      if (event.type === 'message.created' && event.message.run) this.#place(event.message.run.id, event.message.seq);
      for (const active of this.#queues.of(event.roomId)) {
        const words = reasonToCancel(event, active.run);
        if (words !== undefined) this.#stop(active, new RunStop('cancelled', words));
      }
    }
  };

  /** Ends all runs and keeps their text so far. */
  async close(): Promise<void> {
    this.#isClosed = true;
    for (const active of this.#queues.all()) {
      // Queued runs begin after the next start.
      if (active.run.state === 'queued' && this.#queues.withdraw(active)) this.#queues.remove(active);
      else this.#stop(active, new RunStop('interrupted', 'the server stopped while it was written'));
    }
    await Promise.all(this.#ending);
  }

  async #request(draft: RunDraft): Promise<Outcome<Run>> {
    const { state, store } = this.#parts;
    if (this.#isClosed) return CLOSED;
    const known = await this.find(draft.id);
    if (known) return accepted(known);
    const copilot = usableCopilot(state.get('room', draft.roomId), draft.audience !== null);
    if (!copilot.ok) return copilot;
    const { limits } = copilot.value;
    const most =
      limits.concurrent > 0 && limits.queue > 0 ? limits.concurrent + limits.queue : Number.POSITIVE_INFINITY;
    const waiting = this.#queues.of(draft.roomId).length + this.#claimsOf(draft);
    if (waiting >= most) return BUSY;
    const resting = this.#resting(draft.roomId, copilot.value);
    if (resting) return resting;
    this.#claimed.set(draft.id, draft.roomId);
    const queued = await this.#submit(queueRun(draft)).finally(() => this.#claimed.delete(draft.id));
    // The run exists already, stored by another process or a moment ago.
    if (!queued.ok) return (await store.run(draft.id).then((run) => run && accepted(run))) ?? queued;
    this.#queues.add(queued.value.run, queued.value.reserved);
    this.#pump(draft.roomId);
    return accepted(queued.value.run);
  }

  #claimsOf({ roomId }: RunDraft): number {
    let count = 0;
    for (const claimed of this.#claimed.values()) if (claimed === roomId) count++;
    return count;
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

  #pump(roomId: string): void {
    if (this.#isClosed) return;
    const concurrent = this.#parts.state.get('room', roomId)?.copilot?.limits.concurrent ?? 1;
    for (;;) {
      const active = this.#queues.next(roomId, concurrent);
      if (!active) return;
      this.#track(this.#perform(active));
    }
  }

  #track(work: Promise<void>): void {
    const tracked = work
      .catch((error: unknown) => this.#parts.log.error('a copilot run failed', { err: messageOf(error) }))
      .finally(() => this.#ending.delete(tracked));
    this.#ending.add(tracked);
  }

  async #perform(active: ActiveRun): Promise<void> {
    const { state } = this.#parts;
    const { run } = active;
    try {
      const room = state.get('room', run.roomId);
      const copilot = usableCopilot(room, run.audience !== null);
      if (!copilot.ok || !room) return await this.#giveUp(active, copilot.ok ? 'the room is gone' : copilot.reason);
      const model = copilot.value.model ?? state.get('provider', copilot.value.provider)?.model ?? run.provider;
      const started = await this.#submit(startRun(run, model, this.#parts));
      if (!started.ok) return await this.#giveUp(active, started.reason);
      active.run = started.value;
      const task = { run: active.run, room, copilot: copilot.value, reserved: active.reserved };
      active.live = new LiveRun(task, active.abort, this.#live);
      const end = await active.live.perform();
      this.#noteHealth(active.run, this.#parts.targets.nameOf(room.id, copilot.value), end);
      await this.#finish(active, end);
    } finally {
      this.#release(active);
    }
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
    const write = () => this.#submit(finishRun(active.run, end, this.#parts));
    let finished = await write();
    // An unfinished message would look as if it were still being written.
    while (!finished.ok && finished.code === 'storage_full' && !this.#isClosed) {
      await new Promise<void>((resolve) => this.#parts.clock.after(RETRY_FULL_MS, resolve));
      finished = await write();
    }
    if (finished.ok) active.run = finished.value;
    else this.#parts.log.warn('the end of a run could not be written', { run: active.run.id, err: finished.reason });
  }

  #release(active: ActiveRun): void {
    const { run, live } = active;
    this.#queues.remove(active);
    active.settle(run);
    const whole = { ...run, text: run.text ?? live?.text ?? null };
    for (const watcher of this.#watchers.get(run.id) ?? []) watcher.finished(whole);
    this.#watchers.delete(run.id);
    this.#pump(run.roomId);
  }

  /** A listener to its end must find the run ended. */
  #settle(run: Run): void {
    const active = this.#queues.get(run.id);
    if (active) active.run = run;
  }

  #place(runId: string, seq: number): void {
    const active = this.#queues.get(runId);
    if (active) active.seq = seq;
  }

  #stop(active: ActiveRun, stop: RunStop): void {
    if (!active.abort.signal.aborted) active.abort.abort(stop);
    if (!this.#queues.withdraw(active)) return;
    this.#track(this.#giveUp(active, stop.message).finally(() => this.#release(active)));
  }

  #publish(run: Run, offset: number, text: string): void {
    const { id: runId, roomId, messageId, audience } = run;
    const data = printDelta({ roomId, messageId, runId, offset, text });
    const whom = audience === null ? { seq: this.#queues.get(runId)?.seq ?? 0 } : { audience };
    this.#parts.announcer.announce({ type: 'message.delta', roomId, data, ...whom });
    for (const watcher of this.#watchers.get(runId) ?? []) watcher.delta(data);
  }

  /** A change that throws counts as refused, so that the run still ends. */
  async #submit<T>(change: Change<T>): Promise<Outcome<T>> {
    try {
      return await this.#parts.writer.submit(change);
    } catch (error) {
      this.#parts.log.error('a run could not be written', { err: messageOf(error) });
      return refuse('internal', 'internal error; see the log of the server');
    }
  }
}

const NOTHING = { text: '', finishReason: null, usage: null, error: null, saw: [], cost: null } as const;

function withText({ run, live }: ActiveRun): Run {
  return live && !isOver(run) ? { ...run, text: live.text } : run;
}
