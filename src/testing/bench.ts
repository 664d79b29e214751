import { cpus, release, totalmem } from 'node:os';

/** `filters`: words of the command line other than names of benches; they select parts of a bench. */
export type BenchRun = (filters: readonly string[]) => Promise<void>;

const benches = new Map<string, BenchRun>();

/**
 * Declares a bench. `npm run bench` runs all, `npm run bench alerts` one of them, `npm run bench alerts get` its part `get`.
 * Benches run in turn, after all files have declared theirs.
 */
export function bench(name: string, run: BenchRun): void {
  if (benches.size === 0) setImmediate(() => void runBenches(process.argv.slice(2)));
  benches.set(name, run);
}

async function runBenches(words: readonly string[]): Promise<void> {
  const named = words.filter((word) => benches.has(word));
  const filters = words.filter((word) => !benches.has(word));
  if (named.length === 0 && filters.length > 0 && benches.size > 1) {
    process.stderr.write(`no bench has the name ${filters[0]}; there are ${[...benches.keys()].sort().join(', ')}\n`);
    process.exitCode = 1;
    return;
  }
  for (const [name, run] of benches) {
    if (named.length === 0 || named.includes(name)) await run(filters);
  }
}

/** Whether a part is selected: a filter is a prefix of its name, or there are no filters. */
export function isAsked(part: string, filters: readonly string[]): boolean {
  return filters.length === 0 || filters.some((filter) => part.startsWith(filter));
}

export interface Spread {
  readonly median: number;
  readonly least: number;
  readonly most: number;
}

/** Median, minimum and maximum of at least one sample. */
export function spreadOf(samples: readonly number[]): Spread {
  const sorted = [...samples].sort((a, b) => a - b);
  const at = (index: number) => sorted[index] ?? Number.NaN;
  const middle = (sorted.length - 1) / 2;
  return {
    median: (at(Math.floor(middle)) + at(Math.ceil(middle))) / 2,
    least: at(0),
    most: at(sorted.length - 1),
  };
}

/** A number with about three significant digits. */
export function printNumber(value: number): string {
  const digits = value >= 100 ? 0 : value >= 10 ? 1 : 2;
  return value.toLocaleString('en-US', { minimumFractionDigits: digits, maximumFractionDigits: digits });
}

export function printSpread({ median, least, most }: Spread): string {
  return `${printNumber(median)} (${printNumber(least)}–${printNumber(most)})`;
}

export function printTable(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const widths = head.map((name, column) => Math.max(name.length, ...rows.map((row) => (row[column] ?? '').length)));
  const line = (cells: readonly string[]) =>
    `| ${widths.map((width, column) => (cells[column] ?? '').padEnd(width)).join(' | ')} |`;
  const rule = `|${widths.map((width) => '-'.repeat(width + 2)).join('|')}|`;
  return [line(head), rule, ...rows.map(line)].join('\n');
}

/** Hardware, versions and date of a bench run. */
export function describeMachine(): string {
  const processors = cpus();
  const memory = Math.round(totalmem() / 2 ** 30);
  const processor = processors[0]?.model.trim() ?? 'unknown processor';
  return `${processors.length} × ${processor}, ${memory} GB, Linux ${release()}, Node ${process.version}, ${new Date().toISOString().slice(0, 10)}`;
}
