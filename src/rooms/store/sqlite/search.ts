import type { Clock } from '../../../kernel/clock.ts';
import { messageOf } from '../../../kernel/errors.ts';
import type { Log } from '../../../kernel/log.ts';
import type { Database, Statement } from '../../../kernel/storage/database.ts';
import { readMessage } from '../../contract/message-json.ts';
import type { TextHits } from '../engine.ts';
import { cutSnippet } from '../snippet.ts';
import type { SearchQuery } from '../store.ts';
import { matchOf } from './match.ts';
import { listValue, READ_PLACES, type Rows, toStoredText } from './rows.ts';
import { setMeta } from './schema.ts';
import { findInTable, putText, SearchTables } from './search-tables.ts';
import { type SaidEvent, TextQueue } from './search-texts.ts';

/** Texts wait this long for others, since batches cost less. */
const DELAY_MS = 200;
const RETRY_MS = 5_000;
const MIN_BATCH = 32;
const MAX_BATCH = 1024;
/**
 * The target duration of a batch, during which reads of the engine wait: as long as the insertion of some hundred
 * messages.
 */
const BATCH_MS = 20;
/** While the log grows, the pause after a batch as a multiple of its duration. */
const REST = 4;
/** Matches examined before the event loop gets a turn. */
const CANDIDATES = 256;
/** The target for blocking the event loop by a search. */
const TURN_MS = 4;

export interface SearchIndexParts {
  readonly rows: Rows;
  readonly database: Database;
  readonly clock: Clock;
  readonly log: Log;
}

/**
 * The full-text index of messages. It follows the log, and stores how far it has come. A message is found within a
 * second; while messages come faster than they can be indexed, the index takes at most a fifth of the time, and catches
 * up afterwards.
 */
export class SearchIndex {
  readonly #parts: SearchIndexParts;
  readonly #tables = new SearchTables();
  readonly #texts: TextQueue;
  /** Texts that may still have to be inserted. */
  readonly #removed = new Set<number>();
  #indexed = 0;
  #batch = MIN_BATCH;
  #cancelTimer: (() => void) | undefined;
  #endRest: (() => void) | undefined;
  #running: Promise<void> | undefined;
  #failure: unknown;
  /** Callers waiting until everything is indexed. */
  #hurried = 0;
  #closed = false;

  constructor(parts: SearchIndexParts) {
    this.#parts = parts;
    this.#texts = new TextQueue(parts.rows);
  }

  async start(indexed: number, pos: number): Promise<void> {
    await this.#tables.load(this.#parts.rows.query);
    this.#indexed = indexed;
    this.#texts.skip(pos);
    this.#plan();
  }

  /** Called when the log has grown. */
  follow(said: readonly SaidEvent[], pos: number): void {
    this.#texts.add(said, pos);
    this.#plan();
  }

  #plan(): void {
    if (this.#running || this.#cancelTimer || this.#closed || this.#indexed >= this.#texts.pos) return;
    this.#cancelTimer = this.#parts.clock.after(DELAY_MS, () => this.#run());
  }

  /** Removes texts from the index for good, by the positions of their messages' creation. */
  remove(positions: readonly number[]): readonly Statement[] {
    if (this.#indexed < this.#texts.pos) for (const position of positions) this.#removed.add(position);
    return this.#tables.remove(positions);
  }

  /** Resolves when the current end of the log is indexed; rejects if that failed. */
  async settled(): Promise<void> {
    const { pos } = this.#texts;
    this.#hurried++;
    this.#endRest?.();
    try {
      while (this.#indexed < pos && !this.#closed) {
        await this.#run();
        if (this.#failure !== undefined) throw this.#failure;
      }
    } finally {
      this.#hurried--;
    }
  }

  async close(): Promise<void> {
    this.#closed = true;
    this.#cancelTimer?.();
    this.#endRest?.();
    await this.#running;
  }

  #run(): Promise<void> {
    this.#cancelTimer?.();
    this.#cancelTimer = undefined;
    this.#running ??= this.#indexAll().finally(() => {
      this.#running = undefined;
    });
    return this.#running;
  }

  async #indexAll(): Promise<void> {
    const { clock, log } = this.#parts;
    let { pos } = this.#texts;
    while (this.#indexed < this.#texts.pos && !this.#closed) {
      let tookMs = 0;
      try {
        tookMs = await this.#indexBatch();
        this.#failure = undefined;
      } catch (error) {
        this.#failure = error;
        this.#texts.skip(this.#texts.pos);
        log.error('messages could not be indexed for the search; it is tried again', { err: messageOf(error) });
        this.#cancelTimer ??= this.#closed ? undefined : clock.after(RETRY_MS, () => this.#run());
        return;
      }
      if (tookMs > BATCH_MS) this.#batch = Math.max(MIN_BATCH, Math.floor(this.#batch / 2));
      else if (tookMs < BATCH_MS / 2) this.#batch = Math.min(MAX_BATCH, this.#batch * 2);
      // Nothing else runs during a batch, so what counts is whether the log grew between batches.
      const hasGrown = this.#texts.pos > pos;
      ({ pos } = this.#texts);
      await this.#rest(hasGrown ? tookMs * REST : 0);
    }
  }

  #rest(ms: number): Promise<void> {
    return new Promise((done) => {
      if (ms === 0 || this.#hurried > 0 || this.#closed) return void setImmediate(done);
      const end = () => {
        cancel();
        this.#endRest = undefined;
        done();
      };
      const cancel = this.#parts.clock.after(ms, end);
      this.#endRest = end;
    });
  }

  /** Returns its duration in milliseconds, without waiting for others. */
  async #indexBatch(): Promise<number> {
    const { database, clock } = this.#parts;
    const { texts, upTo } = await this.#texts.next(this.#indexed, this.#batch);
    const latest = new Map(texts.map(({ position, text }) => [position, text]));
    for (const position of this.#removed) latest.delete(position);
    const puts = [...latest].flatMap(([position, text]) => (text === null ? [] : [putText(position, text)]));
    const positions = [...latest.keys()].filter((position) => latest.get(position) !== null);
    const gone = [...latest.keys()].filter((position) => latest.get(position) === null);
    const merging = this.#tables.merge(positions);
    const from = clock.now();
    const statements = [
      setMeta('indexed', upTo),
      ...this.#tables.make(positions),
      ...this.#tables.remove(gone),
      ...puts,
      ...merging,
    ];
    await database.writeNow(statements, 'system');
    const tookMs = clock.now() - from;
    this.#tables.made(positions);
    this.#indexed = upTo;
    if (upTo >= this.#texts.pos) this.#removed.clear();
    return tookMs;
  }

  /** See RoomStore. */
  async search(query: SearchQuery): Promise<TextHits> {
    const { rows, clock } = this.#parts;
    const match = await matchOf(query, rows);
    if (!match) return { hits: [], next: null };
    const { expression, after, admits } = match;
    const found: Candidate[] = [];
    let before = query.next ?? Number.MAX_SAFE_INTEGER;
    let limit = query.limit + 1;
    let turnAt = clock.now();
    for (const table of this.#tables.between(after, before)) {
      for (let isDone = false; !isDone && found.length <= query.limit; limit = CANDIDATES) {
        const candidates = await findInTable(rows, table, { expression, after, before, limit });
        for (const row of candidates) {
          if (admits(row)) found.push({ place: Number(row.place), first: Number(row.first) });
          if (found.length > query.limit) break;
        }
        isDone = candidates.length < limit;
        before = Number(candidates.at(-1)?.first ?? before);
        if (clock.now() - turnAt < TURN_MS) continue;
        await new Promise<void>((done) => setImmediate(done));
        turnAt = clock.now();
      }
    }
    const shown = found.slice(0, query.limit);
    const next = found.length > query.limit ? (shown.at(-1)?.first ?? null) : null;
    return { hits: await this.#hits(shown, query), next };
  }

  async #hits(found: readonly Candidate[], { terms }: SearchQuery): Promise<TextHits['hits']> {
    const places = listValue(found.map(({ place }) => place));
    return (await this.#parts.rows.query(READ_PLACES, [places])).map((row) => {
      const stored = toStoredText(row);
      return { stored, ...cutSnippet(readMessage(stored.json).body, terms) };
    });
  }
}

interface Candidate {
  readonly place: number;
  readonly first: number;
}
