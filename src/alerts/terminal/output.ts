import { Chalk, type ChalkInstance } from 'chalk';
import { printable, printableJson } from '../../kernel/terminal/printable.ts';
import type { StyledCell } from '../../kernel/terminal/table.ts';
import type { Terminal } from '../../kernel/terminal/terminal.ts';

export type OutputFormat = 'simple' | 'extended' | 'json';

export interface OutputOptions {
  readonly output: OutputFormat;
  /** The same as `--output json`. */
  readonly json?: boolean;
}

export function formatOf({ output, json }: OutputOptions): OutputFormat {
  return json ? 'json' : output;
}

/** JSON on one line, for scripts. */
export function printJson(terminal: Terminal, value: unknown): void {
  terminal.out(`${printableJson(value)}\n`);
}

export function colorsOf(terminal: Terminal): ChalkInstance {
  return new Chalk({ level: terminal.colors ? 1 : 0 });
}

/** The heading of a table. */
export function headingOf(titles: readonly string[], colors: ChalkInstance): StyledCell[] {
  return titles.map((text) => ({ text, style: colors.bold }));
}

/** The state of an alert, with its colour. */
export function stateCell(state: string, colors: ChalkInstance): StyledCell {
  const style = state === 'active' ? colors.red : state === 'suppressed' ? colors.yellow : colors.dim;
  return { text: state, style };
}

/** Prints the ids of changed silences, one per line, or as JSON with the API's name. */
export function printIds(ids: readonly string[], options: OutputOptions, terminal: Terminal): void {
  const named = ids.map((silenceID) => ({ silenceID }));
  if (formatOf(options) === 'json') printJson(terminal, named);
  else terminal.out(ids.map((id) => `${printable(id)}\n`).join(''));
}
