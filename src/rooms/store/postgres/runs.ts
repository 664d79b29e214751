import { encodeText } from '../../../kernel/postgres/text.ts';
import type { AuditEntry } from '../../domain/change.ts';
import type { Run } from '../../domain/run/run.ts';
import type { RoomStore } from '../store.ts';
import { type DataRow, parseData, type Queries } from './queries.ts';

/** A node that performs a run has a lease on it. */
const UNFINISHED = `
  SELECT data FROM opsdeck.room_run r WHERE NOT ended
    AND NOT EXISTS (SELECT FROM opsdeck.lease l WHERE l.id = 'run/' || r.id AND l.lease_until >= clock_timestamp())`;

export async function readRun({ query }: Queries, id: string): Promise<Run | undefined> {
  const found = await query<DataRow>('SELECT data FROM opsdeck.room_run WHERE id = $1', [encodeText(id)]);
  return found.map(parseData<Run>)[0];
}

export async function readUnfinishedRuns({ query }: Queries): Promise<readonly Run[]> {
  return (await query<DataRow>(UNFINISHED)).map(parseData<Run>);
}

/** Entries of the audit log before an id, the latest first. */
export async function readAudit(
  { query }: Queries,
  { before = Number.MAX_SAFE_INTEGER, limit }: Parameters<RoomStore['audit']>[0],
): ReturnType<RoomStore['audit']> {
  const sql = 'SELECT id, data FROM opsdeck.room_audit WHERE id < $1 ORDER BY id DESC LIMIT $2';
  const found = await query<DataRow & { id: number }>(sql, [before, limit]);
  return found.map((row) => ({ ...parseData<AuditEntry>(row), id: row.id }));
}
