import { encodeText } from '../../../kernel/postgres/text.ts';
import type { TextPage } from '../engine.ts';
import type { PageQuery, UnreadQuery } from '../store.ts';
import { EVERYBODY } from './append-batch.ts';
import { type MessageRow, type Queries, toStoredText } from './queries.ts';

/** A range of a room from a bound on: the messages before it, and those from it on, each with a limit. */
interface Cut {
  readonly bound: number;
  readonly down: number;
  readonly up: number;
}

interface PlacedRow extends MessageRow {
  readonly seq: number;
}

/** One page of messages, ascending; see RoomStore. */
export async function readPage({ query }: Queries, page: PageQuery): Promise<TextPage> {
  const cut = cutOf(page);
  const { where, values } = conditionsOf(page);
  const side = (range: string, order: string, limit: string) => `(
    SELECT m.seq, m.last, m.hash FROM opsdeck.room_message m
    WHERE m.room = $1 AND m.seq > $2 AND ${range}${where} ORDER BY m.seq ${order} LIMIT ${limit})`;
  const sql = `
    SELECT p.seq, p.hash, v.data
    FROM (${side('m.seq < $3', 'DESC', '$4')} UNION ALL ${side('m.seq >= $3', 'ASC', '$5')}) p
    JOIN opsdeck.room_event v ON v.pos = p.last ORDER BY p.seq`;
  const { roomId, afterSeq = 0 } = page;
  const rows = await query<PlacedRow>(sql, [encodeText(roomId), afterSeq, cut.bound, cut.down, cut.up, ...values]);
  const middle = rows.findIndex(({ seq }) => seq >= cut.bound);
  const downCount = middle < 0 ? rows.length : middle;
  const shown = shownOf(page, { down: downCount, up: rows.length - downCount });
  const from = downCount - shown.down;
  const to = downCount + shown.up;
  return { messages: rows.slice(from, to).map(toStoredText), hasBefore: from > 0, hasAfter: to < rows.length };
}

/** One message more on each side shows whether there are others. */
function cutOf({ before, after, around, limit }: PageQuery): Cut {
  if (around !== undefined) return { bound: Math.max(0, around), down: limit + 1, up: limit + 1 };
  if (after !== undefined) return { bound: Math.max(0, after) + 1, down: 1, up: limit + 1 };
  if (before !== undefined) return { bound: Math.max(0, before), down: limit + 1, up: 1 };
  return { bound: Number.MAX_SAFE_INTEGER, down: limit + 1, up: 0 };
}

interface Sides {
  readonly down: number;
  readonly up: number;
}

/** The messages of each side on the page. Around a bound there are half a page on either; each may use what the other leaves. */
function shownOf({ after, around, limit }: PageQuery, { down, up }: Sides): Sides {
  if (around !== undefined) {
    const shownUp = Math.min(up, Math.max(limit - Math.floor(limit / 2), limit - down));
    return { up: shownUp, down: Math.min(down, limit - shownUp) };
  }
  return after === undefined ? { down: Math.min(down, limit), up: 0 } : { down: 0, up: Math.min(up, limit) };
}

/** The parameters from $6 on. */
function conditionsOf(page: PageQuery): { readonly where: string; readonly values: string[] } {
  const { threadId, type, authorId, concerns } = page;
  const values: string[] = [];
  const add = (text: string) => `$${5 + values.push(encodeText(text))}`;
  let where = '';
  if (threadId !== undefined) {
    const id = add(threadId);
    where += ` AND m.seq = ANY (ARRAY(
      SELECT seq FROM opsdeck.room_message WHERE room = $1 AND id = ${id}
      UNION ALL SELECT seq FROM opsdeck.room_message WHERE room = $1 AND thread = ${id}))`;
  }
  // The condition of the partial index.
  if (type !== undefined) where += ` AND m.type = ${add(type)}${type === 'text' ? '' : " AND m.type <> 'text'"}`;
  if (authorId !== undefined) where += ` AND m.author = ${add(authorId)}`;
  if (concerns !== undefined) where += ` AND m.seq = ANY (ARRAY(${concernsOf(add(concerns))}))`;
  return { where, values };
}

/** A user's latest messages; their threads are the user's. */
const MAX_OWN = 1000;

const concernsOf = (user: string): string => `
  SELECT seq FROM opsdeck.room_mention WHERE user_id IN (${user}, '${EVERYBODY}') AND room = $1 AND seq > $2
  UNION ALL SELECT seq FROM opsdeck.room_message WHERE room = $1 AND thread IN (
    SELECT coalesce(thread, id) FROM (
      SELECT thread, id FROM opsdeck.room_message WHERE author = ${user} AND room = $1 AND seq > $2
      ORDER BY first DESC LIMIT ${MAX_OWN}) own)`;

const UNREAD = `
  SELECT (
    SELECT count(*) FROM (
      SELECT FROM opsdeck.room_message
      WHERE room = $1 AND seq > $2 AND seq <= $3 AND NOT hidden AND author <> $4 ORDER BY seq LIMIT $5) u
  ) AS unread, (
    SELECT count(*) FROM (
      SELECT DISTINCT n.seq FROM opsdeck.room_mention n JOIN opsdeck.room_message m ON (m.room, m.seq) = (n.room, n.seq)
      WHERE n.user_id IN ($4, '${EVERYBODY}') AND n.room = $1 AND n.seq > $2 AND n.seq <= $3
        AND NOT m.hidden AND m.author <> $4 LIMIT $5) k
  ) AS mentions`;

/** Counts to a limit; see RoomStore. */
export async function countUnread(
  { query }: Queries,
  { roomId, userId, afterSeq, upToSeq = Number.MAX_SAFE_INTEGER, limit }: UnreadQuery,
): Promise<{ readonly unread: number; readonly mentions: number }> {
  const values = [encodeText(roomId), afterSeq, upToSeq, encodeText(userId), limit];
  const [row] = await query<{ unread: number; mentions: number }>(UNREAD, values);
  return { unread: row?.unread ?? 0, mentions: row?.mentions ?? 0 };
}
