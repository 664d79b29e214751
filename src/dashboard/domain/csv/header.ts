/** The index of each column; -1 if the file lacks it. */
export interface CsvLayout {
  readonly date: number;
  readonly user: number;
  readonly kind: number;
  readonly model: number;
  readonly maxMode: number;
  readonly cacheWrite: number;
  readonly input: number;
  readonly cacheRead: number;
  readonly output: number;
  readonly total: number;
  readonly cost: number;
}

const REQUIRED = ['Date', 'Input (w/o Cache Write)', 'Cache Read', 'Output Tokens', 'Total Tokens'] as const;
const DELIMITERS = [',', ';', '\t'] as const;

export type CsvHeader =
  | { readonly ok: true; readonly delimiter: number; readonly layout: CsvLayout }
  /** Required columns that were found with no delimiter. */
  | { readonly ok: false; readonly missing: readonly string[] };

/** Reads the column names in any order, with the delimiter that finds most of the required ones. */
export function readCsvHeader(line: string): CsvHeader {
  const readings = DELIMITERS.map((delimiter) => {
    const places = new Map<string, number>();
    for (const [index, cell] of splitHeader(line, delimiter).entries()) {
      const name = normalizeName(cell);
      if (!places.has(name)) places.set(name, index);
    }
    return { delimiter, places, missing: REQUIRED.filter((name) => !places.has(normalizeName(name))) };
  });
  const best = readings.reduce((a, b) => (b.missing.length < a.missing.length ? b : a));
  if (best.missing.length > 0) return { ok: false, missing: best.missing };
  return { ok: true, delimiter: best.delimiter.charCodeAt(0), layout: layoutOf(best.places) };
}

function layoutOf(places: ReadonlyMap<string, number>): CsvLayout {
  const place = (name: string) => places.get(name) ?? -1;
  return {
    date: place('date'),
    user: place('user'),
    kind: place('kind'),
    model: place('model'),
    maxMode: place('max mode'),
    cacheWrite: place('input (w/ cache write)'),
    input: place('input (w/o cache write)'),
    cacheRead: place('cache read'),
    output: place('output tokens'),
    total: place('total tokens'),
    cost: place('cost'),
  };
}

function normalizeName(cell: string): string {
  return cell
    .replace(/[\ufeff"]/g, '')
    .trim()
    .replace(/\s+/g, ' ')
    .toLowerCase();
}

function splitHeader(line: string, delimiter: string): readonly string[] {
  const cells: string[] = [];
  let cell = '';
  let isQuoted = false;
  for (const character of line) {
    if (character === '"') isQuoted = !isQuoted;
    else if (character === delimiter && !isQuoted) {
      cells.push(cell);
      cell = '';
    } else cell += character;
  }
  return [...cells, cell];
}
