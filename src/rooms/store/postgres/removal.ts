import { decodeText, encodeText } from '../../../kernel/postgres/text.ts';
import { EMPTY_HEAD } from '../../domain/room/room.ts';
import { agedCount, expiredOf } from '../expired.ts';
import type { Removal, RetentionQuery, RoomStore } from '../store.ts';
import type { Queries } from './queries.ts';

/** Messages or events of a room removed per commit. */
const PART = 500;
/** How long a node may be without PostgreSQL before it has to read all records again. */
const REMEMBERED = '1 hour';

const MESSAGES = 'SELECT opsdeck.remove_room_messages($1, $2, $3) AS commit';
const ROOM_PART = 'SELECT opsdeck.remove_room_part($1, $2) AS commit';
const ROOM = 'SELECT opsdeck.remove_room($1) AS commit';
const FILES = 'SELECT hash FROM opsdeck.forget_room_files($1) AS hash';
const PRUNE = 'SELECT opsdeck.prune_rooms($1, $2)';
const SWEEP = 'SELECT opsdeck.sweep_room_files()';
const REMAINING = `
  SELECT l.first_pos, r.first_seq, r.last_seq, r.last_at FROM opsdeck.room_log l LEFT JOIN opsdeck.room r ON r.id = $1`;
const FIRST = `
  SELECT m.id, m.seq, m.created_at, r.last_seq FROM opsdeck.room r JOIN opsdeck.room_message m ON m.room = r.id
  WHERE r.id = $1 ORDER BY m.seq LIMIT $2`;

interface CommitRow {
  /** `null`: there was nothing to remove. */
  readonly commit: number | null;
}

interface RemainingRow {
  readonly first_pos: number;
  readonly first_seq: number | null;
  readonly last_seq: number;
  readonly last_at: number | null;
}

interface AgedRow {
  readonly id: string;
  readonly seq: number;
  readonly created_at: number;
  readonly last_seq: number;
}

/** Removals from the tables; `removed` is called after each, with its commit. */
export class Removals {
  readonly #queries: Queries;
  readonly #removed: (commit: number) => Promise<void>;

  constructor(queries: Queries, removed: (commit: number) => Promise<void>) {
    this.#queries = queries;
    this.#removed = removed;
  }

  async messages(roomId: string, ids: readonly string[], rememberUntil: number): Promise<Removal> {
    await this.#run(MESSAGES, [encodeText(roomId), ids.map(encodeText), rememberUntil]);
    return this.#remaining(roomId);
  }

  /** In parts, so that a large room does not block others. */
  async room(roomId: string): Promise<Removal> {
    const room = encodeText(roomId);
    while (await this.#run(ROOM_PART, [room, PART]));
    await this.#run(ROOM, [room]);
    return this.#remaining(roomId);
  }

  async files(ids: readonly string[]): Promise<readonly string[]> {
    const found = await this.#queries.query<{ hash: string }>(FILES, [ids.map(encodeText)]);
    return found.map(({ hash }) => hash);
  }

  /** Forgets what is of no use any more: removed records, ids and tickets whose time is over, bytes without a file. */
  async prune(now: number): Promise<void> {
    await this.#queries.query(PRUNE, [REMEMBERED, now]);
    await this.#queries.query(SWEEP);
  }

  /** See RoomStore. */
  async expired(query: RetentionQuery): ReturnType<RoomStore['expired']> {
    const first = await this.#queries.query<AgedRow>(FIRST, [encodeText(query.roomId), agedCount(query)]);
    const aged = first.map(({ id, seq, created_at }) => ({ id: decodeText(id), seq, createdAt: created_at }));
    return expiredOf(query, aged, first[0]?.last_seq ?? 0);
  }

  async #run(sql: string, values: readonly unknown[]): Promise<boolean> {
    const [row] = await this.#queries.query<CommitRow>(sql, values);
    if (row?.commit == null) return false;
    await this.#removed(row.commit);
    return true;
  }

  async #remaining(roomId: string): Promise<Removal> {
    const [row] = await this.#queries.query<RemainingRow>(REMAINING, [encodeText(roomId)]);
    const { first_pos = 1, first_seq = null, last_seq = 0, last_at = null } = row ?? {};
    const head = first_seq === null ? EMPTY_HEAD : { lastSeq: last_seq, firstSeq: first_seq, lastMessageAt: last_at };
    return { head, firstPos: first_pos };
  }
}
