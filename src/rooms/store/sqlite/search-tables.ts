import type { SqlRow, Statement } from '../../../kernel/storage/database.ts';
import { listValue, type Rows } from './rows.ts';

/**
 * Positions of the log per table of the index. For a common prefix all its occurrences in a table are collected before
 * the first hit, which a small table bounds. Newer tables are searched first, and full tables are never merged again.
 */
const POSITIONS = 2 ** 15;

/**
 * By itself the index merges rarely and much at once, which blocks the event loop for 20 ms and more; here a little
 * after each batch.
 */
const SETTINGS = [
  ['automerge', 0],
  ['usermerge', 8],
  ['crisismerge', 64],
] as const;
/** Three times the amount that a batch of messages of usual length makes. */
const MERGED_PAGES = 24;

/** The tables with the indexed texts of messages, by the positions of their creation. */
export class SearchTables {
  /** Ascending. */
  #numbers: number[] = [];

  async load(query: Rows['query']): Promise<void> {
    const found = await query("SELECT name FROM sqlite_schema WHERE sql LIKE 'CREATE VIRTUAL TABLE%'");
    this.#numbers = found
      .flatMap(({ name }) => /^search_(\d+)$/.exec(String(name))?.[1] ?? [])
      .map(Number)
      .sort((a, b) => a - b);
  }

  /** The statements that create the table of some positions, if it is missing. */
  make(positions: readonly number[]): readonly Statement[] {
    const missing = [...new Set(positions.map(numberOf))].filter((number) => !this.#numbers.includes(number));
    return missing.flatMap((number) => [
      {
        sql: `CREATE VIRTUAL TABLE IF NOT EXISTS search_${number} USING fts5 (
          text, content='', contentless_delete=1, tokenize='unicode61 remove_diacritics 2')`,
        values: [],
      },
      ...SETTINGS.map(([name, value]) => command(number, name, value)),
    ]);
  }

  /** Merges some recent entries with older ones. */
  merge(positions: readonly number[]): readonly Statement[] {
    return [...new Set(positions.map(numberOf))].map((number) => command(number, 'merge', MERGED_PAGES));
  }

  /** Notes that tables exist for these positions. */
  made(positions: readonly number[]): void {
    this.#numbers = [...new Set([...this.#numbers, ...positions.map(numberOf)])].sort((a, b) => a - b);
  }

  /** Removes texts, if they are indexed. */
  remove(positions: readonly number[]): readonly Statement[] {
    return this.#numbers.flatMap((number) => {
      const own = positions.filter((position) => numberOf(position) === number);
      const sql = `DELETE FROM search_${number} WHERE rowid IN (SELECT value FROM json_each(?))`;
      return own.length === 0 ? [] : [{ sql, values: [listValue(own)] }];
    });
  }

  /** The tables with positions in `(after, before)`, the newest first. */
  between(after: number, before: number): readonly number[] {
    return this.#numbers.filter((number) => number >= numberOf(after + 1) && number <= numberOf(before - 1)).reverse();
  }
}

const numberOf = (position: number): number => Math.floor(position / POSITIONS);

const command = (number: number, name: string, value: number): Statement => ({
  sql: `INSERT INTO search_${number} (search_${number}, rank) VALUES (?, ?)`,
  values: [name, value],
});

/**
 * Replaces a text. One row per statement: for any other form SQLite keeps a statement journal, and for that the index
 * flushes all pending entries each time.
 */
export function putText(position: number, text: string): Statement {
  const number = numberOf(position);
  if (lastPut.number !== number)
    lastPut = { number, sql: `INSERT OR REPLACE INTO search_${number} (rowid, text) VALUES (?, ?)` };
  return { sql: lastPut.sql, values: [position, text] };
}

/** Most texts belong to the same table as the one before. */
let lastPut = { number: -1, sql: '' };

/** The matching messages of a table, the newest first: `first`, the position of the creation, place and time. */
export function findInTable(
  rows: Rows,
  number: number,
  { expression, after, before, limit }: TextQuery,
): Promise<readonly SqlRow[]> {
  const table = `search_${number}`;
  const sql = `SELECT ${table}.rowid AS first, message.place, message.created_at FROM ${table}
    CROSS JOIN event ON event.pos = ${table}.rowid CROSS JOIN message ON message.place = (event.room << 32) + event.seq
    WHERE ${table} MATCH ? AND ${table}.rowid > ? AND ${table}.rowid < ? ORDER BY ${table}.rowid DESC LIMIT ?`;
  return rows.query(sql, [expression, after, before, limit]);
}

export interface TextQuery {
  readonly expression: string;
  /** Positions, both exclusive. */
  readonly after: number;
  readonly before: number;
  readonly limit: number;
}
