import { ArrayText } from './array-text.ts';
import type { EventArray } from './event-array.ts';

/** The events of one post. */
export interface EventBatch {
  /** A JSON array. */
  readonly body: Buffer;
  readonly count: number;
}

/** Memory limit shared by several queues and their deliveries in progress. */
export class ByteBudget {
  #left: number;

  constructor(bytes: number) {
    this.#left = bytes;
  }

  /** Reserves these bytes; false and none if too few are left. */
  take(bytes: number): boolean {
    if (bytes > this.#left) return false;
    this.hold(bytes);
    return true;
  }

  /** Reserves bytes that are already in use, even beyond the limit. */
  hold(bytes: number): void {
    this.#left -= bytes;
  }

  release(bytes: number): void {
    this.#left += bytes;
  }
}

export interface EventQueueLimits {
  readonly events: number;
  readonly budget: ByteBudget;
  /** Called when something is dropped. */
  readonly onFull: () => void;
}

/** Queues events until the next flush. */
export interface EventOutbox {
  /** Adds events of `schema`. Returns the number of dropped ones. */
  accept(events: EventArray, schema: number): number;
  /** Removes and returns all events; undefined if there are none. */
  take(): EventBatch | undefined;
  /** Number of queued events. */
  readonly pending: number;
}

/** Keeps the events of posts as received, byte for byte. */
export class EventQueue implements EventOutbox {
  readonly #limits: EventQueueLimits;
  #text = new ArrayText();
  #count = 0;
  #bytes = 0;

  constructor(limits: EventQueueLimits) {
    this.#limits = limits;
  }

  get pending(): number {
    return this.#count;
  }

  accept(events: EventArray): number {
    const { count } = events;
    if (count === 0) return 0;
    const fitting = Math.min(count, this.#room());
    if (fitting < count) this.#limits.onFull();
    return fitting > 0 && this.#push(events.first(fitting), fitting) ? count - fitting : count;
  }

  /** Adds one event as JSON text; false if the queue is full. */
  push(event: string): boolean {
    if (this.#room() > 0) return this.#push(Buffer.from(event), 1);
    this.#limits.onFull();
    return false;
  }

  /** Removes and returns all events, with `last` appended regardless of the capacity. */
  take(last?: string): EventBatch | undefined {
    if (last !== undefined) {
      const event = Buffer.from(last);
      this.#limits.budget.hold(event.length);
      this.#add(event, 1);
    }
    if (this.#count === 0) return undefined;
    const batch = { body: this.#text.end(), count: this.#count };
    this.#limits.budget.release(this.#bytes);
    this.#text = new ArrayText();
    this.#count = 0;
    this.#bytes = 0;
    return batch;
  }

  /** Number of events that still fit. */
  #room(): number {
    return this.#limits.events - this.#count;
  }

  #push(events: Buffer, count: number): boolean {
    if (!this.#limits.budget.take(events.length)) {
      this.#limits.onFull();
      return false;
    }
    this.#add(events, count);
    return true;
  }

  #add(events: Buffer, count: number): void {
    this.#text.add(events);
    this.#count += count;
    this.#bytes += events.length;
  }
}
