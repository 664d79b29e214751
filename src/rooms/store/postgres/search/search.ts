import { encodeText } from '../../../../kernel/postgres/text.ts';
import { readMessage } from '../../../contract/message-json.ts';
import type { TextHits } from '../../engine.ts';
import { cutSnippet, matchesTerms } from '../../snippet.ts';
import type { SearchQuery } from '../../store.ts';
import { type MessageRow, type Queries, toStoredText } from '../queries.ts';
import { searchExpression } from './expression.ts';
import { PARTIAL_WORD, quoteWord } from './vector.ts';

/** Positions of the log per statement, the newest first: a word that is frequent, or in old messages alone, takes no longer. */
const SPAN = 2 ** 18;

interface HitRow extends MessageRow {
  /** The position of the message's creation. */
  readonly first: number;
  readonly isPartial: boolean;
}

/** The positions that are searched, both exclusive. */
interface Span {
  readonly after: number;
  readonly before: number;
}

/** See RoomStore. `log`: the first and the last position. */
export async function searchMessages(
  queries: Queries,
  search: SearchQuery,
  log: { readonly firstPos: number; readonly pos: number },
): Promise<TextHits> {
  const { limit, terms, next = Number.MAX_SAFE_INTEGER } = search;
  const found: FoundMessage[] = [];
  let before = next;
  let after = Math.min(next, log.pos + 1);
  while (found.length <= limit && before > log.firstPos) {
    after = Math.max(0, after - SPAN);
    const rows = await readSpan(queries, search, { after, before });
    found.push(...rows.map(toFound).filter(({ body, isPartial }) => !isPartial || matchesTerms(body, terms)));
    // A full page has more behind it in the same span.
    const isWhole = rows.length <= limit;
    before = isWhole ? after + 1 : (rows.at(-1)?.first ?? 0);
    if (!isWhole) after = before;
  }
  const shown = found.slice(0, limit);
  return {
    hits: shown.map(({ stored, body }) => ({ stored, ...cutSnippet(body, terms) })),
    next: found.length > limit ? (shown.at(-1)?.first ?? null) : null,
  };
}

type FoundMessage = ReturnType<typeof toFound>;

function toFound(row: HitRow) {
  const stored = toStoredText(row);
  return { first: row.first, isPartial: row.isPartial, stored, body: readMessage(stored.json).body };
}

function readSpan({ query }: Queries, search: SearchQuery, { after, before }: Span): Promise<readonly HitRow[]> {
  const { rooms, authorId, type, createdFrom, createdTo, limit } = search;
  const limits = rooms
    .filter(({ afterSeq }) => afterSeq > 0)
    .map(({ roomId, afterSeq }) => [encodeText(roomId), afterSeq]);
  const values: unknown[] = [
    after,
    before,
    limit + 1,
    quoteWord(PARTIAL_WORD),
    rooms.map((room) => encodeText(room.roomId)),
  ];
  let where = '';
  const add = (condition: string, value: unknown) => {
    if (value !== undefined) where += ` AND ${condition}$${values.push(value)}`;
  };
  if (limits.length > 0) {
    const number = values.push(JSON.stringify(Object.fromEntries(limits)));
    where += ` AND m.seq > coalesce(($${number}::jsonb->>m.room)::bigint, 0)`;
  }
  add('m.words @@ ', searchExpression(search));
  add('m.author = ', authorId === undefined ? undefined : encodeText(authorId));
  add('m.type = ', type);
  if (type !== undefined && type !== 'text') where += " AND m.type <> 'text'";
  add('m.created_at >= ', createdFrom);
  add('m.created_at < ', createdTo);
  const sql = `
    SELECT m.first, m.hash, m.words @@ $4::tsquery AS "isPartial", v.data
    FROM opsdeck.room_message m JOIN opsdeck.room_event v ON v.pos = m.last
    WHERE m.first > $1 AND m.first < $2 AND m.words IS NOT NULL AND m.room = ANY ($5)${where}
    ORDER BY m.first DESC LIMIT $3`;
  return query<HitRow>(sql, values);
}
