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

/** A cell that is not shortened. */
export function whole(text: string): StyledCell {
  return { text, isWhole: true };
}

/** The state of an alert, with its colour. */
export function stateCell(state: string, colors: ChalkInstance): StyledCell {
  const style = state === 'active' ? colors.red : state === 'suppressed' ? colors.yellow : colors.dim;
  return { text: state, style, isWhole: true };
}

/** The names of severities in common use. */
const SEVERITIES = { red: /^(critical|page|emergency|fatal|error|high)$/i, yellow: /^(warn|warning|medium)$/i };

/** The severity of an alert, with its colour. */
export function severityCell(severity: string | undefined, colors: ChalkInstance): StyledCell {
  const text = severity ?? '';
  const style = SEVERITIES.red.test(text) ? colors.red : SEVERITIES.yellow.test(text) ? colors.yellow : colors.cyan;
  return { text, style };
}

/** Prints the ids of changed silences, one per line, or as JSON with the API's name. */
export function printIds(ids: readonly string[], options: OutputOptions, terminal: Terminal): void {
  const named = ids.map((silenceID) => ({ silenceID }));
  if (formatOf(options) === 'json') printJson(terminal, named);
  else terminal.out(ids.map((id) => `${printable(id)}\n`).join(''));
}
