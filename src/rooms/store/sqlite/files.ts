import type { Statement } from '../../../kernel/storage/database.ts';
import type { FileRef } from '../../domain/file/file.ts';
import type { RoomStore } from '../store.ts';
import { keyText, listValue, parseData, type Rows } from './rows.ts';
import { roomOfPlace, seqOfPlace } from './schema.ts';

/** See RoomStore; also for the others. */
export async function readFiles(rows: Rows, ids: readonly string[]): Promise<readonly FileRef[]> {
  const sql = 'SELECT data FROM file WHERE id IN (SELECT value FROM json_each(?))';
  return (await rows.query(sql, [listValue(ids)])).map(parseData<FileRef>);
}

export async function roomsOfFile(rows: Rows, id: string): ReturnType<RoomStore['roomsOfFile']> {
  const found = await rows.query('SELECT place FROM file_use WHERE file = ? ORDER BY place', [keyText(id)]);
  const last = new Map(found.map(({ place }) => [roomOfPlace(Number(place)), seqOfPlace(Number(place))]));
  return [...last].flatMap(([room, lastSeq]) => {
    const roomId = rows.idOf(room);
    return roomId === undefined ? [] : [{ roomId, lastSeq }];
  });
}

const UNUSED = 'NOT EXISTS (SELECT 1 FROM file_use WHERE file_use.file = file.id)';

export async function orphanedFiles(rows: Rows, before: number): Promise<readonly FileRef[]> {
  return (await rows.query(`SELECT data FROM file WHERE created_at < ? AND ${UNUSED}`, [before])).map(
    parseData<FileRef>,
  );
}

export async function usedContents(rows: Rows, hashes: readonly string[]): Promise<readonly string[]> {
  const sql = 'SELECT DISTINCT sha256 FROM file WHERE sha256 IN (SELECT value FROM json_each(?))';
  return (await rows.query(sql, [listValue(hashes)])).map(({ sha256 }) => String(sha256));
}

/** Keeps files that a message has taken since they were found. */
export async function forgetFiles(rows: Rows, ids: readonly string[]): Promise<ForgottenFiles> {
  const from = `FROM file WHERE id IN (SELECT value FROM json_each(?)) AND ${UNUSED}`;
  const values = [listValue(ids)];
  const left = `SELECT DISTINCT sha256 ${from} EXCEPT SELECT sha256 FROM file WHERE id NOT IN (SELECT id ${from})`;
  const hashes = await rows.query(left, [...values, ...values]);
  return {
    statements: [{ sql: `DELETE ${from}`, values }],
    hashes: hashes.map(({ sha256 }) => String(sha256)),
  };
}

export interface ForgottenFiles {
  readonly statements: readonly Statement[];
  /** The contents without references once these statements have run. */
  readonly hashes: readonly string[];
}
