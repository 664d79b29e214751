import type { Statement } from '../../kernel/database.ts';
import type { RetentionQuery } from './room-store.ts';
import { listValue, type Rows } from './sqlite-rows.ts';
import { placeOf, seqOfPlace } from './sqlite-schema.ts';

/** How many rows of a room are removed in one commit. */
const PART = 500;

interface NumberedRetention extends RetentionQuery {
  readonly room: number;
  readonly lastSeq: number;
}

/**
 * Only a room's beginning expires: a message stays until all before it may go, but for those that are kept. `maxMessages`
 * counts sequence numbers from the last one back.
 */
export async function findExpired(
  rows: Rows,
  { room, lastSeq, before, maxMessages, keep, limit }: NumberedRetention,
): Promise<readonly { readonly id: string; readonly seq: number }[]> {
  const kept = new Set(keep);
  const lastToGo = maxMessages === null ? 0 : lastSeq - maxMessages;
  const sql = 'SELECT place, id, created_at FROM message WHERE place > ? AND place < ? ORDER BY place LIMIT ?';
  const first = await rows.query(sql, [placeOf(room, 0), placeOf(room + 1, 0), limit + kept.size]);
  const expired: { id: string; seq: number }[] = [];
  for (const row of first) {
    const id = String(row.id);
    if (kept.has(id)) continue;
    const seq = seqOfPlace(Number(row.place));
    const isOld = before !== null && Number(row.created_at) < before;
    if (expired.length === limit || (seq > lastToGo && !isOld)) break;
    expired.push({ id, seq });
  }
  return expired;
}

interface MessageRemoval {
  readonly room: number;
  readonly ids: readonly string[];
  readonly memory: { readonly until: number; readonly now: number };
}

/** What removes the messages that are of the room, and remembers their ids. */
export async function removeMessages(rows: Rows, { room, ids, memory }: MessageRemoval): Promise<readonly Statement[]> {
  const found = await rows.query(
    'SELECT place, first FROM message WHERE id IN (SELECT value FROM json_each(?)) AND place >> 32 = ?',
    [listValue(ids), room],
  );
  const places = found.map(({ place }) => Number(place));
  const remember = `INSERT OR REPLACE INTO forgotten
    SELECT id, ? FROM message WHERE place IN (SELECT value FROM json_each(?))`;
  return [
    { sql: 'DELETE FROM forgotten WHERE until <= ?', values: [memory.now] },
    { sql: remember, values: [memory.until, listValue(places)] },
    ...removePlaces(rows, { room, places, firsts: found.map(({ first }) => Number(first)) }),
  ];
}

/** What removes the next messages or events of the room; `undefined` when there are none. */
export async function removePartOfRoom(rows: Rows, room: number): Promise<readonly Statement[] | undefined> {
  const found = await rows.query('SELECT place, first FROM message WHERE place > ? AND place < ? LIMIT ?', [
    placeOf(room, 0),
    placeOf(room + 1, 0),
    PART,
  ]);
  if (found.length > 0) {
    const places = found.map(({ place }) => Number(place));
    return removePlaces(rows, { room, places, firsts: found.map(({ first }) => Number(first)) });
  }
  const events = await rows.query('SELECT pos FROM event WHERE room = ? LIMIT ?', [room, PART]);
  if (events.length === 0) return undefined;
  const positions = listValue(events.map(({ pos }) => Number(pos)));
  return [{ sql: 'DELETE FROM event WHERE pos IN (SELECT value FROM json_each(?))', values: [positions] }];
}

export function removeEmptyRoom(room: number): readonly Statement[] {
  return ['DELETE FROM run WHERE room = ?', 'DELETE FROM room WHERE num = ?'].map((sql) => ({ sql, values: [room] }));
}

interface Places {
  readonly room: number;
  readonly places: readonly number[];
  /** The positions of their messages' creation. */
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
