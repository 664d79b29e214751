import type { CancelTimer, Clock } from '../../kernel/clock.ts';

/** So many of a lane may be in their first attempt at once. */
const MAX_YOUNG = 128;
/** Whoever takes longer waits for a slow receiver, and holds up nobody behind it. */
const YOUNG_MS = 1_000;
/** So many at most begin in one turn of the event loop, then answers that have come in have theirs. */
const MAX_IN_TURN = 8;
/** So many that have begun stay in the list of those who wait. */
const MAX_LEFT_BEHIND = 1_000;

export interface SendQueueParts {
  readonly clock: Clock;
  /** Lets all last that those who begin have prepared in this turn. */
  readonly commit: () => void;
}

/** What waits for its turn. */
export interface Queued {
  /** Called when its turn has come. What it writes is committed before anything of the same turn is sent. */
  prepare(): void;
  /** Calls `leave` when its first attempt has ended; at the latest its own end does. */
  send(leave: () => void): Promise<void>;
}

interface Lane {
  readonly name: string;
  /** Without those who have begun. */
  readonly waiting: (Queued | undefined)[];
  /** How many places at the beginning of `waiting` are empty. */
  begun: number;
  young: number;
}

/**
 * Paces what is sent: nothing while flushes are due, a few in each turn of the event loop, and a bounded number at a
 * time of each lane. Lanes take turns; within one, who came first begins first.
 */
export class SendQueue {
  readonly #parts: SendQueueParts;
  readonly #byName = new Map<string, Lane>();
  /** Those in which somebody waits who may begin; the next to have its turn stands first. */
  #ready = new Set<Lane>();
  #isHeld = false;
  #immediate: NodeJS.Immediate | undefined;

  constructor(parts: SendQueueParts) {
    this.#parts = parts;
  }

  /** Sends when it is its turn. */
  enter(name: string, queued: Queued): void {
    let lane = this.#byName.get(name);
    if (!lane) {
      lane = { name, waiting: [], begun: 0, young: 0 };
      this.#byName.set(name, lane);
    }
    lane.waiting.push(queued);
    this.#look(lane);
  }

  /** Nobody begins until `release`. */
  hold(): void {
    this.#isHeld = true;
  }

  /** Those who wait begin, the first of them at once. */
  release(): void {
    this.#isHeld = false;
    this.#beginSome();
  }

  /** Whether it is a lane's turn, or nobody is in it any more. */
  #look(lane: Lane): void {
    if (lane.begun === lane.waiting.length) {
      this.#ready.delete(lane);
      if (lane.young === 0) this.#byName.delete(lane.name);
    } else if (lane.young < MAX_YOUNG) {
      this.#ready.add(lane);
      this.#soon();
    } else {
      this.#ready.delete(lane);
    }
  }

  #soon(): void {
    if (this.#immediate || this.#isHeld) return;
    this.#immediate = setImmediate(() => {
      this.#immediate = undefined;
      this.#beginSome();
    });
  }

  #beginSome(): void {
    if (this.#isHeld) return;
    const beginning: (readonly [Queued, Lane])[] = [];
    for (const lane of this.#ready) {
      if (beginning.length === MAX_IN_TURN) break;
      beginning.push([takeFirst(lane), lane]);
      lane.young++;
      // Comes again behind all others.
      this.#ready.delete(lane);
      this.#look(lane);
    }
    if (beginning.length === 0) return;
    for (const [queued] of beginning) queued.prepare();
    this.#parts.commit();
    for (const [queued, lane] of beginning) {
      const leave = this.#growOld(lane);
      queued.send(leave).then(leave, leave);
    }
  }

  #growOld(lane: Lane): () => void {
    let cancel: CancelTimer | undefined;
    const leave = () => {
      if (!cancel) return;
      cancel();
      cancel = undefined;
      lane.young--;
      this.#look(lane);
    };
    cancel = this.#parts.clock.after(YOUNG_MS, leave);
    return leave;
  }
}

function takeFirst(lane: Lane): Queued {
  const first = lane.waiting[lane.begun] as Queued;
  lane.waiting[lane.begun++] = undefined;
  // Not one by one: each would move all behind it.
  if (lane.begun === lane.waiting.length || lane.begun === MAX_LEFT_BEHIND) {
    lane.waiting.splice(0, lane.begun);
    lane.begun = 0;
  }
  return first;
}
