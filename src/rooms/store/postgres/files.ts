import { decodeText, encodeText } from '../../../kernel/postgres/text.ts';
import type { FileRef } from '../../domain/file/file.ts';
import type { RoomStore } from '../store.ts';
import { type DataRow, parseData, type Queries } from './queries.ts';

const FILES = 'SELECT data FROM opsdeck.room_file WHERE id = ANY ($1)';
const ROOMS = 'SELECT room, max(seq) AS seq FROM opsdeck.room_file_use WHERE file = $1 GROUP BY room';
const ORPHANED = `
  SELECT data FROM opsdeck.room_file f
  WHERE created_at < $1 AND NOT EXISTS (SELECT FROM opsdeck.room_file_use u WHERE u.file = f.id)`;
const USED = 'SELECT DISTINCT sha256 FROM opsdeck.room_file WHERE sha256 = ANY ($1)';

/** See RoomStore; also for the others. */
export async function readFiles({ query }: Queries, ids: readonly string[]): Promise<readonly FileRef[]> {
  return (await query<DataRow>(FILES, [ids.map(encodeText)])).map(parseData<FileRef>);
}

export async function roomsOfFile({ query }: Queries, id: string): ReturnType<RoomStore['roomsOfFile']> {
  const found = await query<{ room: string; seq: number }>(ROOMS, [encodeText(id)]);
  return found.map(({ room, seq }) => ({ roomId: decodeText(room), lastSeq: seq }));
}

export async function orphanedFiles({ query }: Queries, before: number): Promise<readonly FileRef[]> {
  return (await query<DataRow>(ORPHANED, [before])).map(parseData<FileRef>);
}

export async function usedContents({ query }: Queries, hashes: readonly string[]): Promise<readonly string[]> {
  return (await query<{ sha256: string }>(USED, [hashes])).map(({ sha256 }) => sha256);
}
