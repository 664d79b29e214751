import type { Json } from '../domain/json.ts';

/** Events that go out in one post. */
export interface EventBatch {
  /** A JSON array. */
  readonly body: Buffer;
  readonly count: number;
}

/** Memory that several queues share, and what they have sent and is still on its way. */
export class ByteBudget {
  #left: number;

  constructor(bytes: number) {
    this.#left = bytes;
  }

  /** Takes as many bytes, or none. */
  take(bytes: number): boolean {
    if (bytes > this.#left) return false;
    this.hold(bytes);
    return true;
  }

  /** Takes them even where there are too few: they are spent already. */
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
  /** Is told when there is no room for something. */
  readonly onFull: () => void;
}

/** Where events wait for the next flush. */
export interface EventOutbox {
  /** Takes events, `text` being what they were read from and `schema` what they are written in. Returns how many it did not. */
  accept(events: readonly Json[], text: Buffer, schema: number): number;
  /** Empties it; undefined when there is nothing. */
  take(): EventBatch | undefined;
  /** Events that wait. */
  readonly pending: number;
}

const COMMA = Buffer.from(',');

/** Keeps events as the very bytes that came. */
export class EventQueue implements EventOutbox {
  readonly #limits: EventQueueLimits;
  #chunks: Buffer[] = [];
  #count = 0;
  #bytes = 0;

  constructor(limits: EventQueueLimits) {
    this.#limits = limits;
  }

  get pending(): number {
    return this.#count;
  }

  accept(events: readonly Json[], text: Buffer): number {
    if (events.length === 0) return 0;
    const room = this.#room();
    if (events.length <= room) return this.#push(elementsOf(text), events.length) ? 0 : events.length;
    this.#limits.onFull();
    const fitting = room > 0 ? writeAnew(events.slice(0, room)) : undefined;
    return fitting && this.#push(elementsOf(fitting), room) ? events.length - room : events.length;
  }

  /** Takes one event as JSON text; false when there is no room. */
  push(event: string): boolean {
    if (this.#room() > 0) return this.#push(Buffer.from(event), 1);
    this.#limits.onFull();
    return false;
  }

  /** One more event may be given to stand behind the others, for which there is always room. */
  take(last?: string): EventBatch | undefined {
    if (last !== undefined) {
      const event = Buffer.from(last);
      this.#limits.budget.hold(event.length);
      this.#add(event, 1);
    }
    if (this.#count === 0) return undefined;
    const parts = this.#chunks.flatMap((chunk) => [COMMA, chunk]);
    parts[0] = Buffer.from('[');
    const batch = { body: Buffer.concat([...parts, Buffer.from(']')]), count: this.#count };
    this.#limits.budget.release(this.#bytes);
    this.#chunks = [];
    this.#count = 0;
    this.#bytes = 0;
    return batch;
  }

  /** How many more events there may be. */
  #room(): number {
    return this.#limits.events - this.#count;
  }

  #push(chunk: Buffer, count: number): boolean {
    if (!this.#limits.budget.take(chunk.length)) {
      this.#limits.onFull();
      return false;
    }
    // A copy: a small chunk may be a part of something large.
    this.#add(Buffer.from(chunk), count);
    return true;
  }

  #add(chunk: Buffer, count: number): void {
    this.#chunks.push(chunk);
    this.#count += count;
    this.#bytes += chunk.length;
  }
}

/** Undefined: they are nested too deeply. */
function writeAnew(events: readonly Json[]): Buffer | undefined {
  try {
    return Buffer.from(JSON.stringify(events));
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

/** What stands between the brackets of a JSON array. */
function elementsOf(array: Buffer): Buffer {
  return array.subarray(array.indexOf('[') + 1, array.lastIndexOf(']'));
}
