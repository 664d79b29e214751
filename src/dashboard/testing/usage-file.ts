import { writeFileSync } from 'node:fs';
import { COLUMNS, inventRows } from '../domain/testdata/usage.ts';

const PARTS = 13;
const MONTH_MS = 30 * 86_400_000;

/**
 * A CSV of invented usage in the thirteen months of 30 days before `until` (epoch milliseconds), newest first, the same
 * in every run: a million events are about 111 MB.
 */
export function inventUsageFile(events: number, until: number): Uint8Array {
  // Part by part: a million rows as texts at once would be many times the size of the file.
  const parts = Array.from({ length: PARTS }, (_, part) => {
    const count = Math.floor((events * (part + 1)) / PARTS) - Math.floor((events * part) / PARTS);
    const to = until - part * MONTH_MS;
    return Buffer.from(
      inventRows(count, to - MONTH_MS, to, part + 1)
        .map((row) => `${row}\n`)
        .join(''),
    );
  });
  return Buffer.concat([Buffer.from(`${COLUMNS}\n`), ...parts]);
}

/** Writes such a file; returns its size in bytes. */
export function writeUsageFile(path: string, events: number, until: number): number {
  const bytes = inventUsageFile(events, until);
  writeFileSync(path, bytes);
  return bytes.length;
}
