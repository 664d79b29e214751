import type { ChartModel, Series } from '../model.ts';

/** Prefixes texts that a spreadsheet would run as a formula with an apostrophe. Numbers stay numbers. */
function csvCell(cell: string | number): string {
  if (typeof cell === 'number') return String(cell);
  const safe = /^[=+\-@\t\r]/.test(cell) ? `'${cell}` : cell;
  return /[",\n\r]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

/** The chart's values as CSV (RFC 4180): tokens and requests whole, money in US dollars, times as ISO 8601 in UTC. */
export function chartCsv(model: ChartModel): string {
  const { time, series } = model;
  const heads = series.map(({ label, unit }) => (unit === 'usd' ? `${label} (USD)` : label));
  const rows: (string | number)[][] = [[...(time ? ['Start (UTC)', 'End (UTC)'] : [model.head]), ...heads]];
  for (let index = 0; index < model.length; index++) {
    const place = time ? [isoOf(time.buckets.starts[index]), isoOf(time.buckets.ends[index])] : [model.name(index)];
    rows.push([...place, ...series.map((one) => csvValue(one, index))]);
  }
  return `${rows.map((row) => row.map(csvCell).join(',')).join('\r\n')}\r\n`;
}

const isoOf = (at: number | undefined): string => new Date(at ?? 0).toISOString();

function csvValue({ unit, values }: Series, index: number): number {
  const value = values[index] ?? 0;
  return unit === 'usd' ? Number((value / 100).toFixed(6)) : value;
}
