import { createHash } from 'node:crypto';
import { createReadStream, existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { Database } from '../../../kernel/storage/database.ts';
import { messageJsonOf } from '../../contract/message-json.ts';
import { typeCode } from '../../store/event-types.ts';
import { seqOfPlace } from '../../store/sqlite/schema.ts';

/** The result of one check. */
export interface Finding {
  /** The number of checked items. */
  readonly facts: string;
  readonly problems: readonly string[];
}

export interface StoreCheck {
  readonly name: string;
  check(database: Database, path: string): Promise<Finding>;
}

const PART = 2_000;
const CREATED = typeCode('message.created');

/** All checks, in order. */
export const CHECKS: readonly StoreCheck[] = [
  { name: 'database', check: checkPages },
  { name: 'positions', check: checkPositions },
  { name: 'sequences', check: checkSequences },
  { name: 'messages', check: checkMessages },
  { name: 'records', check: checkRecords },
  { name: 'files', check: checkFiles },
];

async function checkPages(database: Database): Promise<Finding> {
  const rows = await database.query('PRAGMA integrity_check');
  const words = rows.map((row) => String(Object.values(row)[0]));
  return { facts: 'integrity check', problems: words.filter((word) => word !== 'ok') };
}

/** Whether anything was ever removed for good, which explains holes. */
async function hasRemoved(database: Database): Promise<boolean> {
  const [row] = await database.query("SELECT count(*) AS n FROM meta WHERE name = 'lastPos'");
  return Number(row?.n) > 0;
}

async function checkPositions(database: Database): Promise<Finding> {
  const [row] = await database.query('SELECT count(*) AS n, min(pos) AS first, max(pos) AS last FROM event');
  const count = Number(row?.n ?? 0);
  if (count === 0) return { facts: 'no events', problems: [] };
  const first = Number(row?.first);
  const last = Number(row?.last);
  const holes = last - first + 1 - count;
  const removed = await hasRemoved(database);
  const problems: string[] = [];
  if (!removed && first !== 1) problems.push(`the log begins at ${first}, and nothing was ever removed`);
  if (!removed && holes > 0) problems.push(`${holes} positions between ${first} and ${last} are missing`);
  return { facts: `${count} events, ${first} to ${last}${removed ? `, ${holes} removed by retention` : ''}`, problems };
}

async function checkSequences(database: Database): Promise<Finding> {
  const removed = await hasRemoved(database);
  const rows =
    await database.query(`SELECT room.id, room.num, count(place) AS n, min(place) AS first, max(place) AS last
    FROM room LEFT JOIN message ON place > num << 32 AND place < (num + 1) << 32 GROUP BY num`);
  const problems: string[] = [];
  let messages = 0;
  for (const { id, n, first, last } of rows) {
    const count = Number(n);
    messages += count;
    if (count === 0 || removed) continue;
    const [from, to] = [seqOfPlace(Number(first)), seqOfPlace(Number(last))];
    if (from !== 1 || to !== count)
      problems.push(`room ${id}: ${count} messages stand between #${from} and #${to}: numbers are missing`);
  }
  return { facts: `${messages} messages in ${rows.length} rooms`, problems };
}

/** Each message against its events. */
async function checkMessages(database: Database): Promise<Finding> {
  const problems: string[] = [];
  let after = -1;
  let count = 0;
  for (;;) {
    const rows = await database.query(
      `SELECT place, message.id, author, hidden, first, last, made.type AS made, made.room AS madeRoom,
        made.seq AS madeSeq, latest.data, latest.room AS lastRoom, latest.seq AS lastSeq,
        (SELECT max(pos) FROM event WHERE room = place >> 32 AND seq = place & 4294967295 AND seq > 0 AND type <> ${CREATED})
          AS newest
      FROM message LEFT JOIN event AS made ON made.pos = first LEFT JOIN event AS latest ON latest.pos = last
      WHERE place > ? ORDER BY place LIMIT ${PART}`,
      [after],
    );
    for (const row of rows) {
      const problem = messageProblem(row);
      if (problem !== undefined) problems.push(`message ${row.id}: ${problem}`);
    }
    count += rows.length;
    after = Number(rows.at(-1)?.place ?? after);
    if (rows.length < PART) break;
  }
  const [stray] = await database.query(
    `SELECT count(*) AS n FROM event WHERE type = ${CREATED} AND pos NOT IN (SELECT first FROM message)`,
  );
  if (Number(stray?.n) > 0) problems.push(`${stray?.n} messages stand in the log, and nowhere else`);
  return { facts: `${count} against the log`, problems };
}

function messageProblem(row: Readonly<Record<string, unknown>>): string | undefined {
  const place = Number(row.place);
  const room = Math.floor(place / 2 ** 32);
  const seq = seqOfPlace(place);
  if (row.made !== CREATED || Number(row.madeRoom) !== room || Number(row.madeSeq) !== seq)
    return `position ${row.first} of the log is not its creation`;
  if (typeof row.data !== 'string' || Number(row.lastRoom) !== room || Number(row.lastSeq) !== seq)
    return `position ${row.last} of the log is not about it`;
  if (row.newest !== null && Number(row.newest) > Number(row.last))
    return `position ${row.newest} of the log has changed it, and it shows the one before`;
  try {
    const said = JSON.parse(messageJsonOf(row.data)) as Readonly<Record<string, unknown>>;
    if (said.id !== row.id || said.seq !== seq) return 'the log knows it by another id or number';
    if (Number(Boolean(said.silent) || Boolean(said.deleted)) !== Number(row.hidden))
      return 'whether it counts as unread is not as the log has it';
  } catch {
    return `position ${row.last} of the log is no JSON`;
  }
  return undefined;
}

/** Rooms and members against their last events in the log. */
async function checkRecords(database: Database): Promise<Finding> {
  const problems: string[] = [];
  const types = ['room.created', 'room.updated', 'room.archived'] as const;
  const codes = types.map(typeCode).join(', ');
  const events = await database.query(
    `SELECT data, max(pos) AS pos FROM event WHERE type IN (${codes}, ${typeCode('room.deleted')}) GROUP BY room`,
  );
  const records = await database.query("SELECT key, data FROM record WHERE kind = 'room'");
  const rooms = new Map<string, Readonly<Record<string, unknown>>>();
  for (const { key, data } of records) {
    const room = parse(String(data));
    if (room) rooms.set(String(key), room);
    else problems.push(`room ${key}: its record is no JSON`);
  }
  for (const { data, pos } of events) {
    const logged = parse(`{${data}`)?.room as Readonly<Record<string, unknown>> | undefined;
    const kept = rooms.get(String(logged?.id));
    if (!logged) problems.push(`position ${pos} of the log is no JSON`);
    else if (kept && Number(kept.version) < Number(logged.version))
      problems.push(`room ${logged.slug}: the log has version ${logged.version}, and the record ${kept.version}`);
  }
  return { facts: `${rooms.size} rooms against the log`, problems };
}

/** `undefined`: no JSON. */
export function parse(json: string): Readonly<Record<string, unknown>> | undefined {
  try {
    return JSON.parse(json) as Readonly<Record<string, unknown>>;
  } catch {
    return undefined;
  }
}

/** Whether the bytes of attached files exist unchanged. */
async function checkFiles(database: Database, path: string): Promise<Finding> {
  const problems: string[] = [];
  const rows = await database.query('SELECT id, sha256, data FROM file WHERE id IN (SELECT file FROM file_use)');
  const seen = new Set<string>();
  let bytes = 0;
  for (const { id, sha256, data } of rows) {
    const hash = String(sha256);
    const { size } = parse(String(data)) ?? {};
    const file = join(path, 'files', hash.slice(0, 2), hash);
    if (!existsSync(file)) problems.push(`file ${id}: its bytes are not there (${file})`);
    else if (statSync(file).size !== size) problems.push(`file ${id}: it has another size than it had`);
    else if (!seen.has(hash) && (await hashOf(file)) !== hash)
      problems.push(`file ${id}: its bytes are not what they were`);
    else bytes += seen.has(hash) ? 0 : Number(size);
    seen.add(hash);
  }
  const [lost] = await database.query('SELECT count(*) AS n FROM file_use WHERE file NOT IN (SELECT id FROM file)');
  if (Number(lost?.n) > 0) problems.push(`${lost?.n} messages refer to files that are not known`);
  return { facts: `${rows.length} files, ${bytes} bytes`, problems };
}

async function hashOf(file: string): Promise<string> {
  const hash = createHash('sha256');
  for await (const piece of createReadStream(file)) hash.update(piece as Buffer);
  return hash.digest('hex');
}
