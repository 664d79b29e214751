import type { Run } from '../../domain/run/run.ts';
import type { JobLease } from '../../nodes/jobs.ts';
import type { LiveRun } from './live-run.ts';

/** A run that is queued or running. */
export interface ActiveRun {
  run: Run;
  /** Of its message; 0 before the message is placed. */
  seq: number;
  /** Tokens reserved for it. */
  readonly reserved: number;
  readonly lease: JobLease;
  /** Aborted with a RunStop. */
  readonly abort: AbortController;
  live: LiveRun | undefined;
  /** Resolves with the run when it has ended. */
  readonly done: Promise<Run>;
  readonly settle: (run: Run) => void;
}

/** The queued and running runs of one room. */
interface RoomQueue {
  readonly waiting: ActiveRun[];
  readonly running: Set<ActiveRun>;
}

/** The queues of runs, by room. */
export class RunQueues {
  readonly #queues = new Map<string, RoomQueue>();
  readonly #byId = new Map<string, ActiveRun>();

  get(id: string): ActiveRun | undefined {
    return this.#byId.get(id);
  }

  all(): readonly ActiveRun[] {
    return [...this.#byId.values()];
  }

  of(roomId: string): readonly ActiveRun[] {
    const queue = this.#queues.get(roomId);
    return queue ? [...queue.running, ...queue.waiting] : [];
  }

  counts(): { readonly running: number; readonly queued: number } {
    let running = 0;
    for (const queue of this.#queues.values()) running += queue.running.size;
    return { running, queued: this.#byId.size - running };
  }

  add(run: Run, reserved: number, lease: JobLease): ActiveRun {
    let settle: ActiveRun['settle'] = () => {};
    const done = new Promise<Run>((resolve) => {
      settle = resolve;
    });
    const abort = new AbortController();
    const active: ActiveRun = { run, seq: 0, reserved, lease, abort, live: undefined, done, settle };
    const queue = this.#queues.get(run.roomId) ?? { waiting: [], running: new Set() };
    this.#queues.set(run.roomId, queue);
    queue.waiting.push(active);
    this.#byId.set(run.id, active);
    return active;
  }

  /** Starts the next run of a room, in which at most `most` may run at once. */
  next(roomId: string, most: number): ActiveRun | undefined {
    const queue = this.#queues.get(roomId);
    if (!queue || queue.running.size >= most) return undefined;
    const active = queue.waiting.shift();
    if (active) queue.running.add(active);
    return active;
  }

  /** Takes a queued run out of the queue; `false`: it runs already. */
  withdraw(active: ActiveRun): boolean {
    const queue = this.#queues.get(active.run.roomId);
    const index = queue?.waiting.indexOf(active) ?? -1;
    if (index === -1) return false;
    queue?.waiting.splice(index, 1);
    queue?.running.add(active);
    return true;
  }

  remove(active: ActiveRun): void {
    const { id, roomId } = active.run;
    const queue = this.#queues.get(roomId);
    this.#byId.delete(id);
    queue?.running.delete(active);
    if (queue?.running.size === 0 && queue.waiting.length === 0) this.#queues.delete(roomId);
  }
}
