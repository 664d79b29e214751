import type { Run } from '../../domain/run/run.ts';
import type { LiveRun } from './live-run.ts';

/** A run that waits or is under way. */
export interface ActiveRun {
  run: Run;
  /** Of the message that it writes; 0 before that has its place. */
  seq: number;
  /** Tokens that were set aside for it. */
  readonly reserved: number;
  /** Its reason is a RunStop. */
  readonly abort: AbortController;
  live: LiveRun | undefined;
  /** Resolves with the run when it has ended. */
  readonly done: Promise<Run>;
  readonly settle: (run: Run) => void;
}

/** The runs of one room: those that wait for their turn, and those that have it. */
interface RoomQueue {
  readonly waiting: ActiveRun[];
  readonly running: Set<ActiveRun>;
}

/** Who is next, room by room. */
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

  add(run: Run, reserved: number): ActiveRun {
    let settle: ActiveRun['settle'] = () => {};
    const done = new Promise<Run>((resolve) => {
      settle = resolve;
    });
    const active: ActiveRun = { run, seq: 0, reserved, abort: new AbortController(), live: undefined, done, settle };
    const queue = this.#queues.get(run.roomId) ?? { waiting: [], running: new Set() };
    this.#queues.set(run.roomId, queue);
    queue.waiting.push(active);
    this.#byId.set(run.id, active);
    return active;
  }

  /** The next one of a room, which has its turn from now on. `concurrent`: how many may have theirs; 0 is all. */
  next(roomId: string, concurrent: number): ActiveRun | undefined {
    const queue = this.#queues.get(roomId);
    if (!queue || (concurrent > 0 && queue.running.size >= concurrent)) return undefined;
    const active = queue.waiting.shift();
    if (active) queue.running.add(active);
    return active;
  }

  /** Takes one that waits out of the queue; `false`: it has its turn already. */
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
