import { Chalk, type ChalkInstance } from 'chalk';
import { printable, printableJson } from '../../kernel/terminal/printable.ts';
import type { StyledCell } from '../../kernel/terminal/table.ts';
import type { Terminal } from '../../kernel/terminal/terminal.ts';

export type OutputFormat = 'simple' | 'extended' | 'json';

export interface OutputOptions {
  readonly output: OutputFormat;
  /** Another way to say `--output json`. */
  readonly json?: boolean;
}

export function formatOf({ output, json }: OutputOptions): OutputFormat {
  return json ? 'json' : output;
}

/** One line of JSON, so that a script may read line by line. */
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

/** The state of an alert: active ones stand out, suppressed ones step back. */
export function stateCell(state: string, colors: ChalkInstance): StyledCell {
  const style = state === 'active' ? colors.red : state === 'suppressed' ? colors.yellow : colors.dim;
  return { text: state, style };
}

/** Prints the ids of silences that were changed, one on each line, or as the API names them. */
export function printIds(ids: readonly string[], options: OutputOptions, terminal: Terminal): void {
  const named = ids.map((silenceID) => ({ silenceID }));
  if (formatOf(options) === 'json') printJson(terminal, named);
  else terminal.out(ids.map((id) => `${printable(id)}\n`).join(''));
}
