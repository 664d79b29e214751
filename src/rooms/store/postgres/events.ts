import { decodeText, encodeText } from '../../../kernel/postgres/text.ts';
import { typeOfCode } from '../event-types.ts';
import type { EventQuery, StoredEvent } from '../store.ts';
import type { Queries } from './queries.ts';

/** The first span, as a multiple of the wanted number of events, and how much longer each further span is. */
const FIRST_SPAN = 4;
const GROWTH = 16;

const COLUMNS = 'pos, type, room, audience, seq, data';
const OF_ALL = `SELECT ${COLUMNS} FROM opsdeck.room_event WHERE pos > $1 AND pos <= $2 ORDER BY pos LIMIT $3`;

const positionsOf = (rooms: string) =>
  `(SELECT pos FROM opsdeck.room_event WHERE ${rooms} AND pos > $1 AND pos <= $2 ORDER BY pos LIMIT $3)`;
const OF_ROOMS = `
  SELECT ${COLUMNS} FROM opsdeck.room_event WHERE pos = ANY (ARRAY(
    SELECT pos FROM (${positionsOf('room = ANY ($4)')} UNION ALL ${positionsOf('room IS NULL')}) found ORDER BY pos LIMIT $3
  )) ORDER BY pos`;

interface EventRow {
  readonly pos: number;
  readonly type: number;
  readonly room: string | null;
  readonly audience: string | null;
  readonly seq: number;
  readonly data: string;
}

/** See RoomStore. */
export async function readEvents(
  { query }: Queries,
  { after, upTo, limit, roomIds }: EventQuery,
): Promise<readonly StoredEvent[]> {
  if (upTo <= after || limit <= 0) return [];
  if (!roomIds) return (await query<EventRow>(OF_ALL, [after, upTo, limit])).map(toEvent);
  const rooms = roomIds.map(encodeText);
  const found: StoredEvent[] = [];
  let from = after;
  for (let span = limit * FIRST_SPAN; from < upTo && found.length < limit; span *= GROWTH) {
    const to = Math.min(upTo, from + span);
    found.push(...(await query<EventRow>(OF_ROOMS, [from, to, limit - found.length, rooms])).map(toEvent));
    from = to;
  }
  return found;
}

function toEvent({ pos, type, room, audience, seq, data }: EventRow): StoredEvent {
  return {
    pos,
    type: typeOfCode(type),
    roomId: room === null ? null : decodeText(room),
    audience: audience === null ? null : decodeText(audience),
    seq,
    data: `{"pos":${pos},${data}`,
  };
}
