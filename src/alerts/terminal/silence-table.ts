import { showList } from '../../kernel/terminal/show.ts';
import type { Cell } from '../../kernel/terminal/table.ts';
import type { Terminal } from '../../kernel/terminal/terminal.ts';
import { formatMatcher } from './matcher-argument.ts';
import { type OutputFormat, printJson, whole } from './output.ts';
import { formatInstant } from './time-argument.ts';
import type { WireSilence } from './wire.ts';

const SIMPLE = ['ID', 'Matchers', 'Ends At', 'Created By', 'Comment'];
const EXTENDED = ['ID', 'Matchers', 'Starts At', 'Ends At', 'Updated At', 'Created By', 'Comment'];

function simpleRow({ id, matchers, endsAt, createdBy, comment }: WireSilence): Cell[] {
  return [whole(id), matchers.map(formatMatcher).join(' '), whole(formatInstant(endsAt)), createdBy, comment];
}

function extendedRow({ id, matchers, startsAt, endsAt, updatedAt, createdBy, comment }: WireSilence): Cell[] {
  const instants = [startsAt, endsAt, updatedAt].map(formatInstant);
  return [id, `{${matchers.map(formatMatcher).join(', ')}}`, ...instants, createdBy, comment];
}

export interface SilencesOptions {
  readonly format: OutputFormat;
  /** The server's. */
  readonly url: string;
}

/** Prints silences: the API's JSON, or a list by end. */
export async function printSilences(
  silences: readonly WireSilence[],
  { format, url }: SilencesOptions,
  terminal: Terminal,
): Promise<void> {
  if (format === 'json') return printJson(terminal, silences);
  const isExtended = format === 'extended';
  const [titles, rowOf] = isExtended ? [EXTENDED, extendedRow] : [SIMPLE, simpleRow];
  const rows = [...silences].sort((a, b) => Date.parse(a.endsAt) - Date.parse(b.endsAt)).map(rowOf);
  await showList({ titles, rows }, { what: 'silences', place: url, isExtended }, terminal);
}
