import type { SqlRow, SqlValue } from '../../../kernel/storage/database.ts';
import type { TextPage } from '../engine.ts';
import type { PageQuery, UnreadQuery } from '../store.ts';
import { EVERYBODY } from './append.ts';
import { keyText, listValue, READ_PLACES, type Rows, toStoredText } from './rows.ts';
import { placeOf } from './schema.ts';

const NO_MESSAGES: TextPage = { messages: [], hasBefore: false, hasAfter: false };

/** A user's latest messages in a room; their threads are the user's. */
const MAX_OWN = 1000;

const CONCERNS = `place IN (
  SELECT place FROM mention WHERE user IN (?, '${EVERYBODY}') AND place > ? AND place < ?
  UNION ALL SELECT place FROM message WHERE thread IN (
    SELECT coalesce(thread, id) FROM (
      SELECT thread, id FROM message WHERE author = ? AND place > ? AND place < ? ORDER BY place DESC LIMIT ${MAX_OWN})))`;

/** The conditions of a query on the table of messages. */
interface Scope {
  /** The room's range, exclusive. */
  readonly from: number;
  readonly to: number;
  readonly where: string;
  readonly values: readonly SqlValue[];
}

/** A range of a room: a number of messages from a bound, in a direction. */
interface Stretch {
  readonly bound: number;
  readonly direction: 'up' | 'down';
  readonly limit: number;
}

/** One page of messages, ascending; see RoomStore. */
export async function readPage(rows: Rows, query: PageQuery): Promise<TextPage> {
  const room = rows.numberOf(query.roomId);
  if (room === undefined) return NO_MESSAGES;
  const { limit, before, after, around } = query;
  const scope = scopeOf(query, room);
  if (around !== undefined) {
    const middle = placeOf(room, Math.max(0, around));
    const down = await readPlaces(rows, scope, { bound: middle, direction: 'down', limit: limit + 1 });
    const up = await readPlaces(rows, scope, { bound: middle - 1, direction: 'up', limit: limit + 1 });
    return readAround(rows, { limit, down, up });
  }
  if (after !== undefined) {
    const bound = placeOf(room, Math.max(0, after));
    const found = await readPlaces(rows, scope, { bound, direction: 'up', limit: limit + 1 });
    const places = found.slice(0, limit);
    const hasBefore = await hasAny(rows, scope, { bound: places[0] ?? bound + 1, direction: 'down', limit: 1 });
    return { messages: await readMessages(rows, places), hasBefore, hasAfter: found.length > limit };
  }
  const bound = before === undefined ? placeOf(room + 1, 0) : placeOf(room, Math.max(0, before));
  const found = await readPlaces(rows, scope, { bound, direction: 'down', limit: limit + 1 });
  const places = found.slice(0, limit).reverse();
  const hasAfter =
    before !== undefined &&
    (await hasAny(rows, scope, { bound: places.at(-1) ?? bound - 1, direction: 'up', limit: 1 }));
  return { messages: await readMessages(rows, places), hasBefore: found.length > limit, hasAfter };
}

/** Half a page before a place, and half from it on; each side may use what the other leaves. */
async function readAround(
  rows: Rows,
  { limit, down, up }: { readonly limit: number; readonly down: readonly number[]; readonly up: readonly number[] },
): Promise<TextPage> {
  const half = Math.floor(limit / 2);
  const upCount = Math.min(up.length, Math.max(limit - half, limit - down.length));
  const downCount = Math.min(down.length, limit - upCount);
  const places = [...down.slice(0, downCount).reverse(), ...up.slice(0, upCount)];
  return {
    messages: await readMessages(rows, places),
    hasBefore: down.length > downCount,
    hasAfter: up.length > upCount,
  };
}

function scopeOf({ afterSeq = 0, threadId, type, authorId, concerns }: PageQuery, room: number): Scope {
  const conditions: string[] = [];
  const values: SqlValue[] = [];
  if (threadId !== undefined) {
    conditions.push(
      'place IN (SELECT place FROM message WHERE id = ? UNION ALL SELECT place FROM message WHERE thread = ?)',
    );
    values.push(keyText(threadId), keyText(threadId));
  }
  if (type !== undefined) {
    // These conditions let the database use its partial index.
    conditions.push(type === 'text' ? 'type = ?' : "type = ? AND type <> 'text'");
    values.push(keyText(type));
  }
  if (authorId !== undefined) {
    conditions.push('author = ?');
    values.push(keyText(authorId));
  }
  const [from, to] = [placeOf(room, afterSeq), placeOf(room + 1, 0)];
  if (concerns !== undefined) {
    const user = keyText(concerns);
    conditions.push(CONCERNS);
    values.push(user, from, to, user, from, to);
  }
  const where = conditions.map((condition) => ` AND ${condition}`).join('');
  return { from, to, where, values };
}

async function readPlaces(rows: Rows, scope: Scope, { bound, direction, limit }: Stretch): Promise<readonly number[]> {
  const isUp = direction === 'up';
  // One bound per side: with two the database would scan from the wrong one.
  const range = isUp ? [Math.max(scope.from, bound), scope.to] : [scope.from, Math.min(scope.to, bound)];
  const sql = `SELECT place FROM message WHERE place > ? AND place < ?${scope.where}
    ORDER BY place ${isUp ? 'ASC' : 'DESC'} LIMIT ?`;
  return (await rows.query(sql, [...range, ...scope.values, limit])).map(({ place }) => Number(place));
}

async function hasAny(rows: Rows, scope: Scope, stretch: Stretch): Promise<boolean> {
  return (await readPlaces(rows, scope, stretch)).length > 0;
}

async function readMessages(rows: Rows, places: readonly number[]): Promise<TextPage['messages']> {
  if (places.length === 0) return [];
  return (await rows.query(READ_PLACES, [listValue(places)])).map(toStoredText);
}

/** Counts to a limit; see RoomStore. */
export async function countUnread(rows: Rows, query: UnreadQuery): Promise<{ unread: number; mentions: number }> {
  const room = rows.numberOf(query.roomId);
  if (room === undefined) return { unread: 0, mentions: 0 };
  const user = keyText(query.userId);
  const end = query.upToSeq === undefined ? placeOf(room + 1, 0) : placeOf(room, query.upToSeq) + 1;
  const range = [placeOf(room, query.afterSeq), end];
  const [unread] = await rows.query(
    `SELECT count(*) AS n FROM (
      SELECT 1 FROM message WHERE place > ? AND place < ? AND hidden = 0 AND author <> ? LIMIT ?)`,
    [...range, user, query.limit],
  );
  const [mentions] = await rows.query(
    `SELECT count(*) AS n FROM (
      SELECT DISTINCT mention.place FROM mention CROSS JOIN message ON message.place = mention.place
      WHERE mention.user IN (?, '${EVERYBODY}') AND mention.place > ? AND mention.place < ? AND hidden = 0 AND author <> ?
      LIMIT ?)`,
    [user, ...range, user, query.limit],
  );
  return { unread: countOf(unread), mentions: countOf(mentions) };
}

const countOf = (row: SqlRow | undefined): number => Number(row?.n ?? 0);
