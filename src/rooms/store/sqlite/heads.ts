import type { RoomHead } from '../../domain/room/room.ts';
import type { Rows } from './rows.ts';
import { seqOfPlace } from './schema.ts';

export interface NumberedHead {
  readonly id: string;
  readonly number: number;
  readonly head: RoomHead;
}

/** The heads of all rooms, or of one: two seeks each. */
export async function readHeads(rows: Pick<Rows, 'query'>, room?: number): Promise<readonly NumberedHead[]> {
  const found = await rows.query(
    `SELECT num, room.id, last_seq, last_at, room.first, room.last, created_at FROM (
      SELECT *,
        (SELECT min(place) FROM message WHERE place > num << 32 AND place < (num + 1) << 32) AS first,
        (SELECT max(place) FROM message WHERE place > num << 32 AND place < (num + 1) << 32) AS last
      FROM room WHERE num = coalesce(?, num)
    ) AS room LEFT JOIN message ON place = room.last`,
    [room ?? null],
  );
  return found.map((row) => {
    // Stored since messages were removed, as they may have been the last.
    const removedSeq = Number(row.last_seq);
    const lastSeq = Math.max(removedSeq, row.last === null ? 0 : seqOfPlace(Number(row.last)));
    const firstSeq = row.first === null ? removedSeq && removedSeq + 1 : seqOfPlace(Number(row.first));
    const lastAt = row.last !== null && seqOfPlace(Number(row.last)) === lastSeq ? row.created_at : row.last_at;
    const head = { lastSeq, firstSeq, lastMessageAt: lastAt == null ? null : Number(lastAt) };
    return { id: String(row.id), number: Number(row.num), head };
  });
}
