import { cut, displayWidth } from './display-width.ts';
import { printable } from './printable.ts';

export interface StyledCell {
  readonly text: string;
  /** Colours the text; it must not change the visible characters. */
  readonly style?: (text: string) => string;
  /** Its column is not shortened, such as that of an id, which is copied. */
  readonly isWhole?: true;
}
export type Cell = string | StyledCell;

export const GUTTER = '  ';
/** In columns of the terminal: a column is not shortened below this while another has more. */
const MIN_WIDTH = 8;

interface Measured extends Required<Omit<StyledCell, 'isWhole'>> {
  readonly width: number;
  readonly isWhole: boolean;
}

function measure(cell: Cell): Measured {
  const { text, style = (same: string) => same, isWhole = false } = typeof cell === 'string' ? { text: cell } : cell;
  const safe = printable(text);
  return { text: safe, width: displayWidth(safe), style, isWhole };
}

interface Column {
  /** Of its widest cell. */
  readonly width: number;
  readonly isWhole: boolean;
}

function columnsOf(rows: readonly (readonly Measured[])[]): readonly Column[] {
  const columns: Column[] = [];
  for (const row of rows) {
    for (const [i, cell] of row.entries()) {
      const { width = 0, isWhole = false } = columns[i] ?? {};
      columns[i] = { width: Math.max(width, cell.width), isWhole: isWhole || cell.isWhole };
    }
  }
  return columns;
}

/** What is left for each of these widths if they share a total: the narrow ones keep theirs. */
function share(widths: readonly number[], total: number): readonly number[] {
  let left = Math.max(0, total);
  const shares = new Array<number>(widths.length).fill(0);
  const byWidth = widths.map((width, i) => ({ width, i })).sort((a, b) => a.width - b.width);
  for (const [place, { width, i }] of byWidth.entries()) {
    const fair = Math.floor(left / (byWidth.length - place));
    shares[i] = Math.min(width, fair);
    left -= shares[i];
  }
  return shares;
}

/** The widths of the columns in a terminal; `isTight`: some have become too narrow to be read. */
function fit(columns: readonly Column[], available: number): { widths: readonly number[]; isTight: boolean } {
  const room = available - GUTTER.length * (columns.length - 1);
  const shrinking = columns.filter(({ isWhole }) => !isWhole).map(({ width }) => width);
  const whole = columns.reduce((sum, { width, isWhole }) => sum + (isWhole ? width : 0), 0);
  const shares = share(shrinking, room - whole);
  const isTight = shares.some((width, i) => width < Math.min(MIN_WIDTH, shrinking[i] ?? 0));
  if (whole + shrinking.length > room) {
    const all = columns.map(({ width }) => width);
    return { widths: share(all, room), isTight };
  }
  let next = 0;
  return { widths: columns.map(({ width, isWhole }) => (isWhole ? width : (shares[next++] ?? 0))), isTight };
}

/** Whether the rows make a table that can be read in this many columns of a terminal. */
export function fitsTable(rows: readonly (readonly Cell[])[], available: number): boolean {
  return !fit(columnsOf(rows.map((row) => row.map(measure))), available).isTight;
}

/**
 * Aligned rows, each ended by a newline; nothing follows the last text of a row. Control characters are escaped. In a
 * terminal of `available` columns no row is longer: long texts end in an ellipsis.
 */
export function formatTable(rows: readonly (readonly Cell[])[], available = Number.POSITIVE_INFINITY): string {
  const measured = rows.map((row) => row.map(measure));
  const { widths } = fit(columnsOf(measured), available);
  let output = '';
  for (const row of measured) {
    const last = row.findLastIndex((cell) => cell.width > 0);
    for (const [i, cell] of row.slice(0, last + 1).entries()) {
      const width = widths[i] ?? 0;
      const text = cell.width > width ? cut(cell.text, width) : cell.text;
      output += cell.style(text);
      if (i < last) output += ' '.repeat(width - displayWidth(text)) + GUTTER;
    }
    output += '\n';
  }
  return output;
}
