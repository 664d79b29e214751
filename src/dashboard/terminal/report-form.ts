import { Chalk } from 'chalk';
import { printable, printableJson } from '../../kernel/terminal/printable.ts';
import { formatTable } from '../../kernel/terminal/table.ts';
import type { CostBasis, View, ViewQuery } from '../domain/view.ts';

export type Grouping = 'day' | 'model' | 'project';
export type ReportFormat = 'table' | 'json' | 'md' | 'csv';

export interface ReportSums {
  readonly requests: number;
  readonly tokens: number;
  readonly costCents: number;
}

export interface ReportRow extends ReportSums {
  /** The cells before the numbers, by column name. */
  readonly names: Readonly<Record<string, string>>;
}

export interface Report {
  readonly by: Grouping;
  readonly zone: string;
  readonly costBasis: CostBasis;
  readonly user: string;
  /** ISO 8601; undefined: nothing is selected. */
  readonly from: string | undefined;
  readonly to: string | undefined;
  readonly rows: readonly ReportRow[];
  readonly total: ReportSums;
}

/** The lines of a report of a view; the sums equal the page's cards. */
export function buildReport(view: View, by: Grouping, { zone, costBasis, user }: ViewQuery): Report {
  const { span } = view.interval;
  const { kpis } = view;
  return {
    by,
    zone,
    costBasis,
    user,
    from: span && new Date(span.from).toISOString(),
    to: span && new Date(span.to).toISOString(),
    rows: rowsOf(view, by).map((row) => ({ ...row, costCents: tidy(row.costCents) })),
    total: { requests: kpis.requests, tokens: kpis.tokens.total, costCents: tidy(kpis.costCents) },
  };
}

/** Sums of estimates have fractions of a cent; further digits are noise of the addition. */
const tidy = (cents: number): number => Math.round(cents * 1e4) / 1e4;

function rowsOf(view: View, by: Grouping): readonly ReportRow[] {
  if (by === 'model')
    return view.models.map(({ model, family, requests, tokens, cost }) => ({
      names: { model, family },
      requests,
      tokens,
      costCents: cost,
    }));
  if (by === 'project')
    return view.markerByProject.map(({ name, kind, requests, tokens, cost }) => ({
      names: { project: kind === 'named' ? name : kind === 'unmarked' ? '(no marker)' : '(no project)' },
      requests,
      tokens,
      costCents: cost,
    }));
  return view.daily.map(({ dayKey, user, topModel, requests, tokens, cost }) => ({
    names: { day: dayKey, user, top_model: topModel },
    requests,
    tokens,
    costCents: cost,
  }));
}

const NAMES: Readonly<Record<Grouping, readonly string[]>> = {
  day: ['day', 'user', 'top_model'],
  model: ['model', 'family'],
  project: ['project'],
};

export const reportPrinters: Readonly<
  Record<ReportFormat, (report: Report, colors: boolean, columns?: number) => string>
> = {
  table: printTable,
  json: printJson,
  md: printMarkdown,
  csv: printCsv,
};

function printTable(report: Report, colors: boolean, columns?: number): string {
  const { bold } = new Chalk({ level: colors ? 1 : 0 });
  const titles = [...NAMES[report.by], 'requests', 'tokens', 'cost'].map((name) => titleOf(name).toUpperCase());
  const lines = report.rows.map((row) => cellsOf(report, row));
  const total = totalCells(report);
  const firstNumber = NAMES[report.by].length;
  // Right-aligns numbers.
  const widths = titles.map((title, i) =>
    Math.max(...[titles, ...lines, total].map((line) => (line[i] ?? title).length)),
  );
  const align = (cells: readonly string[]) =>
    cells.map((cell, i) => (i < firstNumber ? cell : cell.padStart(widths[i] ?? 0)));
  const strong = (cells: readonly string[]) => align(cells).map((text) => ({ text, style: bold }));
  return formatTable([strong(titles), ...lines.map(align), strong(total)], columns);
}

function printJson(report: Report): string {
  const { rows, ...about } = report;
  return `${printableJson({ ...about, rows: rows.map(({ names, ...sums }) => ({ ...names, ...sums })) }, 2)}\n`;
}

function printMarkdown(report: Report): string {
  const names = NAMES[report.by];
  const line = (cells: readonly string[]) => `| ${cells.map(escapeMarkdown).join(' | ')} |\n`;
  const ruler = [...names.map(() => '---'), '---:', '---:', '---:'];
  const titles = [...names, 'requests', 'tokens', 'cost'].map(titleOf);
  const rows = report.rows.map((row) => line(cellsOf(report, row)));
  const total = line(totalCells(report).map((cell) => (cell === '' ? '' : `**${cell}**`)));
  return `${line(titles)}| ${ruler.join(' | ')} |\n${rows.join('')}${total}`;
}

/** Money in dollars with a dot; without totals, which a spreadsheet would count again. */
function printCsv(report: Report): string {
  const names = NAMES[report.by];
  const titles = [...names, 'requests', 'tokens', 'cost_usd'];
  const rows = report.rows.map(({ names: texts, requests, tokens, costCents }) => [
    ...names.map((name) => quoteCsv(printable(texts[name] ?? ''))),
    requests,
    tokens,
    dollars(costCents),
  ]);
  return [titles, ...rows].map((cells) => `${cells.join(',')}\n`).join('');
}

function cellsOf(report: Report, { names, requests, tokens, costCents }: ReportRow): readonly string[] {
  return [
    ...NAMES[report.by].map((name) => names[name] ?? ''),
    group(requests),
    group(tokens),
    `$${dollars(costCents)}`,
  ];
}

function totalCells({ by, total }: Report): readonly string[] {
  const blanks = NAMES[by].slice(1).map(() => '');
  return ['total', ...blanks, group(total.requests), group(total.tokens), `$${dollars(total.costCents)}`];
}

function titleOf(name: string): string {
  return name.replace('_', ' ').replace(/^./, (first) => first.toUpperCase());
}

function group(count: number): string {
  return count.toLocaleString('en-US');
}

function dollars(cents: number): string {
  return (cents / 100).toFixed(2);
}

function escapeMarkdown(text: string): string {
  const line = text.replace(/[\r\n]+/g, ' ');
  return printable(line).replace(/[\\|`<]/g, '\\$&');
}

/** Keeps a spreadsheet from running a text as a formula. */
function quoteCsv(text: string): string {
  const safe = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
