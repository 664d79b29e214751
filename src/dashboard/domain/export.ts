import { eventRowOf } from './event/row.ts';
import type { SourceIndex } from './event/source-index.ts';
import type { MarkerInterval, ProjectMarker } from './marker/marker.ts';
import type { EventRow, ViewQuery } from './view.ts';

const COLUMNS = [
  'Date',
  'User',
  'Kind',
  'Model',
  'Max Mode',
  'Input (w/ Cache Write)',
  'Input (w/o Cache Write)',
  'Cache Read',
  'Output Tokens',
  'Total Tokens',
  'Cost',
  'Project',
  'Task',
] as const;

const ROWS_PER_PART = 10_000;

/** The rows as CSV with the column names of the upstream exports, in parts of one text. */
export function exportRowsAsCsv(
  index: SourceIndex,
  intervals: readonly MarkerInterval[],
  query: ViewQuery,
  rows: Uint32Array,
): readonly string[] {
  const parts = [`${COLUMNS.map(csvCell).join(',')}\r\n`];
  for (let from = 0; from < rows.length; from += ROWS_PER_PART) {
    const lines = Array.from(rows.subarray(from, from + ROWS_PER_PART), (row) =>
      csvLine(eventRowOf(index, intervals, query, row)),
    );
    parts.push(lines.join(''));
  }
  return parts;
}

function csvLine(event: EventRow): string {
  const { tokens } = event;
  const cells = [
    new Date(event.at).toISOString(),
    event.user,
    event.kind,
    event.model,
    event.maxMode ? 'Yes' : 'No',
    `${tokens.cacheWrite}`,
    `${tokens.input}`,
    `${tokens.cacheRead}`,
    `${tokens.output}`,
    `${tokens.total}`,
    event.costDisplay,
    event.project ?? '',
    event.task ?? '',
  ];
  return `${cells.map(csvCell).join(',')}\r\n`;
}

/**
 * One cell, quoted if necessary. Texts that a spreadsheet would run as a formula are prefixed with `'`, except a lone
 * `-` (in costs) and negative amounts.
 */
export function csvCell(text: string): string {
  const isFormula = /^[=+\-@\t\r]/.test(text) && !/^-(?:\$?\d[\d.,]*)?$/.test(text);
  const safe = isFormula ? `'${text}` : text;
  return /[",;\r\n\t]|^\s|\s$/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

/** The rows, the query and the markers as one JSON document, in parts. */
export function exportRowsAsJson(
  index: SourceIndex,
  intervals: readonly MarkerInterval[],
  query: ViewQuery,
  rows: Uint32Array,
  markers: readonly ProjectMarker[],
): readonly string[] {
  const { source, user, selection, granularity, zone, costBasis } = query;
  const filter = { source, user, selection, granularity, zone, costBasis };
  const exportedAt = JSON.stringify(new Date(query.now).toISOString());
  const parts = [`{\n"exportedAt": ${exportedAt},\n"filter": ${JSON.stringify(filter)},\n"events": [`];
  for (let from = 0; from < rows.length; from += ROWS_PER_PART) {
    const events = Array.from(rows.subarray(from, from + ROWS_PER_PART), (row) =>
      JSON.stringify(jsonEvent(eventRowOf(index, intervals, query, row))),
    );
    parts.push(`${from === 0 ? '\n' : ',\n'}${events.join(',\n')}`);
  }
  parts.push(`\n],\n"markers": ${JSON.stringify(markers)}\n}\n`);
  return parts;
}

/** An event with the field names of the event model. */
function jsonEvent(event: EventRow): object {
  return {
    timestamp: new Date(event.at).toISOString(),
    dayKey: event.dayKey,
    userLabel: event.user,
    model: event.model,
    kind: event.kind,
    maxMode: event.maxMode,
    inputTokens: event.tokens.input,
    cacheWriteTokens: event.tokens.cacheWrite,
    cacheReadTokens: event.tokens.cacheRead,
    outputTokens: event.tokens.output,
    totalTokens: event.tokens.total,
    costCents: event.costCents,
    costDisplay: event.costDisplay,
    listCents: event.listCents,
    isIncluded: event.isIncluded,
    isChargeable: event.isChargeable,
    source: event.source,
    markerId: event.markerId ?? null,
    project: event.project ?? null,
    task: event.task ?? null,
  };
}
