import { CommandError } from '../../../kernel/errors.ts';
import type { Connection } from '../../../kernel/postgres/connection.ts';
import type { Postgres } from '../../../kernel/postgres/postgres.ts';
import { encodeText } from '../../../kernel/postgres/text.ts';
import type { Database, SqlRow } from '../../../kernel/storage/database.ts';
import { readHeads } from '../../store/sqlite/heads.ts';
import { proofOf, SET_KEY } from '../secret-key.ts';
import { IMPORTED_TABLES, type ImportedTable, type ImportFacts } from './tables.ts';

/** Rows per statement. */
const BATCH = 500;
const DEADLINE_MS = 60_000;

/** The key of stored secrets. */
export interface SecretKey {
  readonly key: string;
  /** It comes from OPSDECK_SECRET_KEY: the database gets only a proof of it. */
  readonly isGiven: boolean;
}

export interface CopyOptions {
  readonly postgres: Postgres;
  /** `undefined`: there are no secrets. */
  readonly secretKey: SecretKey | undefined;
  /** Called after each batch. */
  readonly progress: (count: ImportCount) => void;
}

export interface ImportCount {
  readonly what: string;
  readonly count: number;
}

type Run = (sql: string, values?: readonly unknown[]) => ReturnType<Connection['query']>;

/**
 * Copies the tables of rooms.sqlite into a migrated database without rooms, in one transaction: all of them or nothing. Ids,
 * positions, sequence numbers and the epoch stay, so that cursors of clients remain valid.
 */
export async function copyRooms(
  source: Pick<Database, 'query'>,
  { postgres, secretKey, progress }: CopyOptions,
): Promise<readonly ImportCount[]> {
  const connection = await postgres.connect(DEADLINE_MS);
  const run: Run = (sql, values = []) => connection.query(sql, values, DEADLINE_MS);
  try {
    await run(`BEGIN; SET LOCAL idle_in_transaction_session_timeout = ${DEADLINE_MS}`);
    await run('LOCK TABLE opsdeck.room_log IN ACCESS EXCLUSIVE MODE');
    await refuseRooms(run);
    const facts = await copyRoomsAndLog(source, run);
    const counts: ImportCount[] = [];
    for (const table of IMPORTED_TABLES) counts.push(await copyTable(source, run, { table, facts, progress }));
    if (secretKey) await run(SET_KEY, [secretKey.isGiven ? null : secretKey.key, proofOf(secretKey.key)]);
    await run("SELECT setval('opsdeck.room_audit_id_seq', (SELECT greatest(max(id), 1) FROM opsdeck.room_audit))");
    await run('COMMIT');
    // Without these figures the first searches and pages would take long.
    await run('ANALYZE opsdeck.room_event, opsdeck.room_message, opsdeck.room_mention, opsdeck.room_record');
    return counts;
  } finally {
    // An open transaction ends with its connection.
    await connection.end();
  }
}

async function refuseRooms(run: Run): Promise<void> {
  const [row] = await run(`
    SELECT EXISTS (SELECT FROM opsdeck.room_event) OR EXISTS (SELECT FROM opsdeck.room_record) AS "isUsed"`);
  if (row?.isUsed)
    throw new CommandError('the database has rooms already: name an empty one, or remove its schema opsdeck');
}

async function copyRoomsAndLog(source: Pick<Database, 'query'>, run: Run): Promise<ImportFacts> {
  const query: Database['query'] = (sql, values) => source.query(sql, values);
  const meta = new Map((await query('SELECT * FROM meta')).map(({ name, value }) => [String(name), value]));
  const [last] = await query('SELECT max(pos) AS pos FROM event');
  const pos = Math.max(Number(last?.pos ?? 0), Number(meta.get('lastPos') ?? 0));
  await run('DELETE FROM opsdeck.room_log');
  await run(
    `INSERT INTO opsdeck.room_log (epoch, origin, commits, changed, pos, first_pos)
      VALUES ($1, opsdeck.room_origin(), 1, 1, $2, $3)`,
    [String(meta.get('epoch')), pos, Number(meta.get('firstPos') ?? 1)],
  );
  const heads = await readHeads(source);
  const rows = heads.flatMap(({ id, head: { firstSeq, lastSeq, lastMessageAt } }) =>
    lastSeq === 0 ? [] : [{ id: encodeText(id), first_seq: firstSeq, last_seq: lastSeq, last_at: lastMessageAt }],
  );
  await insert(run, 'room', 'id text, first_seq bigint, last_seq bigint, last_at bigint', rows);
  return { roomIds: new Map(heads.map(({ id, number }) => [number, id])), writer: crypto.randomUUID() };
}

interface TableCopy {
  readonly table: ImportedTable;
  readonly facts: ImportFacts;
  readonly progress: (count: ImportCount) => void;
}

async function copyTable(
  source: Pick<Database, 'query'>,
  run: Run,
  { table, facts, progress }: TableCopy,
): Promise<ImportCount> {
  const { what, from, order, into, columns } = table;
  const keys = order.join(', ');
  const after = `WHERE (${keys}) > (${order.map(() => '?').join(', ')})`;
  let count = 0;
  for (let last: SqlRow | undefined; ; ) {
    const values = last ? order.map((key) => last?.[key] ?? null) : [];
    const found = await source.query(
      `SELECT * FROM ${from} ${last ? after : ''} ORDER BY ${keys} LIMIT ${BATCH}`,
      values,
    );
    const rows = found.map((row) => table.row(row, facts)).filter((row) => row !== undefined);
    await insert(run, into, columns, rows);
    count += rows.length;
    progress({ what, count });
    last = found.at(-1);
    if (found.length < BATCH) return { what, count };
  }
}

async function insert(run: Run, table: string, columns: string, rows: readonly object[]): Promise<void> {
  const names = columns.replace(/ \w+(?=,|$)/g, '');
  const sql = `INSERT INTO opsdeck.${table} (${names}) SELECT ${names} FROM json_to_recordset($1) AS r (${columns})`;
  if (rows.length > 0) await run(sql, [JSON.stringify(rows)]);
}
