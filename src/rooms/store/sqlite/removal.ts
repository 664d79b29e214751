import type { SqlRow, Statement } from '../../../kernel/storage/database.ts';
import type { RemovalPart } from '../engine.ts';
import { agedCount, expiredOf } from '../expired.ts';
import type { RetentionQuery, RoomStore } from '../store.ts';
import { forgetFiles } from './files.ts';
import { listValue, type Rows } from './rows.ts';
import { placeOf, seqOfPlace, setMeta } from './schema.ts';

/** Rows of a room removed per commit. */
const PART = 500;

interface NumberedRetention extends RetentionQuery {
  readonly room: number;
  readonly lastSeq: number;
}

/** See RoomStore. */
export async function findExpired(rows: Rows, query: NumberedRetention): ReturnType<RoomStore['expired']> {
  const { room, lastSeq } = query;
  const sql = 'SELECT place, id, created_at FROM message WHERE place > ? AND place < ? ORDER BY place LIMIT ?';
  const first = await rows.query(sql, [placeOf(room, 0), placeOf(room + 1, 0), agedCount(query)]);
  const aged = first.map(({ place, id, created_at }) => ({
    id: String(id),
    seq: seqOfPlace(Number(place)),
    createdAt: Number(created_at),
  }));
  return expiredOf(query, aged, lastSeq);
}

/** The state of the tables before a removal. */
export interface RemovalStanding {
  readonly rows: Rows;
  /** The last position. */
  readonly pos: number;
  /** The room's number; 0: unknown. */
  readonly room: number;
  readonly lastSeq: number;
}

/** Builds the statements of a removal from the current rows. */
export class RemovalPlan {
  readonly statements: Statement[] = [];
  /** Whether the room had anything left. */
  some = false;
  hashes: readonly string[] = [];
  readonly #standing: RemovalStanding;

  constructor(standing: RemovalStanding) {
    this.#standing = standing;
  }

  async add(part: RemovalPart): Promise<void> {
    const { rows, room } = this.#standing;
    if (part.what === 'files') {
      const { statements, hashes } = await forgetFiles(rows, part.ids);
      this.statements.push(...statements);
      this.hashes = hashes;
      return;
    }
    if (room === 0) return;
    if (part.what === 'messages') await this.#addMessages(part);
    else await this.#addRoom(part.what === 'room' ? -1 : PART);
    await this.#addBounds();
    if (part.what !== 'room') return;
    for (const sql of ['DELETE FROM run WHERE room = ?', 'DELETE FROM room WHERE num = ?'])
      this.statements.push({ sql, values: [room] });
  }

  /** Removes the messages that belong to the room; their ids are remembered. */
  async #addMessages({ ids, until, now }: Extract<RemovalPart, { what: 'messages' }>): Promise<void> {
    const { rows, room } = this.#standing;
    const found = await rows.query(
      'SELECT place, first FROM message WHERE id IN (SELECT value FROM json_each(?)) AND place >> 32 = ?',
      [listValue(ids), room],
    );
    const remember = `INSERT OR REPLACE INTO forgotten
      SELECT id, ? FROM message WHERE place IN (SELECT value FROM json_each(?))`;
    this.statements.push(
      { sql: 'DELETE FROM forgotten WHERE until <= ?', values: [now] },
      { sql: remember, values: [until, listValue(found.map(({ place }) => Number(place)))] },
    );
    this.#addPlaces(found);
  }

  /** Removes the room's next messages, or its events once no messages are left; each to a limit, -1 for all. */
  async #addRoom(limit: number): Promise<void> {
    const { rows, room } = this.#standing;
    const range = [placeOf(room, 0), placeOf(room + 1, 0)];
    const found = await rows.query('SELECT place, first FROM message WHERE place > ? AND place < ? LIMIT ?', [
      ...range,
      limit,
    ]);
    this.some = found.length > 0;
    if (this.some) this.#addPlaces(found);
    if (this.some && limit >= 0) return;
    const events = await rows.query('SELECT pos FROM event WHERE room = ? LIMIT ?', [room, limit]);
    this.some ||= events.length > 0;
    const positions = listValue(events.map(({ pos }) => Number(pos)));
    this.statements.push({
      sql: 'DELETE FROM event WHERE pos IN (SELECT value FROM json_each(?))',
      values: [positions],
    });
  }

  /** By `place` and `first`, the position of the creation. */
  #addPlaces(found: readonly SqlRow[]): void {
    const places = found.map(({ place }) => Number(place));
    const firsts = found.map(({ first }) => Number(first));
    this.statements.push(...removePlaces(this.#standing.rows, { room: this.#standing.room, places, firsts }));
  }

  /** Stores the room's and the log's end, so that numbers continue. */
  async #addBounds(): Promise<void> {
    const { rows, room, pos, lastSeq } = this.#standing;
    const [last] = await rows.query('SELECT created_at FROM message WHERE place = ?', [placeOf(room, lastSeq)]);
    this.statements.unshift(
      {
        sql: 'UPDATE room SET last_seq = ?, last_at = coalesce(?, last_at) WHERE num = ?',
        values: [lastSeq, last?.created_at ?? null, room],
      },
      setMeta('lastPos', pos),
    );
    this.statements.push({
      sql: "INSERT OR REPLACE INTO meta SELECT 'firstPos', coalesce((SELECT min(pos) FROM event), ?)",
      values: [pos + 1],
    });
  }
}

interface Places {
  readonly room: number;
  readonly places: readonly number[];
  /** The positions of the messages' creation. */
  readonly firsts: readonly number[];
}

function removePlaces(rows: Rows, { room, places, firsts }: Places): readonly Statement[] {
  const list = listValue(places);
  const first = listValue(firsts);
  const ofPlaces = ['mention', 'reaction', 'edit', 'file_use', 'message'];
  return [
    {
      sql: `DELETE FROM event WHERE room = ? AND seq > 0 AND type <> 1
        AND seq IN (SELECT value & 4294967295 FROM json_each(?))`,
      values: [room, list],
    },
    { sql: 'DELETE FROM event WHERE pos IN (SELECT value FROM json_each(?))', values: [first] },
    ...rows.removeTexts(firsts),
    ...ofPlaces.map((table) => ({
      sql: `DELETE FROM ${table} WHERE place IN (SELECT value FROM json_each(?))`,
      values: [list],
    })),
  ];
}
