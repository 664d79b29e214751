import { printable } from './printable.ts';

export interface StyledCell {
  readonly text: string;
  /** Colours the padded text; it must not change the visible characters. */
  readonly style: (text: string) => string;
}
export type Cell = string | StyledCell;

const GUTTER = '  ';
const WIDE =
  /[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\u{1f300}-\u{1faff}\u{20000}-\u{3fffd}]/u;
const ZERO_WIDTH = /[\p{Mn}\p{Me}\p{Cf}]/u;

/** The width of a text in columns of a terminal: East Asian and emoji characters take two, combining ones none. */
export function displayWidth(text: string): number {
  let width = 0;
  for (const character of text) width += ZERO_WIDTH.test(character) ? 0 : WIDE.test(character) ? 2 : 1;
  return width;
}

interface Measured {
  readonly text: string;
  readonly width: number;
  readonly style: (text: string) => string;
}

function measure(cell: Cell): Measured {
  const { text, style } = typeof cell === 'string' ? { text: cell, style: (same: string) => same } : cell;
  const safe = printable(text);
  return { text: safe, width: displayWidth(safe), style };
}

/** Aligned rows, each ended by a newline; nothing follows the last text of a row. Control characters are escaped. */
export function formatTable(rows: readonly (readonly Cell[])[]): string {
  const measured = rows.map((row) => row.map(measure));
  const widths: number[] = [];
  for (const row of measured) {
    for (const [i, { width }] of row.entries()) widths[i] = Math.max(widths[i] ?? 0, width);
  }
  let output = '';
  for (const row of measured) {
    const last = row.findLastIndex((cell) => cell.width > 0);
    for (const [i, cell] of row.slice(0, last + 1).entries()) {
      output += cell.style(cell.text);
      if (i < last) output += ' '.repeat((widths[i] ?? 0) - cell.width) + GUTTER;
    }
    output += '\n';
  }
  return output;
}
