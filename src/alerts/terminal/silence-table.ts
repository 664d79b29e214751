import { type Cell, formatTable } from '../../kernel/terminal/table.ts';
import type { Terminal } from '../../kernel/terminal/terminal.ts';
import { formatMatcher } from './matcher-argument.ts';
import { colorsOf, headingOf, type OutputFormat, printJson } from './output.ts';
import { formatInstant } from './time-argument.ts';
import type { WireSilence } from './wire.ts';

const SIMPLE = ['ID', 'Matchers', 'Ends At', 'Created By', 'Comment'];
const EXTENDED = ['ID', 'Matchers', 'Starts At', 'Ends At', 'Updated At', 'Created By', 'Comment'];

function simpleRow({ id, matchers, endsAt, createdBy, comment }: WireSilence): Cell[] {
  return [id, matchers.map(formatMatcher).join(' '), formatInstant(endsAt), createdBy, comment];
}

function extendedRow({ id, matchers, startsAt, endsAt, updatedAt, createdBy, comment }: WireSilence): Cell[] {
  const instants = [startsAt, endsAt, updatedAt].map(formatInstant);
  return [id, `{${matchers.map(formatMatcher).join(', ')}}`, ...instants, createdBy, comment];
}

/** Prints silences: the API's JSON, or a table by end. */
export function printSilences(silences: readonly WireSilence[], format: OutputFormat, terminal: Terminal): void {
  if (format === 'json') {
    printJson(terminal, silences);
    return;
  }
  const [titles, rowOf] = format === 'extended' ? [EXTENDED, extendedRow] : [SIMPLE, simpleRow];
  const sorted = [...silences].sort((a, b) => Date.parse(a.endsAt) - Date.parse(b.endsAt));
  terminal.out(formatTable([headingOf(titles, colorsOf(terminal)), ...sorted.map(rowOf)]));
}
