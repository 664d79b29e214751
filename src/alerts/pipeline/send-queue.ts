import type { CancelTimer, Clock } from '../../kernel/clock.ts';

/** Maximum concurrent first attempts per receiver. */
const MAX_FIRST_ATTEMPTS = 128;
/** A send older than this no longer counts against the limit. */
const FIRST_ATTEMPT_MS = 1_000;
/** Maximum sends begun per turn of the event loop, so that answers are read in between. */
const MAX_BEGINNING = 8;
/** Begun entries that may stay at the front of `waiting` before it is compacted. */
const MAX_BEGUN = 1_000;

export interface SendQueueParts {
  readonly clock: Clock;
  /** Commits what the sends of this turn have prepared. */
  readonly commit: () => void;
}

/** A send waiting for its turn. */
export interface Queued {
  /** Called when its turn comes. What it writes is committed before any send of the same turn. */
  prepare(): void;
  /** Calls `leave` when its first attempt has ended; the end of the send counts as well. */
  send(leave: () => void): Promise<void>;
}

interface ReceiverQueue {
  readonly name: string;
  /** Begun sends are undefined. */
  readonly waiting: (Queued | undefined)[];
  /** The number of begun sends at the front of `waiting`. */
  begun: number;
  inFirstAttempt: number;
}

/**
 * Paces what is sent: nothing while flushes are due, a few sends per turn of the event loop, and a bounded number of
 * concurrent first attempts per receiver. Receivers take turns; the sends of one begin in order.
 */
export class SendQueue {
  readonly #parts: SendQueueParts;
  readonly #byName = new Map<string, ReceiverQueue>();
  /** Queues with a send that may begin, in the order of their turns. */
  #ready = new Set<ReceiverQueue>();
  #isHeld = false;
  #immediate: NodeJS.Immediate | undefined;

  constructor(parts: SendQueueParts) {
    this.#parts = parts;
  }

  /** Sends when its turn comes. `name` is the receiver's. */
  enter(name: string, queued: Queued): void {
    let queue = this.#byName.get(name);
    if (!queue) {
      queue = { name, waiting: [], begun: 0, inFirstAttempt: 0 };
      this.#byName.set(name, queue);
    }
    queue.waiting.push(queued);
    this.#look(queue);
  }

  /** No send begins until `release`. */
  hold(): void {
    this.#isHeld = true;
  }

  /** Waiting sends begin, the first of them at once. */
  release(): void {
    this.#isHeld = false;
    this.#beginSome();
  }

  /** Marks a queue as ready or not; drops it when it is empty. */
  #look(queue: ReceiverQueue): void {
    if (queue.begun === queue.waiting.length) {
      this.#ready.delete(queue);
      if (queue.inFirstAttempt === 0) this.#byName.delete(queue.name);
    } else if (queue.inFirstAttempt < MAX_FIRST_ATTEMPTS) {
      this.#ready.add(queue);
      this.#soon();
    } else {
      this.#ready.delete(queue);
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
    const beginning: (readonly [Queued, ReceiverQueue])[] = [];
    for (const queue of this.#ready) {
      if (beginning.length === MAX_BEGINNING) break;
      beginning.push([takeFirst(queue), queue]);
      queue.inFirstAttempt++;
      // Its next turn comes after all others.
      this.#ready.delete(queue);
      this.#look(queue);
    }
    if (beginning.length === 0) return;
    for (const [queued] of beginning) queued.prepare();
    this.#parts.commit();
    for (const [queued, queue] of beginning) {
      const leave = this.#countFirstAttempt(queue);
      queued.send(leave).then(leave, leave);
    }
  }

  #countFirstAttempt(queue: ReceiverQueue): () => void {
    let cancel: CancelTimer | undefined;
    const leave = () => {
      if (!cancel) return;
      cancel();
      cancel = undefined;
      queue.inFirstAttempt--;
      this.#look(queue);
    };
    cancel = this.#parts.clock.after(FIRST_ATTEMPT_MS, leave);
    return leave;
  }
}

function takeFirst(queue: ReceiverQueue): Queued {
  const first = queue.waiting[queue.begun] as Queued;
  queue.waiting[queue.begun++] = undefined;
  // In batches: removing one entry moves all behind it.
  if (queue.begun === queue.waiting.length || queue.begun === MAX_BEGUN) {
    queue.waiting.splice(0, queue.begun);
    queue.begun = 0;
  }
  return first;
}
