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
interface Lane {
  readonly waiting: ActiveRun[];
  readonly running: Set<ActiveRun>;
}

/** Who is next, room by room. */
export class RunLanes {
  readonly #lanes = new Map<string, Lane>();
  readonly #byId = new Map<string, ActiveRun>();

  get(id: string): ActiveRun | undefined {
    return this.#byId.get(id);
  }

  all(): readonly ActiveRun[] {
    return [...this.#byId.values()];
  }

  of(roomId: string): readonly ActiveRun[] {
    const lane = this.#lanes.get(roomId);
    return lane ? [...lane.running, ...lane.waiting] : [];
  }

  counts(): { readonly running: number; readonly queued: number } {
    let running = 0;
    for (const lane of this.#lanes.values()) running += lane.running.size;
    return { running, queued: this.#byId.size - running };
  }

  add(run: Run, reserved: number): ActiveRun {
    let settle: ActiveRun['settle'] = () => {};
    const done = new Promise<Run>((resolve) => {
      settle = resolve;
    });
    const active: ActiveRun = { run, seq: 0, reserved, abort: new AbortController(), live: undefined, done, settle };
    const lane = this.#lanes.get(run.roomId) ?? { waiting: [], running: new Set() };
    this.#lanes.set(run.roomId, lane);
    lane.waiting.push(active);
    this.#byId.set(run.id, active);
    return active;
  }

  /** The next one of a room, which has its turn from now on. `concurrent`: how many may have theirs; 0 is all. */
  next(roomId: string, concurrent: number): ActiveRun | undefined {
    const lane = this.#lanes.get(roomId);
    if (!lane || (concurrent > 0 && lane.running.size >= concurrent)) return undefined;
    const active = lane.waiting.shift();
    if (active) lane.running.add(active);
    return active;
  }

  /** Takes one that waits out of the queue; `false`: it has its turn already. */
  withdraw(active: ActiveRun): boolean {
    const lane = this.#lanes.get(active.run.roomId);
    const index = lane?.waiting.indexOf(active) ?? -1;
    if (index === -1) return false;
    lane?.waiting.splice(index, 1);
    lane?.running.add(active);
    return true;
  }

  remove(active: ActiveRun): void {
    const { id, roomId } = active.run;
    const lane = this.#lanes.get(roomId);
    this.#byId.delete(id);
    lane?.running.delete(active);
    if (lane?.running.size === 0 && lane.waiting.length === 0) this.#lanes.delete(roomId);
  }
}
