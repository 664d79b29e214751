import type { AuditEntry } from '../../domain/change.ts';
import type { Run } from '../../domain/run/run.ts';
import type { RoomStore } from '../store.ts';
import { keyText, parseData, type Rows } from './rows.ts';

export async function readRun({ query }: Rows, id: string): Promise<Run | undefined> {
  return (await query('SELECT data FROM run WHERE id = ?', [keyText(id)])).map(parseData<Run>)[0];
}

export async function readUnfinishedRuns({ query }: Rows): Promise<readonly Run[]> {
  return (await query('SELECT data FROM run WHERE ended = 0')).map(parseData<Run>);
}

/** Entries of the audit log before an id, the latest first. */
export async function readAudit(
  { query }: Rows,
  { before = Number.MAX_SAFE_INTEGER, limit }: Parameters<RoomStore['audit']>[0],
): ReturnType<RoomStore['audit']> {
  const found = await query('SELECT id, data FROM audit WHERE id < ? ORDER BY id DESC LIMIT ?', [before, limit]);
  return found.map((row) => ({ ...parseData<AuditEntry>(row), id: Number(row.id) }));
}
