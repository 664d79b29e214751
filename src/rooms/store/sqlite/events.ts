import type { SqlRow } from '../../../kernel/storage/database.ts';
import { typeOfCode } from '../event-types.ts';
import type { EventQuery, StoredEvent } from '../store.ts';
import { listValue, type Rows, textOfKey } from './rows.ts';

/** The first span, as a multiple of the wanted number of events. */
const FIRST_SPAN = 4;

/** See RoomStore. */
export async function readEvents(
  rows: Rows,
  { after, upTo, limit, roomIds }: EventQuery,
): Promise<readonly StoredEvent[]> {
  if (upTo <= after || limit <= 0) return [];
  if (!roomIds) {
    const sql = 'SELECT * FROM event WHERE pos > ? AND pos <= ? ORDER BY pos LIMIT ?';
    return toEvents(rows, await rows.query(sql, [after, upTo, limit]));
  }
  const rooms = listValue([0, ...roomIds.flatMap((id) => rows.numberOf(id) ?? [])]);
  const found: StoredEvent[] = [];
  // Spans double: busy rooms need small ones, quiet rooms few of them.
  let from = after;
  for (let span = limit * FIRST_SPAN; from < upTo && found.length < limit; span *= 2) {
    const to = Math.min(upTo, from + span);
    const sql = `SELECT * FROM event WHERE pos IN (
      SELECT pos FROM event INDEXED BY event_room
      WHERE room IN (SELECT value FROM json_each(?)) AND pos > ? AND pos <= ? ORDER BY pos LIMIT ?) ORDER BY pos`;
    found.push(...toEvents(rows, await rows.query(sql, [rooms, from, to, limit - found.length])));
    from = to;
  }
  return found;
}

function toEvents(rows: Rows, found: readonly SqlRow[]): readonly StoredEvent[] {
  return found.map(({ pos, type, room, seq, audience, data }) => ({
    pos: Number(pos),
    type: typeOfCode(Number(type)),
    roomId: rows.idOf(Number(room)) ?? null,
    audience: audience === null ? null : textOfKey(String(audience)),
    seq: Number(seq),
    data: `{"pos":${pos},${data}`,
  }));
}
