import { Chalk, type ChalkInstance } from 'chalk';
import { printable, printableJson } from '../../kernel/terminal/printable.ts';
import type { StyledCell } from '../../kernel/terminal/table.ts';
import type { Terminal } from '../../kernel/terminal/terminal.ts';

/** One line of JSON, for scripts that read line by line. */
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

/** The lines of a foreign text, without control characters; tabs become blanks. */
export function safeLines(text: string): readonly string[] {
  return text.split('\n').map((line) => printable(line.replaceAll('\t', '    ').replace(/\r$/, '')));
}

const AGES = [
  ['d', 86_400_000],
  ['h', 3_600_000],
  ['m', 60_000],
  ['s', 1_000],
] as const;

/** An age: `3d`, `5h`, `now`. */
export function ageOf(instant: string | null, now: number): string {
  if (instant === null) return '-';
  const ms = now - Date.parse(instant);
  const [unit, length] = AGES.find(([, one]) => ms >= one) ?? [];
  return length === undefined ? 'now' : `${Math.floor(ms / length)}${unit}`;
}

export function sizeText(bytes: number): string {
  if (bytes < 1024) return `${bytes} B`;
  const units = ['KiB', 'MiB', 'GiB'];
  let value = bytes / 1024;
  let unit = 0;
  while (value >= 1024 && unit < units.length - 1) {
    value /= 1024;
    unit++;
  }
  return `${value.toFixed(1)} ${units[unit]}`;
}
