import type { CsvFileResult } from '../csv/file.ts';
import type { ProjectMarker } from '../marker/marker.ts';
import type { TableQuery } from '../table-page.ts';
import { UsageData } from '../usage-data.ts';
import type { ViewQuery } from '../view.ts';

export const NOW = Date.parse('2026-11-01T12:00:00Z');

export const COLUMNS =
  'Date,Kind,Model,Max Mode,Input (w/ Cache Write),Input (w/o Cache Write),Cache Read,Output Tokens,Total Tokens,Cost';

const encoder = new TextEncoder();

export function createData(): UsageData {
  return new UsageData([{ label: 'info' }, { label: 'slope', email: 'slope@example.com' }]);
}

export function loadCsv(
  data: UsageData,
  text: string | Uint8Array,
  file: { name?: string; user?: string } = {},
): CsvFileResult {
  const bytes = typeof text === 'string' ? encoder.encode(text) : text;
  const { name = 'usage-events.csv', user = 'info' } = file;
  const opened = data.openCsv({ name, size: bytes.length, user }, NOW);
  opened.push(bytes);
  return opened.finish();
}

export function viewQuery(changes: Partial<ViewQuery> = {}): ViewQuery {
  return {
    source: 'merge',
    user: 'all',
    selection: { mode: 'all' },
    granularity: 'hour',
    zone: 'UTC',
    now: NOW,
    costBasis: 'reported',
    columnCap: 2000,
    compare: false,
    topN: 5,
    ...changes,
  };
}

export function tableQuery(changes: Partial<TableQuery> = {}, view: Partial<ViewQuery> = {}): TableQuery {
  return {
    view: viewQuery(view),
    page: 1,
    project: 'all',
    minCents: undefined,
    maxMode: 'all',
    sort: { by: 'time', descending: true },
    ...changes,
  };
}

export function marker(
  id: string,
  start: string,
  end: string | null,
  more: Partial<ProjectMarker> = {},
): ProjectMarker {
  const written = '2026-01-01T00:00:00.000Z';
  return {
    id,
    user: 'all',
    start,
    end,
    project: 'deck',
    task: '',
    note: '',
    createdAt: written,
    updatedAt: written,
    ...more,
  };
}

/** One row of a CSV; `cents` undefined makes an included one. */
export function csvRow(at: string, cents: number | undefined, tokens = 10, model = 'gpt-5', maxMode = 'No'): string {
  const [kind, cost] = cents === undefined ? ['Included', 'Included'] : ['On-Demand', (cents / 100).toFixed(2)];
  return `${at},${kind},${model},${maxMode},0,${tokens},0,0,${tokens},${cost}`;
}

export function csvOf(...rows: readonly string[]): string {
  return `${COLUMNS}\n${rows.join('\n')}\n`;
}

/** Numbers from 0 to 1 that are the same in every run. */
export function randomOf(seed: number): () => number {
  let state = seed | 0;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

const MODELS = [
  'auto',
  'claude-4.5-sonnet-thinking',
  'claude-opus-5-thinking-high',
  'composer-2.5-fast',
  'gemini-2.5-pro',
  'gpt-5-codex',
];

/** Rows of invented usage between two instants, newest first, as exports have them. */
export function inventRows(count: number, from: number, to: number, seed = 1): readonly string[] {
  const random = randomOf(seed);
  const whole = (limit: number) => Math.floor(random() * limit);
  const instants = Array.from({ length: count }, () => from + Math.floor(random() * (to - from))).sort((a, b) => b - a);
  return instants.map((at) => {
    const parts = [whole(30_000), whole(3000), whole(300_000), whole(20_000)];
    const total = parts.reduce((sum, part) => sum + part, 0);
    const isIncluded = random() < 0.3;
    const [kind, cost] = isIncluded ? ['Included', 'Included'] : ['On-Demand', (random() * 3).toFixed(2)];
    const cells = [kind, MODELS[whole(MODELS.length)], random() < 0.2 ? 'Yes' : 'No', ...parts, total, cost];
    return `"${new Date(at).toISOString()}",${cells.map((cell) => `"${cell}"`).join(',')}`;
  });
}
