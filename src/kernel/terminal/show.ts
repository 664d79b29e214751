import { Chalk } from 'chalk';
import { formatList, formatRecords, type List } from './list.ts';
import { printable } from './printable.ts';
import type { Terminal } from './terminal.ts';

/** Writes a text, in a pager if it is longer than the terminal. */
export async function show(text: string, terminal: Terminal): Promise<void> {
  const rows = terminal.size?.rows ?? Number.POSITIVE_INFINITY;
  const lines = text.split('\n').length;
  // The last row is the prompt's.
  if (lines > rows && terminal.page) await terminal.page(text);
  else terminal.out(text);
}

export interface ListOptions {
  /** What the rows are, for an empty list: `alerts`. */
  readonly what: string;
  /** Where they come from: the server's URL, or a path. */
  readonly place: string;
  readonly isExtended?: boolean;
}

/** Shows a list as a table, or as records; of an empty one says where it was looked for. */
export async function showList(list: List, options: ListOptions, terminal: Terminal): Promise<void> {
  const { what, place, isExtended } = options;
  if (list.rows.length === 0) return terminal.err(`no ${what} found at ${printable(place)}\n`);
  const { bold: title } = new Chalk({ level: terminal.colors ? 1 : 0 });
  const style = { title, columns: terminal.size?.columns };
  await show(isExtended ? formatRecords(list, style) : formatList(list, style), terminal);
}
