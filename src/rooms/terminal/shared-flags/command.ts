import { type Command, InvalidArgumentError, Option } from 'commander';
import { formatDuration } from '../../../kernel/duration.ts';
import { intervalFlag } from '../../../kernel/terminal/flags.ts';

/** Adds the options of all commands with a server. */
export function addConnection(command: Command): Command {
  return command
    .option('--url <url>', 'the server (default: OPSDECK_ROOMS_URL, else http://127.0.0.1:8065)')
    .option('--token <token>', 'token to authenticate with; visible to others here, unlike in OPSDECK_ROOMS_TOKEN')
    .option('--user <id>', 'user on a server without sign-in (default: OPSDECK_ROOMS_USER)')
    .addOption(durationOption('--timeout <duration>', 'how long to wait for an answer', intervalFlag, 30_000))
    .option('--json', 'print JSON');
}

/** A flag whose help shows its default, in milliseconds, as a duration. */
export function durationOption(flags: string, description: string, read: (text: string) => number, ms: number): Option {
  return new Option(flags, description).argParser(read).default(ms, formatDuration(ms));
}

/** A whole number from 1. */
export function numberFlag(text: string): number {
  if (!/^[1-9]\d{0,8}$/.test(text)) throw new InvalidArgumentError('Write a whole number of at least 1.');
  return Number(text);
}

const UNITS: Readonly<Record<string, number>> = { '': 1, k: 1024, m: 1024 ** 2, g: 1024 ** 3 };

/** Bytes, such as 65536, 64KiB or 1m. */
export function sizeFlag(text: string): number {
  const [, digits, unit = ''] = /^(\d{1,12})\s*(?:([kmg])(?:i?b)?)?$/i.exec(text) ?? [];
  if (digits === undefined) throw new InvalidArgumentError('Write a size such as 65536 or 64KiB.');
  return Number(digits) * (UNITS[unit.toLowerCase()] ?? 1);
}
