import { displayWidth, fold } from './display-width.ts';
import { printable } from './printable.ts';
import { type Cell, fitsTable, formatTable, GUTTER } from './table.ts';

export interface List {
  readonly titles: readonly string[];
  /** One cell for each title. */
  readonly rows: readonly (readonly Cell[])[];
}

export interface ListStyle {
  readonly title: (text: string) => string;
  /** Of the terminal; undefined: texts are as long as they are. */
  readonly columns: number | undefined;
}

/** A table with a heading, or records where the terminal is too narrow for its columns. */
export function formatList({ titles, rows }: List, style: ListStyle): string {
  const heading = titles.map((text) => ({ text, style: style.title }));
  const { columns } = style;
  if (columns !== undefined && !fitsTable([titles, ...rows], columns)) return formatRecords({ titles, rows }, style);
  return formatTable([heading, ...rows], columns);
}

/** In columns of the terminal: the narrowest value of a record. */
const MIN_VALUE = 10;

/** One line for each title with a value, and an empty line between rows. Long values are folded beside their titles. */
export function formatRecords({ titles, rows }: List, { title, columns }: ListStyle): string {
  const titleWidth = Math.max(0, ...titles.map(displayWidth)) + GUTTER.length;
  const valueWidth = Math.max(MIN_VALUE, (columns ?? Number.POSITIVE_INFINITY) - titleWidth);
  const recordOf = (row: readonly Cell[]) =>
    titles.map((name, i) => {
      const cell = row[i] ?? '';
      const { text, style = (same: string) => same } = typeof cell === 'string' ? { text: cell } : cell;
      if (text === '') return '';
      const [first = '', ...others] = fold(printable(text), valueWidth).map((line) => style(line));
      const head = title(name) + ' '.repeat(titleWidth - displayWidth(name)) + first;
      return [head, ...others.map((line) => ' '.repeat(titleWidth) + line)].map((line) => `${line}\n`).join('');
    });
  return rows.map((row) => recordOf(row).join('')).join('\n');
}
