import { randomInt, randomUUID } from 'node:crypto';
import * as v from 'valibot';
import type { Clock } from '../../../kernel/clock.ts';
import { pause } from '../../terminal/pause.ts';
import { isPassing } from '../../terminal/persistence.ts';
import type { WriteRecord } from './checker.ts';
import type { Target } from './target.ts';

export interface WriterOptions {
  readonly name: string;
  readonly target: Target;
  readonly clock: Clock;
  /** Ids. */
  readonly rooms: readonly string[];
  /** Milliseconds between messages; 0 is as fast as they are answered. */
  readonly everyMs: number;
  /** Repeats some messages, and gives up some unanswered ones. */
  readonly isRude: boolean;
  readonly signal: AbortSignal;
  /** Gets the time at which each message was first sent, by id. */
  readonly sentAt: Map<string, number>;
}

const RETRY_MS = 50;
/** The time after the end to answer pending messages. */
const LAST_WORDS_MS = 60_000;
/** One message in this number is repeated after its answer. */
const REPEATS = 50;
/** One unanswered message in this number is given up. */
const GIVEN_UP = 4;

const answerSchema = v.looseObject({ id: v.string(), seq: v.number() });

/** Writes messages into random rooms until the signal. */
export class Writer {
  readonly records: WriteRecord[] = [];
  /** Repeated answers that differ from the first. */
  readonly faults: string[] = [];
  retries = 0;
  repeats = 0;
  readonly #options: WriterOptions;

  constructor(options: WriterOptions) {
    this.#options = options;
  }

  async run(): Promise<void> {
    const { signal, everyMs, clock, isRude } = this.#options;
    let due = performance.now() + Math.random() * everyMs;
    while (!signal.aborted) {
      const waitMs = due - performance.now();
      if (everyMs > 0 && waitMs > 1) await pause(clock, waitMs, signal);
      if (signal.aborted) return;
      // Messages not sent while the server was down are not made up for in a burst.
      due = Math.max(due + everyMs, performance.now() - everyMs);
      const record = await this.#write();
      this.records.push(record);
      if (isRude && record.seq !== null && randomInt(REPEATS) === 0) await this.#repeat(record);
    }
  }

  async #write(): Promise<WriteRecord> {
    const { name, rooms, isRude, clock, signal } = this.#options;
    const id = randomUUID();
    const room = rooms[randomInt(rooms.length)] ?? '';
    const startedAt = performance.now();
    this.#options.sentAt.set(id, startedAt);
    const base = { id, room, writer: name, startedAt };
    let overSince: number | undefined;
    for (;;) {
      const seq = await this.#send(id, room);
      if (seq !== undefined) return { ...base, answeredAt: performance.now(), seq };
      this.retries++;
      if (isRude && randomInt(GIVEN_UP) === 0) return { ...base, answeredAt: null, seq: null };
      if (signal.aborted) overSince ??= performance.now();
      if (overSince !== undefined && performance.now() - overSince > LAST_WORDS_MS)
        throw new Error('the server does not answer any more');
      await pause(clock, RETRY_MS);
    }
  }

  async #repeat({ id, room, seq }: WriteRecord): Promise<void> {
    const again = await this.#send(id, room);
    this.repeats++;
    if (again !== undefined && again !== seq)
      this.faults.push(`${id} was acknowledged as #${seq}, and then as #${again}`);
  }

  /** `undefined`: no answer, so it may exist or not. */
  async #send(id: string, room: string): Promise<number | undefined> {
    try {
      const client = await this.#options.target.client();
      const json = { id, roomId: room, body: `${this.#options.name} says ${id}` };
      return client.parse(await client.send('POST', '/api/message', { json }), answerSchema).seq;
    } catch (error) {
      if (isPassing(error)) return undefined;
      throw error;
    }
  }
}
