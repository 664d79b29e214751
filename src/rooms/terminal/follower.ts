import * as v from 'valibot';
import { CommandError } from '../../kernel/errors.ts';
import { SseReader } from '../../kernel/sse/reader.ts';
import type { WireMessage } from '../contract/message.ts';
import type { RoomsClient } from './client.ts';
import { pause } from './pause.ts';
import { isPassing } from './persistence.ts';
import { logSchema, messageSchema } from './wire.ts';

export type JsonRecord = Readonly<Record<string, unknown>>;

/** What a follower receives, in order. */
export type Followed =
  | {
      readonly kind: 'message';
      readonly event: string;
      /** The cursor after it. */
      readonly cursor: string;
      readonly data: JsonRecord;
      readonly message: WireMessage;
    }
  | { readonly kind: 'event'; readonly event: string; readonly cursor: string; readonly data: JsonRecord }
  /** An ephemeral event, not repeated. */
  | { readonly kind: 'passing'; readonly event: string; readonly data: JsonRecord }
  /** The log before the cursor is gone. */
  | { readonly kind: 'reset'; readonly reason: string; readonly cursor: string }
  | { readonly kind: 'open' }
  | { readonly kind: 'lost'; readonly why: string };

export interface FollowOptions {
  /** Ids or slugs, separated by commas. */
  readonly rooms: string;
  readonly types?: string;
  /** Begins after this cursor; without one, at the end of the log. */
  readonly cursor?: string | undefined;
  readonly ephemeral: boolean;
  readonly signal: AbortSignal;
}

const FIRST_PAUSE_MS = 200;
const MAX_PAUSE_MS = 5_000;
const HEARTBEAT_MS = 15_000;
/** Missed heartbeats after which a connection counts as lost. */
const MISSED_HEARTBEATS = 3;
/** Silence after which a stream counts as lost, in milliseconds. */
export const MAX_SILENCE_MS = MISSED_HEARTBEATS * HEARTBEAT_MS;

const helloSchema = v.looseObject({ epoch: v.string(), pos: v.number() });
const dataSchema = v.record(v.string(), v.unknown());

/** The delay in milliseconds before the next attempt, by the number of failures. */
export const pauseAfter = (failures: number): number => Math.min(FIRST_PAUSE_MS * 2 ** failures, MAX_PAUSE_MS);

/** Follows events, reconnecting after failures: each connection continues where the last one was cut. */
export class Follower {
  readonly #client: RoomsClient;
  readonly #options: FollowOptions;
  #cursor: string | undefined;

  constructor(client: RoomsClient, options: FollowOptions) {
    this.#client = client;
    this.#options = options;
    this.#cursor = options.cursor;
  }

  /** Throws when a connection is refused for good; waits for a server that is unreachable. Ends with the signal. */
  async *events(): AsyncGenerator<Followed> {
    const { signal } = this.#options;
    let failures = 0;
    while (!signal.aborted) {
      let why = 'the server has ended the stream';
      try {
        for await (const followed of this.#connection()) {
          failures = 0;
          yield followed;
        }
      } catch (error) {
        if (signal.aborted) return;
        if (!isPassing(error)) throw error;
        why = error.message;
      }
      if (signal.aborted) return;
      if (failures === 0) yield { kind: 'lost', why };
      await pause(this.#client.clock, pauseAfter(failures++), signal);
    }
  }

  async *#connection(): AsyncGenerator<Followed> {
    const silence = new AbortController();
    const signal = AbortSignal.any([this.#options.signal, silence.signal]);
    const { clock } = this.#client;
    let heardAt = clock.now();
    const stopWatching = clock.every(HEARTBEAT_MS, () => {
      if (clock.now() - heardAt > MAX_SILENCE_MS) silence.abort();
    });
    try {
      const headers = { accept: 'text/event-stream' };
      const response = await this.#client.open('GET', `/api/event?${this.#query()}`, { headers, signal });
      yield { kind: 'open' };
      const reader = new SseReader();
      for await (const chunk of this.#client.read(response)) {
        heardAt = clock.now();
        for (const item of reader.push(chunk)) {
          const followed = item.kind === 'event' ? this.#take(item.event, item.id, item.data) : undefined;
          if (followed) yield followed;
        }
      }
    } finally {
      stopWatching();
      silence.abort();
    }
  }

  #query(): string {
    const { rooms, types, ephemeral } = this.#options;
    const query = new URLSearchParams({ rooms, ephemeral: ephemeral ? '1' : '0' });
    if (types !== undefined) query.set('types', types);
    if (this.#cursor !== undefined) query.set('since', this.#cursor);
    return query.toString();
  }

  #take(event: string, id: string, text: string): Followed | undefined {
    const data = parseData(text);
    if (event === 'hello') {
      // From here on there is a cursor.
      const { epoch, pos } = v.parse(helloSchema, data);
      this.#cursor ??= `${epoch}-${pos}`;
      return undefined;
    }
    if (event === 'shutdown') return undefined;
    if (PASSING.has(event)) return { kind: 'passing', event, data };
    this.#cursor = id;
    return readEvent(event, id, data);
  }
}

const PASSING = new Set(['typing', 'presence', 'message.delta', 'message.snapshot', 'note']);

function parseData(text: string): JsonRecord {
  try {
    return v.parse(dataSchema, JSON.parse(text));
  } catch {
    throw new CommandError('the stream holds an invalid event');
  }
}

function readEvent(event: string, cursor: string, data: JsonRecord): Followed {
  if (event === 'reset') return { kind: 'reset', cursor, reason: String(data.reason) };
  const message = v.safeParse(messageSchema, data.message);
  return message.success
    ? { kind: 'message', event, cursor, data, message: message.output }
    : { kind: 'event', event, cursor, data };
}

const LOG_PART = 500;

export interface LogOptions {
  readonly rooms: string;
  readonly cursor: string;
}

/** Reads from the cursor to the current end of the log; a `reset` ends it. Returns the cursor of the end. */
export async function* readLog(client: RoomsClient, { rooms, cursor }: LogOptions): AsyncGenerator<Followed, string> {
  let since = cursor;
  for (;;) {
    const query = new URLSearchParams({ rooms, since, limit: String(LOG_PART), wait: '0' });
    const page = await client.get(`/api/event/log?${query}`, logSchema);
    for (const { event, id, data } of page.events) yield readEvent(event, id, { ...data });
    since = page.cursor;
    if (page.events.length === 0) return since;
  }
}
